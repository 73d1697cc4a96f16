import type { Plan } from '../engine/types.ts';
import { type ChangedFacts, renderChanged } from './changed-view.ts';
import { renderPlan } from './plan-view.ts';
import type { Theme } from './types.ts';

export interface UndoView {
  /** The command that was taken back; undefined when there is none. */
  readonly of: string | undefined;
  readonly changed: ChangedFacts;
  /** Set for a dry run. */
  readonly plan: Plan | undefined;
}

/** The result of `undo`. */
export function renderUndo(view: UndoView, theme: Theme): string {
  if (view.of === undefined) return 'There is no applied plan here to take back.\n';
  if (view.plan !== undefined) {
    return `${renderPlan(view.plan, theme).trimEnd()}\n\nThis was a dry run. Nothing was written.\n`;
  }
  return `${renderChanged(view.changed, theme).trimEnd()}\n\nTaken back: tenon ${view.of}\n`;
}
