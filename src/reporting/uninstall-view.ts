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
  /** What `--runtime` named; empty = every coding tool. */
  readonly runtimes?: readonly string[];
  /** Something is set up here that no record of this host proves to be ours. */
  readonly unproven?: boolean;
  /** Entries that stay because another coding tool reads them too. */
  readonly shared?: number;
  /** Entries that stay because another integration owns them too. */
  readonly owned?: number;
  readonly plan: Plan;
  readonly changed: ChangedFacts;
  readonly removed: number;
  readonly kept: number;
  readonly isDryRun: boolean;
  readonly findings: readonly Finding[];
}

/** What was kept and why, then the counts: `8 of 9 removed, 1 kept.` */
export function renderUninstall(view: UninstallView, theme: Theme): string {
  if (view.isDryRun) {
    const more = renderNews(untold(view.findings, view.plan.findings), theme);
    const sections = [
      renderPlan(view.plan, theme).trimEnd(),
      more,
      'Nothing was written: this was a dry run.',
    ];
    return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
  }
  const sections: string[] = [];
  const wrote = view.changed.files.length > 0;
  // The plan with its findings was shown before anything was written.
  const findings = renderNews(wrote ? untold(view.findings, view.plan.findings) : view.findings, theme);
  if (findings !== '') sections.push(findings);
  if (wrote) sections.push(renderChanged(view.changed, theme));
  const all = view.removed + view.kept;
  if (all === 0 && view.unproven !== true && (wrote || keptForOthers(view) !== ''))
    sections.push(`No entry removed, ${keptForOthers(view) || "none of them was tenon's"}.`);
  else if (all === 0) sections.push(nothing(view));
  else if (view.unproven === true && view.kept === 0)
    sections.push(
      `${plural(view.removed, 'entry', 'entries')} removed; what no record of this host proves was kept.`,
    );
  else if (view.kept === 0)
    sections.push(
      `${plural(view.removed, 'entry', 'entries')} removed, ${keptForOthers(view) || 'nothing kept'}.`,
    );
  else sections.push(`${view.removed} of ${all} removed, ${view.kept} kept.`);
  return `${sections.join('\n\n')}\n`;
}

/** What stays for somebody else; empty where nothing does. */
function keptForOthers({ shared = 0, owned = 0 }: UninstallView): string {
  const kept = (count: number, whose: string): string[] =>
    count === 0 ? [] : [`${count} kept for the ${whose} ${count === 1 ? 'it' : 'them'} too`];
  return [...kept(shared, 'coding tools that read'), ...kept(owned, 'other integrations that own')].join(
    ' and ',
  );
}

function nothing({ named, runtimes = [], unproven }: UninstallView): string {
  if (unproven === true) return "Nothing was removed: no record of this host proves what is tenon's here.";
  const where = runtimes.length === 0 ? 'here' : `here for ${runtimes.join(', ')}`;
  return named.length === 0
    ? `Nothing of tenon is ${where} to remove.`
    : `Nothing to remove: ${named.map(printable).join(', ')} ${named.length === 1 ? 'is' : 'are'} not set up ${where}.`;
}
