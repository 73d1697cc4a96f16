import { describe, expect, it } from 'vitest';
import type { Piece } from '../../../src/formats/json-prove.ts';
import {
  proveCreated,
  proveEmptied,
  proveInsert,
  proveRemoval,
  proveUpdate,
  withoutSpans,
  withPieces,
} from '../../../src/formats/json-prove.ts';
import type { JsonBranch } from '../../../src/formats/json-scan.ts';
import { scanDocument } from '../../../src/formats/json-scan.ts';
import type { Span } from '../../../src/formats/spans.ts';
import type { Json } from '../../../src/lib/json.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const documentOf = (text: string) => {
  const document = unwrap(scanDocument(text));
  const { root } = document;
  if (root?.kind !== 'object' && root?.kind !== 'array') throw new Error('no branch');
  return { document, root: root as JsonBranch };
};

const insert = (
  text: string,
  pieces: Piece[],
  value: Json,
  after = withPieces(text, pieces),
  key = 'oak',
) => {
  const { document, root } = documentOf(text);
  return proveInsert(document, root, 0, after, pieces, { key, value });
};

const remove = (text: string, index: number, cuts: Span[], after = withoutSpans(text, cuts)) => {
  const { document, root } = documentOf(text);
  return proveRemoval(document, root, index, after, cuts);
};

describe('the proof of an insertion', () => {
  const text = '{"a": 1 /* c */}';
  const good = [
    { at: 7, text: ',' },
    { at: 15, text: ' "oak": 2' },
  ];

  it('holds for the right edit', () => {
    const { text: part, child } = unwrap(insert(text, good, 2));
    expect(part.slice(child.start, child.end)).toBe('"oak": 2');
  });

  it.each<[string, Piece[], Json, string | undefined, RegExp]>([
    ['another value', good, 3, undefined, /new entry reads differently/],
    ['a byte changed elsewhere', good, 2, '{"a": 9, /* c */ "oak": 2}', /bytes of the file/],
    ['a byte lost at the end', good, 2, '{"a": 1, /* c */ "oak": 2', /bytes of the file/],
    ['a missing comma', [{ at: 15, text: ' "oak": 2' }], 2, undefined, /does not read again/],
    ['a changed neighbour', [{ at: 7, text: '0, "oak": 2' }], 2, undefined, /neighbour/],
    ['a second entry', [{ at: 7, text: ', "elm": 1, "oak": 2' }], 2, undefined, /neighbour/],
    ['a comment of its own', [{ at: 7, text: ', /* d */ "oak": 2' }], 2, undefined, /comment/],
    [
      'a comment that swallows',
      [{ at: 7, text: ', "oak": 2 //' }],
      2,
      undefined,
      /does not read again|comment/,
    ],
    [
      'an object closed too early',
      [{ at: 7, text: ', "oak": 2}, {"b": 1' }],
      2,
      undefined,
      /does not read again/,
    ],
    ['a name that is there', [{ at: 7, text: ', "a": 2' }], 2, undefined, /new entry/],
  ])('fails for %s', (_, pieces, value, after, reason) => {
    const fault = faultOf(insert(text, pieces, value, after, reason.source === 'new entry' ? 'a' : 'oak'));
    expect(fault.code).toBe('edit/unprovable');
    expect(fault.message).toMatch(reason);
  });

  it('fails where strict JSON would not stay strict', () => {
    expect(faultOf(insert('{"a": 1}', [{ at: 7, text: ', "oak": 2,' }], 2)).message).toMatch(/second parser/);
    expect(insert('{"a": 1,}', [{ at: 8, text: ' "oak": 2,' }], 2).ok).toBe(true);
  });
});

describe('the proof of a removal', () => {
  const text = '{"a": 1, /* c */ "oak": 2, "z": 3}';
  const at = text.indexOf('"oak"');

  it('holds for the right edit', () => {
    expect(unwrap(remove(text, 1, [{ start: at - 1, end: at + 9 }]))).toBe(true);
  });

  it.each<[string, Span[], RegExp]>([
    ['a comment cut', [{ start: 8, end: at + 9 }], /not exactly the entry/],
    ['a neighbour cut', [{ start: at, end: text.length - 1 }], /not exactly the entry/],
    [
      'two commas cut',
      [
        { start: 7, end: 8 },
        { start: at, end: at + 9 },
      ],
      /not exactly the entry/,
    ],
    ['half of it cut', [{ start: at, end: at + 6 }], /not exactly the entry/],
    ['its comma left', [{ start: at, end: at + 8 }], /does not read again/],
    ['nothing cut', [], /not exactly the entry/],
  ])('fails for %s', (_, cuts, reason) => {
    const fault = faultOf(remove(text, 1, cuts));
    expect(fault.code).toBe('edit/unprovable');
    expect(fault.message).toMatch(reason);
  });

  it('fails where two comments would run together', () => {
    const lines = '{"a": 1, // c\n"oak": 2 // d\n}';
    const cuts = [
      { start: 7, end: 8 },
      { start: 13, end: 22 },
    ];
    expect(withoutSpans(lines, cuts)).toBe('{"a": 1 // c // d\n}');
    expect(faultOf(remove(lines, 1, cuts)).message).toMatch(/comment changed/);
  });

  it('fails for a text that is not the cut one', () => {
    const cuts = [{ start: at - 1, end: at + 9 }];
    const forged = withoutSpans(text, cuts).replace('"z": 3', '"z": 4');
    expect(faultOf(remove(text, 1, cuts, forged)).message).toMatch(/neighbour|bytes/);
  });
});

describe('the proof of an update', () => {
  const text = '{"a": 1, "oak": {"x": 1 /* c */}, "z": 3}';
  const { document, root } = documentOf(text);
  const entry = root.children[1]?.value;
  const prove = (after: string, value: Json) => {
    if (entry === undefined) throw new Error('no entry');
    return proveUpdate(document, entry, 1, after, value, false);
  };

  it.each<[string, string, Json, RegExp | undefined]>([
    ['holds', text.replace('"x": 1', '"x": 2'), { x: 2 }, undefined],
    ['fails for another value', text.replace('"x": 1', '"x": 2'), { x: 3 }, /reads differently/],
    [
      'fails for a byte outside',
      text.replace('"x": 1', '"x": 2').replace('3}', '4}'),
      { x: 2 },
      /bytes around/,
    ],
    ['fails for a lost comment', text.replace('1 /* c */', '2'), { x: 2 }, /stands inside/],
    ['fails for a broken text', text.replace('"x": 1', '"x": '), { x: 2 }, /does not read again/],
  ])('%s', (_, after, value, reason) => {
    const proved = prove(after, value);
    expect(proved.ok ? undefined : proved.fault.message).toEqual(
      reason === undefined ? undefined : expect.stringMatching(reason),
    );
  });
});

describe('the proofs of a whole document', () => {
  it('hold for what was asked, and fail for anything else', () => {
    const document = unwrap(scanDocument('// c\n'));
    const piece = { at: 5, text: '{"oak": 1}\n' };
    const after = withPieces(document.text, [piece]);
    expect(proveCreated(document, after, piece, { oak: 1 }).ok).toBe(true);
    expect(faultOf(proveCreated(document, after, piece, { oak: 2 })).code).toBe('edit/unprovable');
    expect(faultOf(proveCreated(document, `${after} `, piece, { oak: 1 })).message).toMatch(
      /bytes of the file/,
    );

    const { document: full, root } = documentOf(after);
    const cut = { start: 5, end: after.length };
    expect(proveEmptied(full, root, '// c\n', cut).ok).toBe(true);
    expect(faultOf(proveEmptied(full, root, '', { start: 0, end: after.length })).code).toBe(
      'edit/unprovable',
    );
    const { document: inner, root: commented } = documentOf('{"oak": 1 /* mine */}');
    expect(faultOf(proveEmptied(inner, commented, '', commented)).message).toMatch(/comment changed/);
  });
});
