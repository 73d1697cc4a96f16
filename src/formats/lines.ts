import type { Json } from '../lib/json.ts';
import type { Edit, Format, Place, Result } from './format.ts';
import { bad, edited, good } from './outcome.ts';
import {
  findConflict,
  findNul,
  type Line,
  lastLineEnd,
  openEnd,
  positionAt,
  splitLines,
} from './text-lines.ts';

/**
 * Lists of patterns, one a line (`.gitignore`). Rules of the file: gitignore(5): `#` begins a comment, trailing spaces
 * count only when escaped, a CR before the line end and a byte-order mark are ignored, `!` negates, the last match wins.
 */
export const linesFormat: Format = {
  id: 'lines',
  parse(text) {
    const lines = splitLines(text);
    const fault = findNul(text) ?? findConflict(text, lines);
    if (fault !== undefined) return { ok: false, fault };
    const patterns = lines.map((line) => patternOf(text, line)).filter((pattern) => pattern !== '');
    return good(patterns.length === 0 ? undefined : patterns);
  },
  read(text, place) {
    const target = checkPlace(place);
    if (!target.ok) return target;
    const found = find(text, target.value);
    if (!found.ok) return found;
    const line = found.value.exact ?? found.value.equal;
    if (line === undefined) return good({ state: 'absent' });
    return good({ state: 'present', value: target.value, at: positionAt(text, line.start) });
  },
  insert(text, place, value, context) {
    const target = checkPlace(place, value);
    if (!target.ok) return target;
    const found = find(text, target.value);
    if (!found.ok) return found;
    const known = found.value.exact ?? found.value.equal;
    if (known !== undefined)
      return bad('edit/unprovable', 'an equal line is already there', { at: positionAt(text, known.start) });
    const end = openEnd(text);
    if (end !== undefined) return { ok: false, fault: end };
    const eol = lastLineEnd(text) ?? context.eol ?? '\n';
    if (text === '' || text.endsWith('\n')) return edited(`${text}${target.value}${eol}`, { form: 'line' });
    return edited(`${text}${eol}${target.value}`, { form: 'tail' });
  },
  update(text, place, change) {
    const target = checkPlace(place);
    if (!target.ok) return target;
    const next = checkPlace(place, change.set.get('') ?? '', 'any');
    if (!next.ok) return next;
    const line = findExact(text, target.value);
    if (line === undefined) return notFound(text, target.value);
    return edited(text.slice(0, line.start) + next.value + text.slice(line.end));
  },
  remove(text, place, context) {
    const target = checkPlace(place);
    if (!target.ok) return target;
    const line = findExact(text, target.value);
    if (line === undefined) return notFound(text, target.value);
    const isTail = context.trace?.['form'] === 'tail' || line.next === line.end;
    if (isTail && line.start > 0) {
      const before = text[line.start - 2] === '\r' ? line.start - 2 : line.start - 1;
      return edited(text.slice(0, before) + text.slice(line.end));
    }
    return edited(text.slice(0, line.start) + text.slice(line.next));
  },
  snippet: (_place, value) => String(value),
  locate(text, path) {
    if (path.length === 0) return text === '' ? undefined : positionAt(text, 0);
    const line = path.length === 1 ? findExact(text, path[0] ?? '') : undefined;
    return line === undefined ? undefined : positionAt(text, line.start);
  },
};

/** The pattern of a line as git sees it; '' for a blank line or a comment. */
function patternOf(text: string, line: Line): string {
  const content = text.slice(line.start, line.end);
  if (content.startsWith('#')) return '';
  let end = content.length;
  while (content[end - 1] === ' ') end -= 1;
  // Of the blanks at the end an escaped one counts: after an odd number of backslashes.
  let slashes = 0;
  while (content[end - 1 - slashes] === '\\') slashes += 1;
  return content.slice(0, end < content.length && slashes % 2 === 1 ? end + 1 : end);
}

/** `.x`, `.x/`, `/.x` and `/.x/` ask for the same folder, so each of them makes another one needless. */
const normalForm = (pattern: string): string => pattern.replace(/^\//, '').replace(/\/$/, '');

interface Found {
  readonly exact: Line | undefined;
  readonly equal: Line | undefined;
}

/** The last line that is the pattern, and the last that asks for the same. A negation after them is a fault. */
function find(text: string, pattern: string): Result<Found> {
  const lines = splitLines(text);
  const fault = findNul(text) ?? findConflict(text, lines);
  if (fault !== undefined) return { ok: false, fault };
  const wanted = normalForm(pattern);
  let exact: Line | undefined;
  let equal: Line | undefined;
  let negated: Line | undefined;
  for (const line of lines) {
    const content = patternOf(text, line);
    if (content.startsWith('!')) {
      if (normalForm(content.slice(1)) === wanted) negated = line;
      continue;
    }
    if (content === '' || normalForm(content) !== wanted) continue;
    equal = line;
    negated = undefined;
    if (content === pattern) exact = line;
  }
  if (negated !== undefined) {
    return bad(
      'lines/negated',
      `the line ${JSON.stringify(text.slice(negated.start, negated.end))} takes this pattern back`,
      {
        at: positionAt(text, negated.start),
        hint: 'Remove that line, or leave this pattern out.',
      },
    );
  }
  return good({ exact, equal });
}

/** The last line that is the pattern, whatever else stands in the file. */
const findExact = (text: string, pattern: string): Line | undefined =>
  splitLines(text).findLast((line) => patternOf(text, line) === pattern);

function notFound(text: string, pattern: string): Result<Edit> {
  const found = find(text, pattern);
  const equal = found.ok ? found.value.equal : undefined;
  if (equal === undefined) return bad('edit/unprovable', 'the line is not in this file');
  return bad('edit/unprovable', 'an equal line in another spelling is there, and it may be someone else’s', {
    at: positionAt(text, equal.start),
  });
}

/** The line of a place (and, for an insertion, that the value is this line). */
function checkPlace(place: Place, value?: Json, which: 'same' | 'any' = 'same'): Result<string> {
  if (place.kind !== 'line') return bad('edit/unsupported', `a list of lines holds no ${place.kind}`);
  const line = value ?? place.line;
  if (typeof line !== 'string' || (which === 'same' && line !== place.line))
    return bad('edit/unsupported', 'the value of a line must be the line itself');
  if (line === '' || /[\r\n\0]/.test(line) || /^[#! ]/.test(line) || line.endsWith(' '))
    return bad(
      'edit/unsupported',
      'a pattern must be one line, no comment, no negation, and have no space at its ends',
    );
  return good(line);
}
