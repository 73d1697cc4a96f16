import { printableLines } from '../lib/printable.ts';
import {
  commonLines,
  countFeeds,
  diffLines,
  type LineEdit,
  type LineRange,
  linesOf,
  splitLines,
} from './line-diff.ts';
import type { Theme } from './types.ts';

const CONTEXT = 3;

/**
 * A unified diff in git's form, with three lines of context; without a mask `git apply` takes it. `before` undefined is
 * a created file, `after` undefined a deleted one; empty text when nothing differs (after masking). `mask` gives the lines
 * of a range of a text with no secret in them, as many as there were: both texts are masked before they are compared, what
 * differs between them and the lines around it, and nothing else of them gets into the diff. `mode`: permission bits of a
 * created or deleted file.
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
  mask: Mask = (text, _path, range) => linesOf(text, range),
  mode = 0o644,
): string {
  const { edits, first } = differing(path, before ?? '', after ?? '', mask);
  const isSame = edits.every((edit) => edit.kind === 'same');
  if (isSame && before !== undefined && after !== undefined) return '';
  const gitMode = (mode & 0o100) === 0 ? '100644' : '100755';
  const lines = [`diff --git ${quotePath(`a/${path}`)} ${quotePath(`b/${path}`)}`];
  if (before === undefined) lines.push(`new file mode ${gitMode}`);
  if (after === undefined) lines.push(`deleted file mode ${gitMode}`);
  if (!isSame) {
    lines.push(
      `--- ${before === undefined ? '/dev/null' : headerPath(`a/${path}`)}`,
      `+++ ${after === undefined ? '/dev/null' : headerPath(`b/${path}`)}`,
    );
  }
  return `${lines.join('\n')}\n${hunks(edits, first).map(renderHunk).join('')}`;
}

type Mask = (text: string, path: string, range: LineRange) => string;

/** The edits of the lines that differ and of those around them; `first` is the number of lines before them. */
function differing(
  path: string,
  before: string,
  after: string,
  mask: Mask,
): { edits: LineEdit[]; first: number } {
  const { head, tail } = commonLines(before, after);
  const linesBefore = countFeeds(before, 0, before.length) + 1;
  const linesAfter = countFeeds(after, 0, after.length) + 1;
  // What is masked can be the same as what is not: then the lines that differ lie elsewhere than in the texts, and are to
  // have their context there. A hunk with too little of it at its end is one for the end of a file.
  for (let around = CONTEXT; ; around *= 2) {
    const from = Math.max(0, head - around);
    const cut = Math.max(0, tail - around);
    const shown = (text: string, lines: number) => splitLines(mask(text, path, { from, to: lines - cut }));
    const edits = diffLines(shown(before, linesBefore), shown(after, linesAfter));
    const first = edits.findIndex(({ kind }) => kind !== 'same');
    const last = edits.findLastIndex(({ kind }) => kind !== 'same');
    const isWhole = (from === 0 || first >= CONTEXT) && (cut === 0 || edits.length - 1 - last >= CONTEXT);
    if (first < 0 || isWhole) return { edits, first: from };
  }
}

/** git quotes names with controls, quotes and backslashes as C strings; other characters may stand as they are. */
function quotePath(path: string): string {
  const isPlain = [...path].every(
    (char) => (char.codePointAt(0) ?? 0) >= 0x20 && !'"\\\u007f'.includes(char),
  );
  if (isPlain) return path;
  const escaped = [...path].map((char) => {
    const code = char.codePointAt(0) ?? 0;
    if (char === '"' || char === '\\') return `\\${char}`;
    return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, '0')}` : char;
  });
  return `"${escaped.join('')}"`;
}

/** In the lines `---` and `+++` a tab ends a name that holds blanks. */
function headerPath(path: string): string {
  const quoted = quotePath(path);
  return quoted === path && path.includes(' ') ? `${path}\t` : quoted;
}

interface Hunk {
  oldStart: number;
  newStart: number;
  edits: LineEdit[];
}

function hunks(edits: readonly LineEdit[], first: number): Hunk[] {
  const result: Hunk[] = [];
  const changed = edits.flatMap((edit, index) => (edit.kind === 'same' ? [] : [index]));
  let oldLine = first + 1;
  let newLine = first + 1;
  let index = 0;
  let open: { hunk: Hunk; until: number } | undefined;
  let next = 0;
  for (; index < edits.length; index++) {
    const edit = edits[index] as LineEdit;
    while ((changed[next] ?? Number.POSITIVE_INFINITY) < index) next += 1;
    const upcoming = changed[next];
    const inReach = upcoming !== undefined && upcoming - index <= CONTEXT;
    if (inReach && open === undefined) {
      open = { hunk: { oldStart: oldLine, newStart: newLine, edits: [] }, until: upcoming + CONTEXT };
      result.push(open.hunk);
    }
    if (open !== undefined) {
      if (inReach) open.until = Math.max(open.until, upcoming + CONTEXT);
      if (index <= open.until) open.hunk.edits.push(edit);
      if (index >= open.until && !inReach) open = undefined;
    }
    if (edit.kind !== 'add') oldLine += 1;
    if (edit.kind !== 'del') newLine += 1;
  }
  return result;
}

const SIGN = { same: ' ', del: '-', add: '+' } as const;

function renderHunk(hunk: Hunk): string {
  const oldCount = hunk.edits.filter((edit) => edit.kind !== 'add').length;
  const newCount = hunk.edits.filter((edit) => edit.kind !== 'del').length;
  const range = (start: number, count: number) => {
    const first = count === 0 ? start - 1 : start;
    return count === 1 ? `${first}` : `${first},${count}`;
  };
  const lines = hunk.edits.map(({ kind, line }) =>
    line.endsWith('\n') ? `${SIGN[kind]}${line}` : `${SIGN[kind]}${line}\n\\ No newline at end of file\n`,
  );
  return `@@ -${range(hunk.oldStart, oldCount)} +${range(hunk.newStart, newCount)} @@\n${lines.join('')}`;
}

/**
 * A diff for the screen: coloured, harmless, at most `limit` lines (0: all); `whole` says what shows the rest. A carriage
 * return at line ends is shown only where some lines have it and others do not.
 */
export function renderDiff(diff: string, theme: Theme, limit = 0, whole = ''): string {
  if (diff === '') return '';
  const files = diff.replace(/\n$/, '').split(/^(?=diff --git )/m);
  const shown = files.flatMap((file) => fileLines(file.replace(/\n$/, ''), theme));
  if (limit === 0 || shown.length <= limit) return shown.join('\n');
  return [
    ...shown.slice(0, limit),
    theme.dim(`(${shown.length - limit} more lines${whole === '' ? '' : `; ${whole}`})`),
  ].join('\n');
}

function fileLines(diff: string, theme: Theme): string[] {
  const lines = diff.split('\n').filter((line) => !line.startsWith('diff --git '));
  const body = lines.filter((line) => /^[ +-]/.test(line) && !/^(---|\+\+\+) /.test(line));
  const isCrlf = body.length > 0 && body.every((line) => line.endsWith('\r'));
  return lines.map((line) => paintLine(printableLines(isCrlf ? line.replace(/\r$/, '') : line), theme));
}

function paintLine(line: string, theme: Theme): string {
  if (/^(---|\+\+\+) /.test(line)) return theme.bold(line.trimEnd());
  if (line.startsWith('@@')) return theme.accent(line);
  if (line.startsWith('+')) return theme.add(line);
  if (line.startsWith('-')) return theme.del(line);
  return /^(new|deleted) file mode|^\\/.test(line) ? theme.dim(line) : line;
}
