import type { Finding } from '../errors/error.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

/** What an apply really changed, as the commands hand it over. */
export interface ChangedFacts {
  readonly files: readonly { readonly path: string; readonly action: string }[];
  readonly addresses: readonly string[];
  readonly gitAdd: string | undefined;
  readonly findings: readonly Finding[];
}

/** `✔ 9 changes in 5 files, each read back and proved.` and the line that stages them. */
export function renderChanged(changed: ChangedFacts, theme: Theme): string {
  const ok = theme.ok(theme.glyph.ok);
  if (changed.files.length === 0) return `${ok} Nothing to do: everything is as it should be.`;
  const changes = plural(Math.max(changed.addresses.length, 1), 'change');
  const line = `${ok} ${changes} in ${plural(changed.files.length, 'file')}, each read back and proved.`;
  return changed.gitAdd === undefined ? line : `${line}\n  ${theme.accent(shorten(changed.gitAdd, theme))}`;
}

/** Never cut, since it is there to be copied; broken with a backslash, as a shell reads it, never between flag and value. */
function shorten(command: string, theme: Theme): string {
  if (command.length + 2 <= theme.width || command.includes("'")) return command;
  const lines: string[] = [];
  let line = '';
  for (const part of command.split(/ (?=-)| (?<!--[a-z-]+ )/)) {
    if (line !== '' && line.length + part.length + 5 > theme.width) {
      lines.push(`${line} \\`);
      line = `  ${part}`;
    } else {
      line = line === '' ? part : `${line} ${part}`;
    }
  }
  return [...lines, line].join('\n  ');
}

/** A long command line for copying, indented; see above. */
export const commandLine = (command: string, theme: Theme): string =>
  `  ${theme.accent(shorten(command, theme))}`;
