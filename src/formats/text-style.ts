import type { Position, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import type { LineEnd } from './text-lines.ts';
import { positionAt } from './text-lines.ts';

/** A file as the formats want it: text without byte-order mark, and whether there was one. */
export interface DecodedText {
  readonly text: string;
  readonly bom: boolean;
}

const BOM = '\uFEFF';

/**
 * Bytes of a file to text. Strict UTF-8: a byte that is none would be written back as U+FFFD far from our own change,
 * so it is refused. One BOM is split off; UTF-16 and UTF-32 are named by their BOM or by the NULs of ASCII text.
 *
 * Fault: `config/encoding`.
 */
export function decodeText(bytes: Uint8Array): Result<DecodedText> {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) {
    return bad('config/encoding', `the file is encoded as ${wide}, not as UTF-8`, {
      at: { offset: 0, line: 1, column: 1 },
      hint: 'Convert it to UTF-8.',
    });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bad('config/encoding', 'a byte here is not valid UTF-8', {
      at: firstInvalid(bytes),
      hint: 'Save the file as UTF-8; it may be encoded as Latin-1 or Windows-1252.',
    });
  }
  const bom = text.startsWith(BOM);
  return good({ text: bom ? text.slice(1) : text, bom });
}

/** Inverse of {@link decodeText}: UTF-8, with a BOM in front where there was one. */
export function encodeText(text: string, bom: boolean): Uint8Array {
  return new TextEncoder().encode(bom ? BOM + text : text);
}

function wideEncoding(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'UTF-32' : 'UTF-16';
  if (a === 0xfe && b === 0xff) return 'UTF-16';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'UTF-32';
  // ASCII text in UTF-16 without a mark: every other byte is NUL.
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const nulAt = (parity: number): boolean => bytes[parity] === 0 && bytes[parity + 2] === 0;
  if ((nulAt(0) && b !== 0) || (nulAt(1) && a !== 0)) return 'UTF-16';
  return undefined;
}

/** Decoding a prefix fails exactly when it holds the first bad byte, so that byte is found by halving. */
function firstInvalid(bytes: Uint8Array): Position {
  const decodes = (length: number): string | undefined => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length), {
        stream: true,
      });
    } catch {
      return undefined;
    }
  };
  let good = 0;
  let broken = bytes.length + 1;
  while (broken - good > 1) {
    const middle = (good + broken) >> 1;
    if (decodes(middle) === undefined) broken = middle;
    else good = middle;
  }
  const text = decodes(good) ?? '';
  const clean = text.startsWith(BOM) ? text.slice(1) : text;
  return positionAt(clean, clean.length);
}

/** The blanks at the beginning of the line in which `offset` stands (only those before `offset`). */
export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  let end = start;
  while (end < offset && isBlank(text.charCodeAt(end))) end += 1;
  return text.slice(start, end);
}

/** Whether only blanks stand between the beginning of the line and `offset`. */
export function isFirstOnLine(text: string, offset: number): boolean {
  const at = skipBlanksBack(text, offset);
  return at > 0 && text.charCodeAt(at - 1) === 10;
}

/** Start of the run of spaces and tabs that ends at `offset`. */
export function skipBlanksBack(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** End of the run of spaces and tabs that begins at `offset`. */
export function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Start of the line end that finishes just before `offset`: of the CR of a CRLF; `offset` when there is none. */
export function lineEndStart(text: string, offset: number): number {
  if (text.charCodeAt(offset - 1) !== 10) return offset;
  return text.charCodeAt(offset - 2) === 13 ? offset - 2 : offset - 1;
}

/** The line end nearest before `offset` and not before `from`; undefined when there is none. */
export function lineEndBefore(text: string, offset: number, from = 0): LineEnd | undefined {
  const feed = offset <= 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  if (feed < from) return undefined;
  return text.charCodeAt(feed - 1) === 13 ? '\r\n' : '\n';
}

const isBlank = (code: number): boolean => code === 32 || code === 9;
