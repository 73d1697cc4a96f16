import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { type ChangedFacts, renderChanged } from './changed-view.ts';
import { renderNews, untold } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

export interface UninstallView {
  /** What was named on the command line; empty = everything of this root. */
  readonly named: readonly string[];
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
  const wrote = view.changed.files.length > 0;
  // The plan with its findings was shown before anything was written.
  const findings = renderNews(wrote ? untold(view.findings, view.plan.findings) : view.findings, theme);
  if (findings !== '') sections.push(findings);
  if (wrote) sections.push(renderChanged(view.changed, theme));
  const all = view.removed + view.kept;
  if (all === 0) sections.push(nothing(view.named));
  else if (view.kept === 0)
    sections.push(`${plural(view.removed, 'entry', 'entries')} removed, nothing kept.`);
  else sections.push(`${view.removed} of ${all} removed, ${view.kept} kept.`);
  return `${sections.join('\n\n')}\n`;
}

const nothing = (named: readonly string[]): string =>
  named.length === 0
    ? 'Nothing of tenon is here to remove.'
    : `Nothing to remove: ${named.map(printable).join(', ')} ${named.length === 1 ? 'is' : 'are'} not set up here.`;
