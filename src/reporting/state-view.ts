import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderFindings } from './findings-view.ts';
import { accentCommands, wrap } from './text.ts';
import type { Theme } from './types.ts';

/** The result of `state`: sentences, one a line. */
export function renderState(lines: readonly string[], findings: readonly Finding[], theme: Theme): string {
  const sentences = lines.map((line) => {
    const [, indent = '', text = ''] = /^( *)(.*)$/su.exec(line) ?? [];
    return wrap(accentCommands(printable(text), theme), theme.width, `${indent}  `, indent);
  });
  const parts = [sentences.join('\n'), renderFindings(findings, theme).trimEnd()];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
