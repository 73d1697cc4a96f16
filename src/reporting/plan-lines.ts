import type { Action, Conflict, FilePlan, Op, Plan } from '../engine/types.ts';
import type { Place } from '../formats/format.ts';
import { printable } from '../lib/printable.ts';
import { pad, plural, size, visibleLength, wrap } from './text.ts';
import type { Theme } from './types.ts';

const SIGNS: Readonly<Record<Action, string>> = {
  create: '+',
  restore: '+',
  update: '~',
  merge: '~',
  replace: '~',
  remove: '-',
  reuse: '=',
  keep: '=',
  refresh: '.',
  forget: '.',
};

const NAME_WIDTH = 30;

/** Ops that change something, or that a reader must know of; what merely stays is only counted. */
export const isShown = (op: Op): boolean => op.action !== 'keep' && op.action !== 'refresh';

/** Where in its file a thing stands, as people name it: `mcpServers.vera`, `hooks.SessionStart[+1]`, `block vera`. */
function placeName(place: Place, count: number, sign: string): string {
  switch (place.kind) {
    case 'file':
      return '';
    case 'key':
      return count === 1 ? dotted(place.path) : `${dotted(place.path.slice(0, -1))} (${count} rules)`;
    case 'item':
      return `${dotted(place.path)}[${sign === '-' ? '-' : sign === '~' ? '~' : '+'}${count}]`;
    case 'block':
      return `block ${place.id}`;
    case 'line':
      return `line ${place.line}`;
  }
}

const dotted = (path: readonly string[]): string =>
  path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join('.');

/**
 * Items of one list with the same action and class are one line (`permissions.ask[+7]`), and so are rules that are
 * members of one object (`permission (7 rules)`).
 */
function groupItems(ops: readonly Op[]): Op[][] {
  const groups = new Map<string, Op[]>();
  for (const op of ops) {
    const key = groupKey(op) ?? `one ${op.id}`;
    groups.set(key, [...(groups.get(key) ?? []), op]);
  }
  return [...groups.values()];
}

function groupKey(op: Op): string | undefined {
  const { place } = op.target;
  const rest = `${op.action} ${op.classes.join()}`;
  if (place.kind === 'item') return `item ${rest} ${JSON.stringify(place.path)}`;
  const isRule = place.kind === 'key' && place.path.length > 1 && op.classes.join() === 'grants';
  return isRule ? `rule ${rest} ${JSON.stringify(place.path.slice(0, -1))}` : undefined;
}

function paint(sign: string, text: string, theme: Theme): string {
  if (sign === '+') return theme.add(text);
  if (sign === '-') return theme.del(text);
  return sign === '~' ? theme.warn(text) : theme.dim(text);
}

/** One or more ops as a line: sign, place, class, what it starts, connects to or grants; the reason where it is no plain addition. */
export function opLine(ops: readonly Op[], file: FilePlan | undefined, theme: Theme): string {
  const [op] = ops;
  if (op === undefined) return '';
  const sign = SIGNS[op.action];
  const isFile = op.target.place.kind === 'file';
  const name = isFile ? wholeFile(op, file) : placeName(op.target.place, ops.length, sign);
  const classes = op.classes.join(', ');
  const head = `    ${paint(sign, `${sign} ${pad(printable(name), NAME_WIDTH)}`, theme)} ${classes.padEnd(9)}  `;
  const summaries = [...new Set(ops.map((one) => one.summary))];
  const says =
    summaries.length > 3 ? [...summaries.slice(0, 2), `and ${summaries.length - 2} more`] : summaries;
  const indent = ' '.repeat(8);
  const text = printable(says.join('; ') || op.reason);
  const line =
    visibleLength(head) + text.length <= theme.width
      ? head + text
      : `${head.trimEnd()}\n${wrap(text, theme.width, indent)}`;
  if (op.action === 'create' || op.reason === '' || op.summary === '') return line;
  return `${line.trimEnd()}\n${wrap(theme.dim(printable(op.reason)), theme.width, indent)}`;
}

function wholeFile(op: Op, file: FilePlan | undefined): string {
  if (op.action === 'remove') return 'the file';
  const bytes = file?.result?.length;
  return `${op.action === 'create' ? 'new file' : 'the file'}${bytes === undefined ? '' : `, ${size(bytes)}`}`;
}

/** `9 to create, 0 to update, 0 to remove, 0 conflicts`, and what stays as it is. */
export function countsText(plan: Plan): string {
  const count = (...actions: Action[]) => plan.ops.filter((op) => actions.includes(op.action)).length;
  const parts = [
    `${count('create', 'restore')} to create`,
    `${count('update', 'merge', 'replace')} to update`,
    `${count('remove')} to remove`,
    plural(plan.conflicts.length, 'conflict'),
  ];
  const kept = count('keep', 'refresh');
  if (kept > 0) parts.push(`${kept} as they are`);
  return parts.join(', ');
}

/** The changes of one file under its path. */
export function fileBlock(
  path: string,
  ops: readonly Op[],
  file: FilePlan | undefined,
  theme: Theme,
): string {
  const to = file?.leadsTo === undefined ? '' : `: ${printable(file.leadsTo)}`;
  const outside = file?.outside === true ? `  ${theme.warn(`outside the repository${to}`)}` : '';
  const lines = groupItems(ops.filter(isShown)).map((group) => opLine(group, file, theme));
  if (lines.length === 0 && file !== undefined) lines.push(recordLine(file, theme));
  return lines.length === 0 ? '' : [`  ${theme.bold(printable(path))}${outside}`, ...lines].join('\n');
}

/** A file that no op stands for: the manifest. */
function recordLine(file: FilePlan, theme: Theme): string {
  const words = { create: '+ new file', edit: '~ changed', delete: '- removed' } as const;
  const word = words[file.action];
  return `    ${paint(word.charAt(0), word, theme)}`;
}

/** A conflict: where, why, and each way out. */
export function conflictBlock(conflict: Conflict, theme: Theme): string {
  const address = printable(conflict.address);
  const lines = [
    wrap(printable(conflict.message), theme.width, '      ', `  ${theme.fail('!')} ${theme.bold(address)}  `),
    `      ${theme.dim(conflict.code)}`,
    wrap(`Fix: ${printable(conflict.remedy)}`, theme.width, '           ', '      '),
  ];
  for (const choice of conflict.choices) {
    const flag =
      choice === 'force' ? `--force ${quoted(address)}` : `--resolve ${quoted(`${address}=${choice}`)}`;
    // Where the remedy names the flags itself, they are not told twice.
    if (!says(conflict.remedy, flag)) lines.push(`      ${theme.accent(flag)}`);
  }
  if (conflict.snippet !== undefined) {
    lines.push('      By hand:', ...conflict.snippet.split('\n').map((line) => `        ${printable(line)}`));
  }
  return lines.join('\n');
}

const says = (remedy: string, flag: string): boolean =>
  remedy.replaceAll("'", '').includes(flag.replaceAll("'", ''));

const quoted = (word: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
