import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { type ChangedFacts, renderChanged } from './changed-view.ts';
import { renderFindings } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

export interface UninstallView {
  readonly plan: Plan;
  readonly changed: ChangedFacts;
  readonly removed: number;
  readonly kept: number;
  readonly isDryRun: boolean;
  readonly findings: readonly Finding[];
}

/** What was kept and why, then the counts: `8 of 9 removed, 1 kept.` */
export function renderUninstall(view: UninstallView, theme: Theme): string {
  if (view.isDryRun) return `${renderPlan(view.plan, theme)}\nNothing was written: this was a dry run.\n`;
  const sections: string[] = [];
  if (view.findings.length > 0) sections.push(renderFindings(view.findings, theme));
  if (view.changed.files.length > 0) sections.push(renderChanged(view.changed, theme));
  const all = view.removed + view.kept;
  if (all === 0) sections.push('Nothing of tenon is here to remove.');
  else if (view.kept === 0)
    sections.push(`${plural(view.removed, 'entry', 'entries')} removed, nothing kept.`);
  else sections.push(`${view.removed} of ${all} removed, ${view.kept} kept.`);
  return `${sections.join('\n\n')}\n`;
}
