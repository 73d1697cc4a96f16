import type { EndpointReport } from '../endpoint/validate.ts';
import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { renderFindings } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import { printable } from './printable.ts';
import type { Theme } from './types.ts';

/** Everything that `setup` and `add` show at their end. */
export interface SetupView {
  readonly title: string;
  readonly names: readonly string[];
  readonly runtimes: readonly string[];
  readonly endpoints: readonly EndpointReport[];
  readonly plan: Plan;
  readonly changed: { readonly files: readonly unknown[]; readonly gitAdd: string | undefined };
  readonly next: readonly { readonly runtime: string; readonly text: string }[];
  readonly isDryRun: boolean;
  readonly oneShot: string;
  readonly findings: readonly Finding[];
}

/** The result of `setup` or `add` (look.md): what changed, what comes next, how to repeat it. */
export function renderSetup(view: SetupView, theme: Theme): string {
  const parts: string[] = [];
  if (view.endpoints.length > 0) parts.push(endpointLines(view.endpoints, theme));
  if (view.isDryRun) {
    parts.push(renderPlan(view.plan, theme), 'This was a dry run. Nothing was written.');
    return joined([...parts, renderFindings(view.findings, theme)]);
  }
  const written = view.plan.ops.filter(({ approval }) => approval !== 'none').length;
  if (view.changed.files.length === 0) {
    parts.push(`${theme.ok(theme.glyph.ok)} ${view.names.join(', ')} is set up already. Nothing to do.`);
    return joined([...parts, renderFindings(view.findings, theme)]);
  }
  const done = `${theme.ok(theme.glyph.ok)} ${count(written, 'change')} in ${count(view.changed.files.length, 'file')}, each read back and proved.`;
  parts.push(view.changed.gitAdd === undefined ? done : `${done}\n  ${view.changed.gitAdd}`);
  parts.push(renderFindings(view.findings, theme));
  parts.push(`${theme.bold('Next')}\n${nextLines(view.next)}`);
  parts.push(completion(view));
  parts.push(`The same without questions:\n  ${view.oneShot}`);
  return joined(parts);
}

const joined = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

function endpointLines(endpoints: readonly EndpointReport[], theme: Theme): string {
  return endpoints
    .map((report) => {
      const glyph = {
        pass: theme.ok(theme.glyph.ok),
        warn: theme.warn(theme.glyph.warn),
        fail: theme.fail(theme.glyph.fail),
        skip: theme.glyph.dot,
      }[report.status];
      return `${glyph} ${printable(report.url)}  ${report.message}`;
    })
    .join('\n');
}

function nextLines(next: SetupView['next']): string {
  const width = Math.max(...next.map(({ runtime }) => runtime.length));
  return next.map(({ runtime, text }) => `  ${runtime.padEnd(width)}  ${text}`).join('\n');
}

/** Contract, section 9: says what was checked, and that the connection was not seen. */
function completion(view: SetupView): string {
  const endpoint = view.endpoints.some(({ status }) => status === 'skip')
    ? 'files written; endpoint not checked'
    : view.endpoints.length === 0
      ? 'files written'
      : 'files and endpoint';
  const name = view.names.map((one) => (one === 'vera' ? 'VERA' : one)).join(', ');
  return `${name} setup completed for ${view.runtimes.join(', ')} (${endpoint}; connection not seen yet)`;
}
