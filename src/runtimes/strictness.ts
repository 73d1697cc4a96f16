import type { DisplayPath, FileRules } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { Position } from '../formats/format.ts';
import { type JsonNode, scanDocument } from '../formats/json-scan.ts';
import { positionAt } from '../formats/text-lines.ts';
import type { FileSpecData } from './schema.ts';

/** Something of a file's text that its client does not read. */
export interface Oddity {
  readonly kind: 'bom' | 'comment' | 'trailing-comma';
  readonly at: Position;
}

const WORDS: Readonly<Record<Oddity['kind'], string>> = {
  bom: 'a byte-order mark',
  comment: 'a comment',
  'trailing-comma': 'a trailing comma',
};

/** The first oddity of each kind. A malformed text has none: that is a fault of its own. JSON only. */
export function odditiesOf(text: string, bom: boolean, rules: Pick<FileRules, 'reads' | 'bom'>): Oddity[] {
  const found: Oddity[] = [];
  if (bom && rules.bom === 'rejected') found.push({ kind: 'bom', at: { offset: 0, line: 1, column: 1 } });
  if (rules.reads === 'jsonc') return found;
  const scanned = scanDocument(text);
  if (!scanned.ok || scanned.value.strict) return found;
  const [comment] = scanned.value.comments;
  if (comment !== undefined && rules.reads === 'strict') {
    found.push({ kind: 'comment', at: positionAt(text, comment.start) });
  }
  const comma = scanned.value.root === undefined ? undefined : trailingComma(scanned.value.root);
  if (comma !== undefined) found.push({ kind: 'trailing-comma', at: positionAt(text, comma) });
  return found;
}

/** Offset of the first comma behind a last member or item. */
function trailingComma(root: JsonNode): number | undefined {
  const commas: number[] = [];
  const open: JsonNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!('children' in node)) continue;
    const last = node.children.at(-1);
    if (last !== undefined && last.comma >= 0) commas.push(last.comma);
    open.push(...node.children.map(({ value }) => value));
  }
  return commas.length === 0 ? undefined : commas.reduce((a, b) => Math.min(a, b));
}

/** Why a client would not read a text with these rules: one clause, or undefined. For the engine (contract, section 7). */
export function refusedByClient(text: string, bom: boolean, rules: FileRules): string | undefined {
  const all = odditiesOf(text, bom, rules);
  if (all.length === 0) return undefined;
  const parts = all.map(({ kind, at }) => (kind === 'bom' ? WORDS.bom : `${WORDS[kind]} in line ${at.line}`));
  return `it takes no ${parts.map((part) => part.replace(/^a /u, '')).join(' and no ')}`;
}

const EFFECT: Readonly<Record<FileSpecData['onInvalid'], string>> = {
  'drops-file': 'so it ignores the whole file',
  'refuses-to-start': 'so it refuses to start',
  'rewrites-file': 'so it replaces the file',
  'drops-entry': 'so it may ignore a part of the file',
  unknown: 'so it may not read the file',
};

/** Findings of doctor about a file as its client reads it. `path` and `title` name the file and the runtime. */
export function strictness(
  text: string,
  bom: boolean,
  file: Pick<FileSpecData, 'reads' | 'bom' | 'onInvalid'>,
  at: { readonly path: DisplayPath; readonly title: string },
): Finding[] {
  const losesFile = ['drops-file', 'refuses-to-start', 'rewrites-file'].includes(file.onInvalid);
  return odditiesOf(text, bom, file).map(({ kind, at: { line, column } }) => ({
    code: 'config/not-read',
    severity: losesFile ? 'error' : 'warning',
    subject: at.path,
    message: `${at.title} takes no ${WORDS[kind].replace(/^a /u, '')} (${at.path}:${line}:${column}), ${EFFECT[file.onInvalid]}`,
    remedy: { text: `take out ${WORDS[kind]} in line ${line}` },
    data: { line, column, dropsFile: losesFile },
  }));
}
