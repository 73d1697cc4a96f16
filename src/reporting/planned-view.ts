import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderNews, untold } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import { renderLogin, rootLine } from './setup-view.ts';
import { visibleLength, wrap } from './text.ts';
import type { Theme } from './types.ts';

export interface PlannedView {
  /** The target folder as seen from where the command was started; absent when it was started there (case K04). */
  readonly root?: string | undefined;
  readonly plan: Plan;
  /** How the coding tools log in, as far as it is known without asking the server. */
  readonly login: readonly { readonly runtime: string; readonly text: string }[];
  readonly findings: readonly Finding[];
  readonly origins:
    | readonly {
        readonly name: string;
        readonly value: unknown;
        readonly origin: string;
        readonly says?: string;
      }[]
    | undefined;
  readonly patch: { readonly patch: string; readonly masked: readonly string[] } | undefined;
  readonly out: string | undefined;
}

/** The result of `plan`. With `--patch` stdout is the patch alone, so that it can be piped into `git apply`. */
export function renderPlanned(view: PlannedView, theme: Theme): string {
  if (view.patch !== undefined) return view.patch.patch;
  const parts = [
    view.root === undefined ? '' : rootLine(view.root, theme),
    renderLogin(view.login, theme),
    renderPlan(view.plan, theme, view.findings).trimEnd(),
    renderNews(untold(view.findings, view.plan.findings), theme),
  ];
  if (view.origins !== undefined) parts.push(originLines(view.origins, theme));
  if (view.out !== undefined)
    parts.push(`Saved to ${printable(view.out)}; tenon apply ${printable(view.out)} applies exactly this.`);
  if (view.plan.files.length > 0) parts.push('This is a plan. Nothing was written.');
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function originLines(origins: NonNullable<PlannedView['origins']>, theme: Theme): string {
  const width = Math.max(...origins.map(({ name }) => name.length), 0);
  const lines = origins.map(({ name, value, origin, says }) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const head = `  ${name.padEnd(width)}  `;
    const from = says === undefined ? origin : `${origin}: ${printable(says)}`;
    const line = `${head}${printable(text)}  ${theme.dim(from)}`;
    if (visibleLength(line) <= theme.width) return line;
    // A list may be broken behind its commas; where the value comes from stands below it.
    const indent = ' '.repeat(head.length);
    const shown = Array.isArray(value) ? text.replaceAll(',"', ', "') : text;
    return `${wrap(printable(shown), theme.width, indent, head)}\n${theme.dim(wrap(from, theme.width, indent))}`;
  });
  return [theme.bold('Where each value comes from'), ...lines].join('\n');
}
