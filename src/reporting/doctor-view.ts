import type { Finding, Remedy } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderFindings } from './findings-view.ts';
import { table } from './table.ts';
import { accentCommands, visibleLength, wrap } from './text.ts';
import { none, separator } from './theme.ts';
import type { Theme } from './types.ts';

type Status = 'pass' | 'warn' | 'fail' | 'skip';

/** How the parts of one integration stand in each coding tool; a missing cell is "does not apply". */
export interface DoctorMatrix {
  readonly integration: string;
  readonly runtimes: readonly string[];
  readonly rows: readonly {
    readonly part: string;
    readonly cells: Readonly<Record<string, { readonly status: Status; readonly note?: string } | undefined>>;
  }[];
}

export interface DoctorView {
  /** State of the root; `not-set-up` is said in words. */
  readonly state?: string;
  /** The root as users see it. */
  readonly root: string;
  readonly matrices: readonly DoctorMatrix[];
  readonly checks: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: Status;
    readonly message: string;
    readonly remedy?: Remedy;
    /** Skipped because there is nothing of the kind here. */
    readonly idle?: true;
  }[];
  readonly findings: readonly Finding[];
}

/** Blanks between the columns of the table. */
const GAP = 3;

/** Parts by coding tool, findings with remedies, and the counts last. A check that was not made says why. */
export function renderDoctor(view: DoctorView, theme: Theme): string {
  const sections = [`${theme.bold('tenon doctor')} ${separator(theme)} ${printable(view.root)}`];
  for (const matrix of view.matrices) sections.push(matrixText(matrix, theme));
  if (view.findings.length > 0) sections.push(renderFindings(view.findings, theme));
  if (view.state === 'not-set-up') {
    const text = 'Nothing is set up here. Start with tenon setup <integration>.';
    sections.push(wrap(accentCommands(text, theme), theme.width, '  ', `${theme.accent(theme.glyph.dot)} `));
  }
  sections.push(summary(view, theme));
  return `${sections.join('\n\n')}\n`;
}

/** As many coding tools beside each other as a line has room for, the others below under the same parts. */
function matrixText(matrix: DoctorMatrix, theme: Theme): string {
  const head = theme.bold(printable(matrix.integration));
  const parts = [head, ...matrix.rows.map(({ part }) => `  ${part}`)];
  const columns = matrix.runtimes.map((id) => [
    theme.dim(id),
    ...matrix.rows.map(({ cells }) => {
      const cell = cells[id];
      if (cell === undefined) return theme.dim(none(theme));
      return `${statusGlyph(cell.status, theme)}${cell.note === undefined ? '' : ` ${printable(cell.note)}`}`;
    }),
  ]);
  const widthOf = (cells: readonly string[]) => Math.max(...cells.map(visibleLength));
  const bands: string[][][] = [];
  let left = 0;
  for (const column of columns) {
    left -= GAP + widthOf(column);
    const band = bands.at(-1);
    if (band !== undefined && left >= 0) band.push(column);
    else {
      bands.push([column]);
      left = theme.width - widthOf(parts) - GAP - widthOf(column);
    }
  }
  const texts = (bands.length === 0 ? [[]] : bands).map((band) =>
    table(
      parts.map((part, row) => [part, ...band.map((column) => column[row] ?? '')]),
      GAP,
    ),
  );
  return texts.join('\n\n');
}

/** The glyph of a check; a skipped one is never the glyph of a pass. */
export function statusGlyph(status: Status, theme: Theme): string {
  switch (status) {
    case 'pass':
      return theme.ok(theme.glyph.ok);
    case 'warn':
      return theme.warn(theme.glyph.warn);
    case 'fail':
      return theme.fail(theme.glyph.fail);
    case 'skip':
      return theme.dim(theme.glyph.dot);
  }
}

function summary(view: DoctorView, theme: Theme): string {
  const count = (status: Status) => view.checks.filter((check) => check.status === status).length;
  const made = view.checks.length - count('skip');
  const reasons = view.checks
    .filter((check) => check.status === 'skip' && check.idle !== true)
    .map((check) => `${check.title}: ${check.message}`);
  const idle = view.checks.filter((check) => check.idle === true).length;
  const left = [...new Set(reasons), ...(idle === 0 ? [] : [`${idle} with nothing to look at`])].map(
    printable,
  );
  const counts = `${made} checked: ${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail`;
  if (left.length === 0) return counts;
  const skipped = `${counts}; ${count('skip')} skipped`;
  if (left.length === 1) return wrap(`${skipped} (${left.join()})`, theme.width, '  ', '');
  const lines = left.map((line) => wrap(line, theme.width, '    ', '  '));
  return `${theme.bold('Not checked')}\n${lines.join('\n')}\n\n${skipped}`;
}
