/** One reader and the places it reads, its own first. */
export interface ReaderOf {
  readonly id: string;
  /** Keys of places (real paths), the reader's own first; never empty. */
  readonly places: readonly string[];
}

/**
 * The fewest places such that every reader reads one. Among equally few: the ones that are most readers' own place,
 * then those that the fewest readers see twice, then the earliest in the lists. At most 20 distinct places are tried
 * exactly; beyond that every reader gets its own.
 */
export function coverReaders(readers: readonly ReaderOf[]): string[] {
  const places = [...new Set(readers.flatMap((reader) => reader.places))];
  if (places.length > 20) return [...new Set(readers.map((reader) => reader.places[0] ?? ''))];
  for (let size = 1; size <= places.length; size += 1) {
    const covers = [...subsets(places, size)].filter((chosen) =>
      readers.every((reader) => reader.places.some((place) => chosen.includes(place))),
    );
    const [best] = covers.sort((a, b) => compare(rank(a, readers), rank(b, readers)));
    if (best !== undefined) return best;
  }
  return [];
}

function rank(chosen: readonly string[], readers: readonly ReaderOf[]): number[] {
  const strangers = readers.filter((reader) => !chosen.includes(reader.places[0] ?? '')).length;
  const copies = readers.map((reader) => reader.places.filter((place) => chosen.includes(place)).length);
  const twice = copies.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  const order = readers.map((reader) => reader.places.findIndex((place) => chosen.includes(place)));
  return [strangers, twice, ...order];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function* subsets(items: readonly string[], size: number): Generator<string[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [index, item] of items.entries()) {
    for (const rest of subsets(items.slice(index + 1), size - 1)) yield [item, ...rest];
  }
}
