import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { type ChangedFacts, renderChanged } from './changed-view.ts';
import { renderNews, untold } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import type { Theme } from './types.ts';

export interface SyncView {
  readonly plan: Plan;
  readonly changed: ChangedFacts;
  readonly findings: readonly Finding[];
  readonly isDryRun: boolean;
  readonly isSetUp: boolean;
  /** Something was left as it is that should be otherwise; what it is, the findings say. */
  readonly isLeft: boolean;
  /** `--check`: the answer. */
  readonly check?: 'same' | 'differs';
}

/** The result of `sync`: what was converged, what was left and why; for `--check` the answer last. */
export function renderSync(view: SyncView, theme: Theme): string {
  const { plan, changed } = view;
  const parts: string[] = [];
  if (view.isDryRun && plan.files.length > 0) parts.push(renderPlan(plan, theme).trimEnd());
  if (changed.files.length > 0) parts.push(renderChanged(changed, theme).trimEnd());
  // A plan was shown before the question, or just above; what it told is not told again.
  const isTold = changed.files.length > 0 || (view.isDryRun && plan.files.length > 0);
  parts.push(renderNews(isTold ? untold(view.findings, plan.findings) : view.findings, theme));
  parts.push(lastLine(view, theme));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function lastLine(view: SyncView, theme: Theme): string {
  const good = `${theme.ok(theme.glyph.ok)} `;
  const warn = `${theme.warn(theme.glyph.warn)} `;
  if (!view.isSetUp && view.changed.files.length === 0)
    return view.isLeft
      ? `${warn}No integration is set up here; the above was left as it is.`
      : 'Nothing is set up here.';
  if (view.check === 'same')
    return view.isLeft
      ? `${warn}The repository is as its manifest says; the above needs attention.`
      : `${good}The repository is as its manifest says.`;
  if (view.check === 'differs')
    return `${theme.fail(theme.glyph.fail)} The repository differs from its manifest.`;
  if (view.isDryRun) return 'This was a dry run. Nothing was written.';
  if (view.changed.files.length > 0) return '';
  if (view.isLeft || view.findings.some(({ severity }) => severity === 'error'))
    return `${warn}Nothing was changed; the above was left as it is.`;
  return view.findings.some(({ code }) => code === 'trust/required')
    ? `${warn}Nothing was changed; what is not trusted was left out.`
    : `${good}Nothing to do: everything is as it should be.`;
}
