import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { CATALOG, catalogEntry } from '../errors/catalog.ts';
import { TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { printable } from '../lib/printable.ts';
import { wrap } from '../reporting/text.ts';
import type { Outcome } from '../reporting/types.ts';

/**
 * `tenon explain <code>`: what a code means, why tenon says it, what to do; without a code all of them. Exit 2 for a
 * code that there is not.
 */
export async function run(_context: Context, args: CommandArgs): Promise<Outcome> {
  const [code] = args.positionals;
  if (code === undefined) return listAll();
  const entry = catalogEntry(code);
  if (entry === undefined) {
    const near = closest(code, Object.keys(CATALOG));
    throw new TenonError('usage/unknown-code', `There is no code "${printable(code.slice(0, 60))}".`, {
      exit: 2,
      remedy:
        near === undefined
          ? { text: 'Copy the code from the message; it has the form area/name.' }
          : { text: `Did you mean "${near}"?`, command: `tenon explain ${near}` },
    });
  }
  return {
    command: 'explain',
    exit: 0,
    data: { code, title: entry.title, explanation: entry.explain, exit: entry.exit ?? null },
    findings: [],
    human: (theme) =>
      [
        `${theme.bold(code)}  ${entry.title}`,
        '',
        wrap(entry.explain, theme.width),
        ...(entry.exit === undefined ? [] : ['', `Exit code ${entry.exit} when a command stops with it.`]),
      ].join('\n'),
  };
}

function listAll(): Outcome {
  const codes = Object.entries(CATALOG)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, entry]) => ({
      code,
      title: entry.title,
      explanation: entry.explain,
      exit: entry.exit ?? null,
    }));
  return {
    command: 'explain',
    exit: 0,
    data: { codes },
    findings: [],
    human: (theme) => {
      const column = Math.max(...codes.map(({ code }) => code.length)) + 2;
      return codes
        .map(({ code, title }) =>
          wrap(title, theme.width, ' '.repeat(column), theme.bold(code) + ' '.repeat(column - code.length)),
        )
        .join('\n');
    },
  };
}
