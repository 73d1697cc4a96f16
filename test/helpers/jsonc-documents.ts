import { createScanner } from 'jsonc-parser';
import type { Json } from '../../src/lib/json.ts';
import { setOwn } from '../../src/lib/json.ts';
import fc from './fc.ts';

/** White space and comments that may stand between two tokens. */
const trivia = fc.constantFrom(
  ' ',
  '  ',
  '\t',
  '\n',
  '\n\n',
  '\n      ',
  ' // it\'s "odd", {1,}\n',
  '// x\n\t',
  '/* in */',
  ' /* two\nlines */ ',
  '/**/',
);

export interface Insertion {
  /** Chooses the boundary. */
  readonly pick: number;
  readonly text: string;
  /** Behind an insertion of the editor at the same place, or before it. */
  readonly behind: boolean;
}

export const insertions = (maxLength: number): fc.Arbitrary<Insertion[]> =>
  fc.array(fc.record({ pick: fc.nat(10_000), text: trivia, behind: fc.boolean() }), { maxLength });

/** Offsets at which white space or a comment may be put: not inside a token, not at the end of a line comment. */
export function boundaries(text: string): number[] {
  const scanner = createScanner(text, false);
  const offsets = new Set<number>();
  let isAfterLineComment = false;
  for (;;) {
    const token: number = scanner.scan();
    const start = scanner.getTokenOffset();
    if (token === 14 || token === 15) {
      isAfterLineComment = false;
      continue;
    }
    if (!isAfterLineComment) offsets.add(start);
    if (token === 17) break;
    isAfterLineComment = token === 12;
    if (!isAfterLineComment) offsets.add(scanner.getPosition());
  }
  return [...offsets].sort((a, b) => a - b);
}

/** The offsets of a text that a list of insertions chooses, one insertion for each, first ones first. */
export function placed(text: string, list: readonly Insertion[]): { at: number; insertion: Insertion }[] {
  const offsets = boundaries(text);
  const chosen = new Map<number, Insertion>();
  for (const insertion of list) {
    const at = offsets[insertion.pick % Math.max(1, offsets.length)];
    if (at !== undefined) chosen.set(at, insertion);
  }
  return [...chosen].map(([at, insertion]) => ({ at, insertion })).sort((a, b) => a.at - b.at);
}

export function sprinkle(text: string, list: readonly Insertion[]): string {
  let result = text;
  for (const { at, insertion } of placed(text, list).toReversed()) {
    result = result.slice(0, at) + insertion.text + result.slice(at);
  }
  return result;
}

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    -1.5,
    30,
    '',
    'x',
    '// no comment',
    '"',
    '{,}',
    'ä😀',
    '\u2028',
  ),
  fc.integer(),
  fc.string({ maxLength: 6 }),
);

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', 'x y', 'a/b', '~', '') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString') },
);

const objectOf = (value: fc.Arbitrary<Json>, maxLength: number): fc.Arbitrary<Json> =>
  fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength }).map((members) => {
    const object = {};
    for (const [key, member] of members) setOwn(object, key, member);
    return object;
  });

const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: objectOf(tie('value'), 3) },
  ),
}));

export { anyValue };

/** Values as integrations have them. */
export const entryValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: objectOf(anyValue, 4) },
  { weight: 1, arbitrary: anyValue },
);

const lineEnds = fc.constantFrom<'lf' | 'crlf' | 'mixed'>('lf', 'lf', 'crlf', 'mixed');

function withLineEnds(text: string, kind: 'lf' | 'crlf' | 'mixed'): string {
  if (kind === 'lf') return text;
  let count = 0;
  return text.replaceAll('\n', () => {
    count += 1;
    return kind === 'crlf' || count % 2 === 0 ? '\r\n' : '\n';
  });
}

/** Puts a comma before some closing brackets that follow a value. */
function withTrailingCommas(text: string, every: number): string {
  if (every === 0) return text;
  const scanner = createScanner(text, true);
  const offsets: number[] = [];
  let count = 0;
  let previous = 0;
  let previousEnd = 0;
  for (let token: number = scanner.scan(); token !== 17; token = scanner.scan()) {
    const closes = token === 2 || token === 4;
    if (closes && previous !== 1 && previous !== 3) {
      count += 1;
      if (count % every === 0) offsets.push(previousEnd);
    }
    previous = token;
    previousEnd = scanner.getPosition();
  }
  return offsets.reduceRight((result, at) => `${result.slice(0, at)},${result.slice(at)}`, text);
}

/**
 * JSONC texts whose root is an object: written in several ways, with comments and white space anywhere, trailing
 * commas, either line end or both, with and without a final newline. `servers` is absent or an object, `list` absent
 * or an array; neither holds what the tests add.
 */
export const jsoncText: fc.Arbitrary<string> = fc
  .record({
    others: objectOf(anyValue, 3),
    servers: fc.option(objectOf(anyValue, 3), { nil: undefined }),
    list: fc.option(fc.array(anyValue, { maxLength: 3 }), { nil: undefined }),
    inFront: fc.boolean(),
    indent: fc.constantFrom<string | number>(2, 2, 4, '\t', 0, 1),
    commas: fc.constantFrom(0, 0, 0, 1, 2),
    noise: fc.oneof(fc.constant([]), insertions(2), insertions(12)),
    end: fc.constantFrom('', '\n', '\n', '\n\n'),
    lines: lineEnds,
  })
  .map(({ others, servers, list, inFront, indent, commas, noise, end, lines }) => {
    const root = {};
    const put = (): void => {
      if (servers !== undefined) setOwn(root, 'servers', servers);
      if (list !== undefined) setOwn(root, 'list', list);
    };
    if (inFront) put();
    for (const [key, member] of Object.entries(others as object)) setOwn(root, key, member);
    if (!inFront) put();
    const text = withTrailingCommas(JSON.stringify(root, undefined, indent), commas) + end;
    return withLineEnds(sprinkle(text, noise), lines);
  });

/** Texts without a value: empty, blank, comments only. */
export const emptyText: fc.Arbitrary<string> = fc
  .tuple(fc.array(trivia, { maxLength: 4 }), lineEnds, fc.boolean())
  .map(([parts, lines, cut]) => {
    const text = parts.join('');
    return withLineEnds(cut ? text.replace(/\n[ \t]*$/, '') : text, lines);
  });
