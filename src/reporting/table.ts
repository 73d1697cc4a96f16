import { pad, visibleLength } from './text.ts';

/**
 * Columns of text, each as wide as its widest cell; the last is not padded, and no line ends in blanks.
 * `gap` blanks stand between columns, `indent` before each line.
 */
export function table(rows: readonly (readonly string[])[], gap = 2, indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    }
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0),
      );
      return (indent + cells.join(' '.repeat(gap))).trimEnd();
    })
    .join('\n');
}
