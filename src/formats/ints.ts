/** Numbers are kept in pieces of this many: a list that grows copies nothing, and leaves nothing behind. */
const BITS = 11;
const PIECE = 1 << BITS;

/**
 * A list of 32-bit integers that grows: four bytes a number and nothing for a garbage collector to walk, where an array
 * of objects takes twenty times as much.
 */
export class Ints {
  readonly #pieces: Int32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The number at an index, which must be below the length: others are answered with 0. */
  at(index: number): number {
    const piece = this.#pieces[index >> BITS];
    return piece === undefined ? 0 : (piece[index & (PIECE - 1)] ?? 0);
  }

  set(index: number, value: number): void {
    const piece = this.#pieces[index >> BITS];
    if (piece !== undefined) piece[index & (PIECE - 1)] = value;
  }

  push(value: number): void {
    const index = this.#length;
    let piece = this.#pieces[index >> BITS];
    if (piece === undefined) {
      // Most lists are short.
      piece = new Int32Array(index === 0 ? 16 : PIECE);
      this.#pieces.push(piece);
    } else if (piece.length === index) {
      const longer = new Int32Array(piece.length * 2);
      longer.set(piece);
      this.#pieces[0] = longer;
      piece = longer;
    }
    piece[index & (PIECE - 1)] = value;
    this.#length += 1;
  }

  /** Index of the first number that is not below `value`, where every `step`-th number from the first on is in order. */
  lowerBound(value: number, step = 1): number {
    let low = 0;
    let high = this.#length / step;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle * step) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
