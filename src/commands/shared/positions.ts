import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Finding } from '../../errors/error.ts';
import { formatOf } from '../../formats/index.ts';
import { equalJson, getIn } from '../../lib/json.ts';
import { fromDisplay } from '../../system/paths.ts';
import type { Workspace } from './workspace.ts';

/**
 * Warnings for a plan that takes an array item of ours out from before others, in a client that remembers its user's
 * trust by position (case D02). The plan goes on; the user is told what the client will ask.
 */
export function positionWarnings(context: Context, workspace: Workspace, result: PlanResult): Finding[] {
  const { reader, host } = context.system;
  const findings: Finding[] = [];
  for (const { slot, action } of result.judgements) {
    const { record } = slot;
    if (action !== 'remove' || record?.place.kind !== 'item') continue;
    const spec = record.runtimes
      .map((id) => workspace.specs.get(id))
      .find((one) => one?.hooks?.positional === true);
    if (spec === undefined) continue;
    const abs = fromDisplay(record.path, { root: workspace.root, home: host.home, platform: host.platform });
    const bytes = reader.readFile(abs);
    const parsed =
      bytes === undefined ? undefined : formatOf(record.format).parse(new TextDecoder().decode(bytes));
    const list = parsed?.ok === true ? getIn(parsed.value, record.place.path) : undefined;
    if (!Array.isArray(list)) continue;
    const { value } = record.place;
    const at = list.findLastIndex((item) => equalJson(item, value));
    const behind = at < 0 ? 0 : list.length - at - 1;
    if (behind === 0) continue;
    const noun =
      behind === 1
        ? '1 hook of yours changes its position'
        : `${behind} hooks of yours change their positions`;
    findings.push({
      code: 'hook/position-changed',
      severity: 'warning',
      subject: record.path,
      message: `${noun} in ${record.place.path.join('.')}; ${spec.title} will ask you to trust ${behind === 1 ? 'it' : 'them'} again`,
    });
  }
  return findings;
}
