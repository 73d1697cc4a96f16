import type { Context } from '../../cli/context.ts';
import { isTokenShaped } from '../../endpoint/token.ts';
import { ambiguous, countOf, placeholderOf } from '../../engine/credential.ts';
import { sha256 } from '../../engine/fingerprint.ts';
import { type PlanResult, planDigest } from '../../engine/plan.ts';
import type { FilePlan, Ledger, Op } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import type { FormatId } from '../../formats/format.ts';
import { formatOf } from '../../formats/index.ts';
import { getIn, type Json, type JsonPath, leavesOf } from '../../lib/json.ts';
import { displayPath, fromDisplay, isOutside, isWithin } from '../../system/paths.ts';
import type { Workspace } from './workspace.ts';

/**
 * The plan that replaces the one literal token of each of our entries (V20): nothing else changes. Refuses where an entry
 * was edited, refers to a variable, is not there, or its token stands in the file more than once.
 */
export function rotationPlan(context: Context, workspace: Workspace, result: PlanResult): PlanResult {
  const { reader, host } = context.system;
  const files: FilePlan[] = [];
  const ops: Op[] = [];
  for (const { slot, address, standing } of result.judgements) {
    const { wish } = slot;
    const name = wish?.main.credential;
    if (wish === undefined || name === undefined || wish.target.place.kind !== 'key') continue;
    if (standing !== 'managed') throw notLiteral(address);
    const { target } = wish;
    const { path } = wish.target.place;
    const abs = fromDisplay(target.path, { root: workspace.root, home: host.home, platform: host.platform });
    const base = reader.readFile(abs);
    const mode = reader.stat(abs)?.mode;
    const text = base === undefined ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(base);
    const token = tokenAt(text, target.format, path, wish.value, name);
    if (base === undefined || mode === undefined || token === undefined) throw notLiteral(address);
    const count = countOf(text, token);
    if (count !== 1) throw ambiguous(target.path, name, count);
    const bytes = new TextEncoder().encode(text.replace(token, () => placeholderOf(name)));
    const id = `op-${String(ops.length + 1).padStart(3, '0')}`;
    const real = reader.realpath(abs) ?? abs;
    const leaves = !isOutside(target.path) && !isWithin(workspace.root, real, host.platform);
    const outside = isOutside(target.path) || leaves;
    files.push({
      path: target.path,
      abs,
      real,
      action: 'edit',
      order: 'normal',
      base,
      baseHash: sha256(base),
      result: bytes,
      resultHash: sha256(bytes),
      mode: mode & 0o7777,
      inPlace: false,
      makeDirs: [],
      removeDirs: [],
      ops: [id],
      outside,
      ...(leaves
        ? { leadsTo: displayPath(real, { root: workspace.root, home: host.home, platform: host.platform }) }
        : {}),
    });
    ops.push({
      id,
      action: 'update',
      address,
      target,
      owners: wish.owners,
      runtimes: wish.runtimes,
      scope: wish.main.scope,
      classes: wish.classes,
      summary: `replaces the token in ${target.path}`,
      reason: 'asked for with --rotate',
      approval: outside ? 'user-files' : 'project-files',
    });
  }
  if (files.length === 0) throw notLiteral('.');
  const { root, user } = workspace.ledgers;
  return {
    ...result,
    plan: {
      ...result.plan,
      files,
      ops,
      isEmpty: false,
      digest: planDigest(files, ops),
      ledgers: { root: after(root, files), user: after(user, files) },
    },
    replacements: [],
  };
}

/** A ledger that knows the files as the plan leaves them. */
const after = (ledger: Ledger, files: readonly FilePlan[]): Ledger => ({
  ...ledger,
  files: ledger.files.map((record) => {
    const file = files.find((one) => one.path === record.path);
    if (file === undefined) return record;
    const size = file.result?.length ?? 0;
    // Edited by others since: what was before our first entry is no longer what removing it gives back.
    const before = record.after.hash === file.baseHash ? record.before : null;
    return { ...record, before, after: { hash: file.resultHash, size } };
  }),
});

/** The JWT that stands where the wish has its placeholder. */
function tokenAt(
  text: string,
  format: FormatId,
  path: JsonPath,
  value: Json,
  name: string,
): string | undefined {
  const parsed = formatOf(format).parse(text);
  if (!parsed.ok || parsed.value === undefined) return undefined;
  const entry = getIn(parsed.value, path);
  const [pointer] = [...leavesOf(value)].find(([, leaf]) => leaf === `Bearer ${placeholderOf(name)}`) ?? [];
  if (entry === undefined || pointer === undefined) return undefined;
  const there = [...leavesOf(entry)].find(([one]) => one === pointer)?.[1];
  const token = typeof there === 'string' ? /^Bearer (\S+)$/.exec(there)?.[1] : undefined;
  return token !== undefined && isTokenShaped(token) ? token : undefined;
}

const notLiteral = (address: string): TenonError =>
  new TenonError(
    'credential/not-literal',
    `${address} holds no literal token of an earlier setup as it was written`,
    {
      exit: 4,
      remedy: { text: 'Set it up at a terminal first, or look at tenon status' },
    },
  );
