import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { type ChangedFacts, renderChanged } from './changed-view.ts';
import { renderNews, untold } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

export interface SwitchView {
  readonly verb: 'disable' | 'enable';
  readonly switched: readonly string[];
  readonly findings: readonly Finding[];
  readonly changed: ChangedFacts;
  readonly isDryRun: boolean;
  readonly plan: Plan;
}

/** The result of `disable` and `enable`; what a coding tool keeps itself is told as a step. */
export function renderSwitch(view: SwitchView, theme: Theme): string {
  const parts: string[] = [];
  if (view.isDryRun && view.plan.files.length > 0) parts.push(renderPlan(view.plan, theme).trimEnd());
  if (view.changed.files.length > 0) parts.push(renderChanged(view.changed, theme).trimEnd());
  const isTold = view.plan.files.length > 0;
  parts.push(renderNews(isTold ? untold(view.findings, view.plan.findings) : view.findings, theme));
  const word = view.verb === 'disable' ? 'off' : 'on';
  if (view.isDryRun) parts.push('This was a dry run. Nothing was written.');
  else if (view.switched.length > 0) {
    const servers = plural(view.switched.length, 'server');
    parts.push(`${theme.ok(theme.glyph.ok)} ${servers} switched ${word}. Restart the coding tool.`);
  } else parts.push(`Nothing was changed: every switch in a file is ${word} already, or there is none.`);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
