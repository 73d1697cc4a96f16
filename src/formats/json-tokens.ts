import { createScanner } from 'jsonc-parser';
import { explainScanError } from './json-faults.ts';
import { Spans } from './spans.ts';

// The numbers of jsonc-parser, which declares them as ambient const enums that isolated modules cannot read.
export const T = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  unknown: 16,
  end: 17,
} as const;

/** A token that is broken in itself; `at` is where it begins. */
export class BrokenToken {
  readonly at: number;
  readonly reason: string;
  readonly hint: string | undefined;
  constructor(at: number, reason: string, hint: string | undefined) {
    this.at = at;
    this.reason = reason;
    this.hint = hint;
  }
}

/**
 * The tokens of a JSONC text, one after the other, without an object or a copy of text for any of them. What a well
 * formed text does not hold (a broken string, an odd number, a word) is left to jsonc-parser's scanner: it says what it is.
 */
export class Tokens {
  /** The comments that were passed, in order. */
  readonly comments = new Spans();
  /** Where the last token begins and ends. */
  start: number;
  end: number;
  readonly #text: string;
  readonly #keepsComments: boolean;

  constructor(text: string, from: number, keepsComments = true) {
    this.#text = text;
    this.start = from;
    this.end = from;
    this.#keepsComments = keepsComments;
  }

  /** Goes on behind `offset`. */
  skipTo(offset: number): void {
    this.end = offset;
  }

  /** Reads the next token that is no white space and no comment. Throws {@link BrokenToken}. */
  next(): number {
    const text = this.#text;
    for (;;) {
      let at = this.end;
      let code = text.charCodeAt(at);
      while (code === 32 || code === 10 || code === 9 || code === 13) {
        at += 1;
        code = text.charCodeAt(at);
      }
      this.start = at;
      const token = at >= text.length ? T.end : this.#token(code);
      if (token !== T.lineComment && token !== T.blockComment) return token;
      if (this.#keepsComments) this.comments.push(this.start, this.end);
    }
  }

  /** The last token, a string, decoded. */
  string(): string {
    const raw = this.#text.slice(this.start + 1, this.end - 1);
    return raw.includes('\\') ? (JSON.parse(this.#text.slice(this.start, this.end)) as string) : raw;
  }

  #token(code: number): number {
    switch (code) {
      case 123:
        return this.#sign(T.openBrace);
      case 125:
        return this.#sign(T.closeBrace);
      case 91:
        return this.#sign(T.openBracket);
      case 93:
        return this.#sign(T.closeBracket);
      case 44:
        return this.#sign(T.comma);
      case 58:
        return this.#sign(T.colon);
      case 34:
        return this.#string();
      case 47:
        return this.#comment();
      case 116:
        return this.#word('true', T.true);
      case 102:
        return this.#word('false', T.false);
      case 110:
        return this.#word('null', T.null);
      default:
        return code === 45 || isDigit(code) ? this.#number(code) : this.#other();
    }
  }

  #sign(token: number): number {
    this.end = this.start + 1;
    return token;
  }

  #string(): number {
    const text = this.#text;
    let at = this.start + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 34) break;
      if (code === 92) {
        const length = escapeLength(text, at);
        if (length === 0) return this.#other();
        at += length;
      } else if (code >= 32) at += 1;
      // A control character, or the end of the text.
      else return this.#other();
    }
    this.end = at + 1;
    return T.string;
  }

  #comment(): number {
    const text = this.#text;
    const next = text.charCodeAt(this.start + 1);
    if (next === 47) {
      let at = this.start + 2;
      while (at < text.length) {
        const code = text.charCodeAt(at);
        if (code === 10 || code === 13) break;
        at += 1;
      }
      this.end = at;
      return T.lineComment;
    }
    const close = next === 42 ? text.indexOf('*/', this.start + 2) : -1;
    if (close < 0) return this.#other();
    this.end = close + 2;
    return T.blockComment;
  }

  #word(word: string, token: number): number {
    const text = this.#text;
    const end = this.start + word.length;
    if (!text.startsWith(word, this.start) || (end < text.length && !endsWord(text.charCodeAt(end))))
      return this.#other();
    this.end = end;
    return token;
  }

  #number(first: number): number {
    const text = this.#text;
    let at = this.start + (first === 45 ? 1 : 0);
    const digit = text.charCodeAt(at);
    if (!isDigit(digit)) return this.#other();
    at = digit === 48 ? at + 1 : skipDigits(text, at + 1);
    if (text.charCodeAt(at) === 46) {
      if (!isDigit(text.charCodeAt(at + 1))) return this.#other();
      at = skipDigits(text, at + 2);
    }
    if ((text.charCodeAt(at) | 32) === 101) {
      const sign = text.charCodeAt(at + 1);
      at += sign === 43 || sign === 45 ? 2 : 1;
      if (!isDigit(text.charCodeAt(at))) return this.#other();
      at = skipDigits(text, at + 1);
    }
    this.end = at;
    return T.number;
  }

  #other(): number {
    const scanner = createScanner(this.#text, false);
    scanner.setPosition(this.start);
    const token: number = scanner.scan();
    const error: number = scanner.getTokenError();
    if (error !== 0) {
      const [reason, hint] = explainScanError(error);
      throw new BrokenToken(this.start, reason, hint);
    }
    this.end = scanner.getPosition();
    return token;
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function skipDigits(text: string, offset: number): number {
  let at = offset;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** How long the escape at an offset is; 0 when it is none. */
function escapeLength(text: string, offset: number): number {
  const code = text.charCodeAt(offset + 1);
  // u
  if (code === 117) {
    for (let at = offset + 2; at < offset + 6; at += 1) if (!isHex(text.charCodeAt(at))) return 0;
    return 6;
  }
  // " / \ b f n r t
  const isKnown =
    code === 34 ||
    code === 47 ||
    code === 92 ||
    code === 98 ||
    code === 102 ||
    code === 110 ||
    code === 114 ||
    code === 116;
  return isKnown ? 2 : 0;
}

const isHex = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102);

/** What cannot be part of a word: white space and the signs of JSON. */
const endsWord = (code: number): boolean =>
  code === 32 ||
  code === 9 ||
  code === 10 ||
  code === 13 ||
  code === 44 ||
  code === 125 ||
  code === 93 ||
  code === 58 ||
  code === 47 ||
  code === 123 ||
  code === 91 ||
  code === 34;
