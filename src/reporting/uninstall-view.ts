import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { renderFindings } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import type { Theme } from './types.ts';

export interface UninstallView {
  readonly plan: Plan;
  readonly changed: { readonly files: readonly unknown[]; readonly gitAdd: string | undefined };
  readonly removed: number;
  readonly kept: number;
  readonly isDryRun: boolean;
  readonly findings: readonly Finding[];
}

/** The result of `uninstall` (look.md): what is gone, what was kept and why. */
export function renderUninstall(view: UninstallView, theme: Theme): string {
  const parts: string[] = [];
  if (view.isDryRun) {
    parts.push(
      renderPlan(view.plan, theme),
      renderFindings(view.findings, theme),
      'This was a dry run. Nothing was written.',
    );
  } else if (view.removed === 0 && view.kept === 0) {
    parts.push(
      renderFindings(view.findings, theme),
      view.changed.files.length > 0 ? 'Removed.' : 'Nothing of ours is here.',
    );
  } else {
    parts.push(renderFindings(view.findings, theme));
    const total = view.removed + view.kept;
    const rest = view.kept === 0 ? '' : `, ${view.kept} kept`;
    const glyph = view.kept === 0 ? theme.ok(theme.glyph.ok) : theme.warn(theme.glyph.warn);
    const stage = view.changed.gitAdd === undefined ? '' : `\n  ${view.changed.gitAdd}`;
    parts.push(`${glyph} ${view.removed} of ${total} removed${rest}.${stage}`);
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
