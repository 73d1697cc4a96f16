import { github } from './format-github.ts';
import { html } from './format-html.ts';
import { junit } from './format-junit.ts';
import type { FormatRun } from './format-parts.ts';
import { sarif } from './format-sarif.ts';

export type ReportFormat = 'text' | 'json' | 'sarif' | 'junit' | 'github' | 'html';

/** A run in a form that other programs read; undefined for text and json, which are made elsewhere. */
export function renderFormat(format: ReportFormat, run: FormatRun): string | undefined {
  switch (format) {
    case 'sarif':
      return sarif(run);
    case 'junit':
      return junit(run);
    case 'github':
      return github(run);
    case 'html':
      return html(run);
    case 'text':
    case 'json':
      return undefined;
  }
}
