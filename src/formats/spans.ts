import { Ints } from './ints.ts';

/** A half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans in the order of a text, none of which overlap: the comments of a file. Kept as numbers. */
export class Spans {
  readonly #ends = new Ints();

  get length(): number {
    return this.#ends.length / 2;
  }

  push(start: number, end: number): void {
    this.#ends.push(start);
    this.#ends.push(end);
  }

  /** The span at an index; counted from the end when it is negative. Undefined where there is none. */
  at(index: number): Span | undefined {
    const own = index < 0 ? this.length + index : index;
    if (own < 0 || own >= this.length) return undefined;
    return { start: this.#ends.at(own * 2), end: this.#ends.at(own * 2 + 1) };
  }

  /** The spans that begin within `[from, to)`. */
  within(from: number, to: number): Span[] {
    const found: Span[] = [];
    const last = this.#ends.lowerBound(to, 2);
    for (let index = this.#ends.lowerBound(from, 2); index < last; index += 1)
      found.push({ start: this.#ends.at(index * 2), end: this.#ends.at(index * 2 + 1) });
    return found;
  }

  all(): Span[] {
    return this.within(0, Number.MAX_SAFE_INTEGER);
  }

  *[Symbol.iterator](): Generator<Span> {
    for (let index = 0; index < this.length; index += 1)
      yield { start: this.#ends.at(index * 2), end: this.#ends.at(index * 2 + 1) };
  }
}

/** Whether the texts of two lists of spans are the same, one by one. */
export function sameSpans(text: string, before: Spans, after: string, now: Spans): boolean {
  if (before.length !== now.length) return false;
  for (let index = 0; index < before.length; index += 1) {
    const a = before.at(index);
    const b = now.at(index);
    if (a === undefined || b === undefined) return false;
    if (text.slice(a.start, a.end) !== after.slice(b.start, b.end)) return false;
  }
  return true;
}
