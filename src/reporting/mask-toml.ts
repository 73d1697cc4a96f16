import type { Masked } from './mask-json.ts';
import { maskLines, maskValue } from './mask-value.ts';

const SPACE = /[ \t\r]*/y;
const BLANK = /(?:\s|#[^\n]*)*/y;
const KEY_PART = /(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)/y;
const STRING = /"""[\s\S]*?(?:"{3,5}|$)|'''[\s\S]*?(?:'{3,5}|$)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const BARE = /[^\s,\]}#]+/y;

/**
 * TOML, tolerant: a line that cannot be read as TOML passes through the credential patterns. Masks the statements that reach
 * into `[from, to)`; those before are read for their table alone.
 */
export function maskToml(text: string, from = 0, to = text.length): Masked {
  return new TomlMasker(text).run(from, to);
}

/** One pass over the text; `at` is where it stands, `out` what it has written. */
class TomlMasker {
  private at = 0;
  private out = '';
  /** Nothing is masked: what is read is not wanted. */
  private isQuiet = false;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  run(from: number, to: number): Masked {
    let table: readonly string[] = [];
    let start = -1;
    while (this.at < this.text.length && this.at < to) {
      const begin = this.at;
      this.isQuiet = start < 0;
      let next = this.statement(table);
      if (this.isQuiet) {
        this.out = '';
        if (this.at > from) {
          // It reaches into the part that is wanted: once more, and masked.
          this.at = begin;
          this.isQuiet = false;
          start = begin;
          next = this.statement(table);
        }
      }
      table = next;
    }
    return { masked: this.out, at: start < 0 ? this.text.length : start };
  }

  /** What stands before a header or pair, itself, and the rest of its line. Gives the table that it stands in. */
  private statement(table: readonly string[]): readonly string[] {
    this.out += this.lines(this.take(BLANK));
    if (this.at >= this.text.length) return table;
    const start = this.at;
    const before = this.out;
    let next = table;
    if (this.text[this.at] === '[') {
      next = this.header() ?? table;
    } else if (!this.member(table)) {
      this.at = start;
      this.out = before;
    }
    this.restOfLine();
    return next;
  }

  private lines(text: string): string {
    return this.isQuiet ? text : maskLines(text);
  }

  private masked(value: string, path: readonly string[], before?: string): string {
    return this.isQuiet ? value : maskValue(value, path, before);
  }

  /** What the pattern matches here, which may be nothing. */
  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0] ?? '';
    this.at += match.length;
    return match;
  }

  private restOfLine(): void {
    this.out += this.lines(this.take(/[^\n]*/y));
  }

  private header(): string[] | undefined {
    const opening = this.take(/\[{1,2}/y);
    this.out += opening;
    return this.key();
  }

  private member(table: readonly string[]): boolean {
    const key = this.key();
    if (key === undefined || this.text[this.at] !== '=') return false;
    this.at += 1;
    this.out += `=${this.take(SPACE)}`;
    this.value([...table, ...key], undefined);
    return true;
  }

  /** A dotted key with the blanks around it, copied as it stands. */
  private key(): string[] | undefined {
    const parts: string[] = [];
    for (;;) {
      this.out += this.take(SPACE);
      const part = this.take(KEY_PART);
      if (part === '') return undefined;
      this.out += part + this.take(SPACE);
      parts.push(/^["']/.test(part) ? part.slice(1, -1) : part);
      if (this.text[this.at] !== '.') return parts;
      this.at += 1;
      this.out += '.';
    }
  }

  /** Returns the text of a string value, for the rule that `--token` makes the next element a secret. */
  private value(path: readonly string[], before: string | undefined): string | undefined {
    const char = this.text[this.at];
    if (char === '[') {
      this.list(path);
      return undefined;
    }
    if (char === '{') {
      this.inlineTable(path);
      return undefined;
    }
    const quoted = this.take(STRING);
    if (quoted === '') {
      const bare = this.take(BARE);
      const isWord = /^(true|false)$/.test(bare);
      this.out += isWord ? bare : this.masked(bare, path);
      return undefined;
    }
    const marks = /^("""|'''|"|')/.exec(quoted)?.[0] ?? '"';
    const body = quoted.slice(marks.length, Math.max(marks.length, quoted.length - marks.length));
    const masked = this.masked(body, path, before);
    this.out += masked === body ? quoted : marks + sameLines(body, masked) + marks;
    return body;
  }

  private list(path: readonly string[]): void {
    this.out += '[';
    this.at += 1;
    let last: string | undefined;
    for (;;) {
      this.out += this.lines(this.take(BLANK));
      const char = this.text[this.at];
      if (char === undefined) return;
      if (char === ']' || char === ',') {
        this.out += char;
        this.at += 1;
        if (char === ']') return;
        continue;
      }
      const start = this.at;
      last = this.value([...path, '0'], last);
      if (this.at === start) return;
    }
  }

  private inlineTable(path: readonly string[]): void {
    this.out += '{';
    this.at += 1;
    for (;;) {
      this.out += this.lines(this.take(BLANK));
      const char = this.text[this.at];
      if (char === undefined) return;
      if (char === '}' || char === ',') {
        this.out += char;
        this.at += 1;
        if (char === '}') return;
        continue;
      }
      const start = this.at;
      if (!this.member(path) || this.at === start) return;
    }
  }
}

/** A masked value with as many line ends as the value had. */
const sameLines = (body: string, masked: string): string => {
  const missing = body.split('\n').length - masked.split('\n').length;
  return masked + '\n'.repeat(Math.max(0, missing));
};
