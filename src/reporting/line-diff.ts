export type LineEdit = { readonly kind: 'same' | 'del' | 'add'; readonly line: string };

/** Above this many differing lines the search stops and the middle is shown as replaced; cost grows with its square. */
const MAX_EDITS = 1500;

/** Lines with their ends (`\n`); the last one may have none. Empty text has no line. */
export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Lines of a text, counted from 0; `to` is not one of them and may lie behind the last. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Where the lines of a range begin and end in a text. */
export function offsetsOf(text: string, { from, to }: LineRange): { start: number; end: number } {
  let at = 0;
  let line = 0;
  const walk = (until: number): number => {
    for (; line < until && at < text.length; line += 1) {
      const feed = text.indexOf('\n', at);
      at = feed < 0 ? text.length : feed + 1;
    }
    return at;
  };
  const start = walk(from);
  return { start, end: walk(to) };
}

/** The lines of a range, with their ends. */
export function linesOf(text: string, range: LineRange): string {
  const { start, end } = offsetsOf(text, range);
  return text.slice(start, end);
}

/** How many line ends a part of a text holds. */
export function countFeeds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** How many whole lines two texts have in common at their beginning and at their end. */
export function commonLines(before: string, after: string): { head: number; tail: number } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1;
  // A line at the end is whole where the line end before it is in common too.
  return {
    head: countFeeds(before, 0, start),
    tail: countFeeds(before, before.length - end, before.length - 1),
  };
}

/** A shortest edit script between two lists of lines (Myers, "An O(ND) Difference Algorithm", 1986). */
export function diffLines(before: readonly string[], after: readonly string[]): LineEdit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (line: string): LineEdit => ({ kind: 'same', line });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): LineEdit[] {
  const path = before.length === 0 || after.length === 0 ? undefined : search(before, after);
  if (path !== undefined) return walk(before, after, path);
  return [
    ...before.map((line): LineEdit => ({ kind: 'del', line })),
    ...after.map((line): LineEdit => ({ kind: 'add', line })),
  ];
}

/** The furthest reaching points of every number of edits, until the end is reached; undefined above the limit. */
function search(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const limit = Math.min(before.length + after.length, MAX_EDITS);
  const reach = new Int32Array(2 * limit + 3);
  const centre = limit + 1;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reach.slice(centre - edits - 1, centre + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = stepsDown(reach, centre, diagonal, edits);
      let x = down ? (reach[centre + diagonal + 1] ?? 0) : (reach[centre + diagonal - 1] ?? 0) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach[centre + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
  }
  return undefined;
}

function stepsDown(reach: Int32Array, centre: number, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return (reach[centre + diagonal - 1] ?? 0) < (reach[centre + diagonal + 1] ?? 0);
}

function walk(before: readonly string[], after: readonly string[], trace: readonly Int32Array[]): LineEdit[] {
  const edits: LineEdit[] = [];
  let x = before.length;
  let y = after.length;
  for (let count = trace.length - 1; count >= 0; count--) {
    const reach = trace[count] ?? new Int32Array();
    const centre = count + 1;
    const diagonal = x - y;
    const down = stepsDown(reach, centre, diagonal, count);
    const fromDiagonal = down ? diagonal + 1 : diagonal - 1;
    const fromX = count === 0 ? 0 : (reach[centre + fromDiagonal] ?? 0);
    const fromY = count === 0 ? 0 : fromX - fromDiagonal;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      edits.push({ kind: 'same', line: before[x] ?? '' });
    }
    if (count === 0) break;
    if (down) {
      y -= 1;
      edits.push({ kind: 'add', line: after[y] ?? '' });
    } else {
      x -= 1;
      edits.push({ kind: 'del', line: before[x] ?? '' });
    }
  }
  return edits.reverse();
}
