import type { ErrorCode } from '../errors/error.ts';
import { Spans } from './spans.ts';

/** Where a text stops being TOML, and why. Thrown by the readers of this format and caught by its scanner. */
export class NoToml {
  readonly at: number | undefined;
  readonly message: string;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  constructor(
    at: number | undefined,
    message: string,
    more: { readonly code?: ErrorCode; readonly hint?: string } = {},
  ) {
    this.at = at;
    this.message = message;
    this.code = more.code ?? 'config/malformed';
    this.hint = more.hint;
  }
}

const NO_CONTROL = 'a control character is not allowed here';
const NO_CHARACTER = 'a character stands where none is allowed';
export const NO_SIGN = 'a sign stands where none is allowed';
const OPEN_STRING = 'a string is not closed';
const UNDERSCORE = 'an underscore may only stand between digits';
const PATHS = "Write a Windows path in single quotes ('C:\\Users\\me') or double each backslash.";

/** One part of a key: its text without quotes is `[start, end)`; `isEscaped` when that holds escapes. */
export interface KeyPart {
  start: number;
  end: number;
  isEscaped: boolean;
  /** Where the part itself begins, quotes included. */
  at: number;
}

/**
 * Reads the lexical parts of a TOML 1.1 text, which holds no carriage return without a line feed. Nothing is decoded
 * or copied: a part is where it stands. `at` is where the next one is read. Every method throws {@link NoToml}.
 */
export class TomlLexer {
  readonly text: string;
  readonly comments = new Spans();
  at = 0;
  /** The parts of the last key that was read are the first `partCount` of these. */
  readonly parts: KeyPart[] = [];
  partCount = 0;
  readonly #keepsComments: boolean;

  constructor(text: string, at = 0, keepsComments = true) {
    this.text = text;
    this.at = at;
    this.#keepsComments = keepsComments;
  }

  /** The character that comes next; NaN at the end of the text. */
  code(): number {
    return this.text.charCodeAt(this.at);
  }

  get isEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Whether the line ends here. */
  get isLineEnd(): boolean {
    const code = this.code();
    return code === 10 || code === 13 || this.isEnd;
  }

  skipBlanks(): void {
    while (this.code() === 32 || this.code() === 9) this.at += 1;
  }

  /** Skips white space, line ends and comments. */
  skipVoid(): void {
    for (;;) {
      const code = this.code();
      if (code === 32 || code === 9 || code === 10 || code === 13) this.at += 1;
      else if (code === 35) this.comment();
      else return;
    }
  }

  comment(): void {
    const start = this.at;
    while (!this.isLineEnd) {
      if (isControl(this.code())) throw new NoToml(this.at, NO_CONTROL);
      this.at += 1;
    }
    if (this.#keepsComments) this.comments.push(start, this.at);
  }

  /** Reads a key, plain or dotted, up to the first sign behind it and the blanks around it. */
  key(): void {
    this.partCount = 0;
    for (;;) {
      this.#part();
      this.skipBlanks();
      if (this.code() !== 46) return;
      const dot = this.at;
      this.at += 1;
      this.skipBlanks();
      if (this.code() === 46) throw new NoToml(dot, 'two dots follow each other in a key');
      if (!isBareKey(this.code()) && this.code() !== 34 && this.code() !== 39)
        throw new NoToml(dot, 'a key ends with a dot');
    }
  }

  #part(): void {
    const at = this.at;
    const code = this.code();
    let start = at;
    let end = at;
    let isEscaped = false;
    if (code === 34 || code === 39) {
      if (this.text.charCodeAt(at + 1) === code && this.text.charCodeAt(at + 2) === code)
        throw new NoToml(at, 'a string on several lines is no key');
      isEscaped = this.#line(code);
      start += 1;
      end = this.at - 1;
    } else {
      while (isBareKey(this.code())) this.at += 1;
      end = this.at;
      if (end === at) throw new NoToml(at, isSign(code) ? NO_SIGN : NO_CHARACTER);
    }
    const part = this.parts[this.partCount];
    if (part === undefined) this.parts.push({ start, end, isEscaped, at });
    else {
      part.start = start;
      part.end = end;
      part.isEscaped = isEscaped;
      part.at = at;
    }
    this.partCount += 1;
  }

  /** Reads a string, of one line or several. */
  string(): void {
    const { text } = this;
    const code = this.code();
    if (text.charCodeAt(this.at + 1) === code && text.charCodeAt(this.at + 2) === code) this.#lines(code);
    else this.#line(code);
  }

  /** A string on one line; whether it holds escapes. */
  #line(quote: number): boolean {
    let isEscaped = false;
    this.at += 1;
    for (;;) {
      const code = this.code();
      if (this.isLineEnd) throw new NoToml(this.at, OPEN_STRING);
      if (code === quote) break;
      if (isControl(code)) throw new NoToml(this.at, NO_CONTROL);
      if (code === 92 && quote === 34) {
        isEscaped = true;
        this.#escape(false);
      } else this.at += 1;
    }
    this.at += 1;
    return isEscaped;
  }

  #lines(quote: number): void {
    const { text, at: start } = this;
    this.at += 3;
    for (;;) {
      const code = this.code();
      if (this.isEnd) throw new NoToml(start, OPEN_STRING);
      if (code === quote && text.charCodeAt(this.at + 1) === quote && text.charCodeAt(this.at + 2) === quote)
        break;
      if (code !== 10 && code !== 13 && isControl(code)) throw new NoToml(this.at, NO_CONTROL);
      if (code === 92 && quote === 34) this.#escape(true);
      else this.at += 1;
    }
    // Up to two quotes before the closing three belong to the string.
    let end = this.at + 3;
    while (end < this.at + 5 && text.charCodeAt(end) === quote) end += 1;
    if (text.charCodeAt(end) === quote)
      throw new NoToml(this.at, 'more quotes than five stand at the end of a string');
    this.at = end;
  }

  #escape(isMultiline: boolean): void {
    const { text, at: start } = this;
    const code = text.charCodeAt(start + 1);
    const digits = code === 120 ? 2 : code === 117 ? 4 : code === 85 ? 8 : 0;
    if (digits > 0) {
      let value = 0;
      for (let at = start + 2; at < start + 2 + digits; at += 1) {
        const digit = hexValue(text.charCodeAt(at));
        if (digit < 0) throw noEscape(start);
        value = value * 16 + digit;
      }
      if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        throw new NoToml(start, 'an escape names no character');
      this.at = start + 2 + digits;
    } else if (isShortEscape(code)) this.at = start + 2;
    else if (isMultiline) {
      // A backslash at the end of a line takes the line end and the white space behind it along.
      this.at = start + 1;
      this.skipBlanks();
      if (this.code() !== 10 && this.code() !== 13) throw noEscape(start);
      while (this.code() === 32 || this.code() === 9 || this.code() === 10 || this.code() === 13)
        this.at += 1;
    } else throw noEscape(start);
  }

  /** Reads a value that is no string, array or table: boolean, number, date or time. */
  scalar(): void {
    const { at } = this;
    const code = this.code();
    if (code === 116) this.#word('true');
    else if (code === 102) this.#word('false');
    else if (code === 110) this.#word('nan');
    else if (code === 105) this.#word('inf');
    else if (code === 43 || code === 45) {
      this.at += 1;
      if (this.code() === 110) this.#word('nan');
      else if (this.code() === 105) this.#word('inf');
      else this.#number(at);
    } else if (!isDigit(code)) throw new NoToml(at, NO_CHARACTER);
    else if (digitsFrom(this.text, at, 4) && this.text.charCodeAt(at + 4) === 45) this.#date();
    else if (digitsFrom(this.text, at, 2) && this.text.charCodeAt(at + 2) === 58) this.#time();
    else this.#number(at);
  }

  #word(word: string): void {
    if (!this.text.startsWith(word, this.at)) throw new NoToml(this.at, NO_CHARACTER);
    this.at += word.length;
  }

  #number(start: number): void {
    const { text } = this;
    const isSigned = this.at > start;
    if (this.code() === 48) {
      const next = text.charCodeAt(this.at + 1);
      const base = next === 120 ? 16 : next === 111 ? 8 : next === 98 ? 2 : 0;
      if (base > 0) {
        if (isSigned) throw new NoToml(this.at + 1, NO_CHARACTER);
        this.at += 2;
        this.#digits(base);
        this.#fits(start, this.at);
        return;
      }
      if (isDigit(next) || next === 95) throw new NoToml(start, 'a number begins with a needless zero');
      this.at += 1;
    } else this.#digits(10);
    let isInteger = true;
    if (this.code() === 46) {
      isInteger = false;
      this.at += 1;
      this.#digits(10);
    }
    if ((this.code() | 32) === 101) {
      isInteger = false;
      this.at += 1;
      if (this.code() === 43 || this.code() === 45) this.at += 1;
      this.#digits(10);
    }
    if (isInteger) this.#fits(start, this.at);
  }

  /** TOML 1.0: implementations must keep 64-bit integers; clients that parse strictly refuse larger ones. */
  #fits(start: number, end: number): void {
    // No shorter spelling, underscores aside, is too large.
    if (end - start < 18) return;
    const spelling = this.text.slice(start, end).replaceAll('_', '').replace(/^\+/, '');
    const value = spelling.startsWith('-') ? -BigInt(spelling.slice(1)) : BigInt(spelling);
    if (!fitsInt64(value)) throw new NoToml(start, `the integer ${value} does not fit in 64 bits`);
  }

  /** One digit or more, with single underscores between them. */
  #digits(base: number): void {
    if (this.code() === 95) throw new NoToml(this.at, UNDERSCORE);
    if (!isDigitOf(this.code(), base)) throw new NoToml(this.at, NO_CHARACTER);
    for (;;) {
      this.at += 1;
      if (this.code() === 95) {
        this.at += 1;
        if (!isDigitOf(this.code(), base)) throw new NoToml(this.at, UNDERSCORE);
      } else if (!isDigitOf(this.code(), base)) return;
    }
  }

  #date(): void {
    const { text, at: start } = this;
    const year = Number(text.slice(start, start + 4));
    this.at = start + 5;
    const month = this.#two();
    this.#sign(45);
    const day = this.#two();
    if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
      throw new NoToml(this.at - 1, 'a date does not exist');
    const isTime = (this.code() | 32) === 116 || (this.code() === 32 && digitsFrom(text, this.at + 1, 2));
    if (!isTime) return;
    this.at += 1;
    this.#time();
    if ((this.code() | 32) === 122) this.at += 1;
    else if (this.code() === 43 || this.code() === 45) {
      this.at += 1;
      const hour = this.#two();
      this.#sign(58);
      const minute = this.#two();
      if (hour > 23 || minute > 59) throw new NoToml(this.at - 1, 'a time does not exist');
    }
  }

  /** A time of day; TOML 1.1 lets the seconds be left out. */
  #time(): void {
    const hour = this.#two();
    this.#sign(58);
    const minute = this.#two();
    let second = 0;
    const hasSeconds = this.code() === 58;
    if (hasSeconds) {
      this.at += 1;
      second = this.#two();
    }
    if (hour > 23 || minute > 59 || second > 60) throw new NoToml(this.at - 1, 'a time does not exist');
    if (hasSeconds && this.code() === 46) {
      this.at += 1;
      if (!isDigit(this.code())) throw new NoToml(this.at, NO_CHARACTER);
      while (isDigit(this.code())) this.at += 1;
    }
  }

  #two(): number {
    const { at, text } = this;
    for (const offset of [at, at + 1])
      if (!isDigit(text.charCodeAt(offset))) throw new NoToml(offset, NO_CHARACTER);
    this.at += 2;
    return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
  }

  #sign(code: number): void {
    if (this.code() !== code) throw new NoToml(this.at, NO_CHARACTER);
    this.at += 1;
  }
}

const noEscape = (at: number): NoToml =>
  new NoToml(at, 'a backslash in a double-quoted string begins no known escape', { hint: PATHS });

export const fitsInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function digitsFrom(text: string, offset: number, count: number): boolean {
  for (let at = offset; at < offset + count; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

const isDigitOf = (code: number, base: number): boolean =>
  base === 16 ? hexValue(code) >= 0 : code >= 48 && code < 48 + base;

function hexValue(code: number): number {
  if (isDigit(code)) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

export const isBareKey = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95 || code === 45;

/** = . , [ ] { } */
export const isSign = (code: number): boolean =>
  code === 61 || code === 46 || code === 44 || code === 91 || code === 93 || code === 123 || code === 125;

const isControl = (code: number): boolean => (code < 32 && code !== 9) || code === 127;

/** b t n f r e " \ */
const isShortEscape = (code: number): boolean =>
  code === 98 ||
  code === 116 ||
  code === 110 ||
  code === 102 ||
  code === 114 ||
  code === 101 ||
  code === 34 ||
  code === 92;

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
