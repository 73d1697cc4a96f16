import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { statusGlyph } from './doctor-view.ts';
import { renderFindings } from './findings-view.ts';
import { table } from './table.ts';
import { separator } from './theme.ts';
import type { Theme } from './types.ts';

export interface CertifyView {
  readonly title: string;
  readonly result: 'passed' | 'failed';
  readonly reused: boolean;
  readonly at: string | null;
  readonly version: string | null;
  readonly program: string;
  readonly steps: readonly {
    readonly title: string;
    readonly status: 'pass' | 'fail' | 'skip';
    readonly message: string;
  }[];
  readonly findings: readonly Finding[];
}

/** The steps of the scenario, what did not hold, and the answer last. */
export function renderCertify(view: CertifyView, theme: Theme): string {
  const client = `${view.title}${view.version === null ? '' : ` ${view.version}`}`;
  const sections = [
    `${theme.bold('tenon certify')} ${separator(theme)} ${printable(client)} ${separator(theme)} ${printable(view.program)}`,
  ];
  if (view.steps.length > 0) {
    const rows = view.steps.map(({ title, status, message }) => [
      `  ${statusGlyph(status, theme)} ${title}`,
      theme.dim(printable(message)),
    ]);
    sections.push(table(rows, 2));
  }
  if (view.findings.length > 0) sections.push(renderFindings(view.findings, theme));
  sections.push(answer(view, theme));
  return `${sections.join('\n\n')}\n`;
}

function answer({ title, result, reused, at }: CertifyView, theme: Theme): string {
  if (result === 'failed') return `${theme.fail(theme.glyph.fail)} ${title} is not certified.`;
  const when = reused && at !== null ? ` It was proved at ${at}; nothing changed since.` : '';
  return `${theme.ok(theme.glyph.ok)} ${title} is certified: exactly this build, until it or tenon's data of it change.${when}`;
}
