import type { Rehearsal } from '../authoring/rehearse.ts';
import type { Finding } from '../errors/error.ts';
import { renderFindings } from './findings-view.ts';
import { table } from './table.ts';
import { separator } from './theme.ts';
import type { Theme } from './types.ts';

/** What `tenon validate` found: the faults, and per coding tool what it would get. */
export function renderValidation(
  view: {
    readonly shown: string;
    readonly kind: 'integration' | 'runtime';
    readonly rehearsals: readonly Rehearsal[];
    readonly findings: readonly Finding[];
  },
  theme: Theme,
): string {
  const sections = [`${theme.bold('tenon validate')} ${separator(theme)} ${view.shown}`];
  if (view.rehearsals.length > 0)
    sections.push(
      table(
        view.rehearsals.map((one) => row(one, theme)),
        2,
      ),
    );
  if (view.findings.length > 0) sections.push(renderFindings(view.findings, theme));
  const errors = view.findings.filter(({ severity }) => severity === 'error').length;
  const tools = view.rehearsals.filter(({ status }) => status === 'ok').length;
  sections.push(
    errors > 0
      ? `${theme.fail(theme.glyph.fail)} ${errors} to correct.`
      : `${theme.ok(theme.glyph.ok)} Valid. Set up and taken out again byte for byte for ${tools} coding ${tools === 1 ? 'tool' : 'tools'}, in memory.`,
  );
  return `${sections.join('\n\n')}\n`;
}

function row({ runtime, status, files, notes }: Rehearsal, theme: Theme): string[] {
  const glyph =
    status === 'ok'
      ? theme.ok(theme.glyph.ok)
      : status === 'refused'
        ? theme.dim(theme.glyph.dot)
        : theme.fail(theme.glyph.fail);
  const left = notes.filter(({ severity }) => severity !== 'info').length;
  const count = Object.keys(files).length;
  const says =
    status === 'refused'
      ? 'refused'
      : `${count} ${count === 1 ? 'file' : 'files'}${left === 0 ? '' : `, ${left} left out or warned about`}`;
  return [`  ${glyph}`, runtime, says];
}
