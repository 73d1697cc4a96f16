import { parseTree } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { scanDocument, scanValueAt } from '../../../src/formats/json-scan.ts';
import { nodeValue } from '../../../src/formats/json-tree.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const valueIn = (text: string) => {
  const { root } = unwrap(scanDocument(text));
  return root === undefined ? undefined : nodeValue(text, root);
};

describe('scanDocument', () => {
  it('reads comments, trailing commas and where everything stands', () => {
    const text = '// first\n{ "a": [1, 2,], /* in */ "b": {} } // last\n';
    const { root, comments, strict } = unwrap(scanDocument(text));
    expect(strict).toBe(false);
    expect(comments.all().map(({ start, end }) => text.slice(start, end))).toEqual([
      '// first',
      '/* in */',
      '// last',
    ]);
    if (root?.kind !== 'object') throw new Error('no object');
    const [a, b] = root.children;
    expect(text.slice(a?.start, a?.end)).toBe('"a": [1, 2,]');
    expect(text[a?.comma ?? -1]).toBe(',');
    expect(text.slice(b?.start, b?.end)).toBe('"b": {}');
    expect(b?.comma).toBe(-1);
    expect(text.slice(root.start, root.end)).toBe('{ "a": [1, 2,], /* in */ "b": {} }');
  });

  it.each([
    ['', undefined],
    [' \n\t', undefined],
    ['// only\n/* comments */', undefined],
    ['null', null],
    ['"a\\u0041\\n"', 'aA\n'],
    ['[1, -2.5e3, 9007199254740993, -9007199254740993]', [1, -2500, 9007199254740993n, -9007199254740993n]],
    ['{"a": 1, "a": 2}', { a: 2 }],
  ])('reads %j', (text, value) => {
    expect(valueIn(text)).toEqual(value);
  });

  it('keeps __proto__ and constructor as ordinary members', () => {
    const value = valueIn('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /comma or } is expected/],
    ['{"a": 1', 1, 8, /ends inside the object that begins at line 1/],
    ['["a"\n', 2, 1, /ends inside the array that begins at line 1/],
    ['{"a": }', 1, 7, /value is expected/],
    ['{"a" 1}', 1, 6, /colon is missing/],
    ["{'a': 1}", 1, 2, /double quotes/],
    ['{a: 1}', 1, 2, /double quotes/],
    ['[1,,2]', 1, 4, /value is expected/],
    ['{,}', 1, 2, /double quotes/],
    ['{"a": 1,, "b": 2}', 1, 9, /double quotes/],
    ['{} {}', 1, 4, /nothing may follow/],
    ['}', 1, 1, /value is expected/],
    ['{"a": tru}', 1, 7, /value is expected/],
    ['{"a": 01}', 1, 8, /comma or }/],
    ['{"a": 1.}', 1, 7, /number here is incomplete/],
    ['{"a": "x\n"}', 1, 7, /not closed on its line/],
    ['{"a": "\t"}', 1, 7, /control character/],
    ['{"a": "C:\\work"}', 1, 7, /begins no JSON escape/],
    ['{"a": "\\u12"}', 1, 7, /hexadecimal/],
    ['{} /* open', 1, 4, /never closed/],
    ['{"a": 1}\uFEFF', 1, 9, /nothing may follow/],
    ['{"a":\u00A01}', 1, 6, /value is expected/],
    ['\0', 1, 1, /value is expected/],
  ])('refuses %j at %i:%i', (text, line, column, reason) => {
    const fault = faultOf(scanDocument(text));
    expect(fault).toMatchObject({ code: 'config/malformed', at: { line, column } });
    expect(fault.message).toMatch(reason);
  });

  it('tells how to spell a Windows path', () => {
    expect(faultOf(scanDocument('{"a": "C:\\work"}')).hint).toMatch(/twice/);
  });

  it('names merge conflict markers and their line', () => {
    const text = '{\n  "m": {\n<<<<<<< HEAD\n    "a": 1\n=======\n    "a": 2\n>>>>>>> topic\n  }\n}\n';
    const fault = faultOf(scanDocument(text));
    expect(fault).toMatchObject({ code: 'config/merge-conflict', at: { line: 3, column: 1 } });
    expect(fault.message).toMatch(/line 3/);
  });

  it.each(['<<<<<<< HEAD', '=======', '>>>>>>> topic', '||||||| base'])(
    'knows a marker left behind: %s',
    (marker) => {
      const fault = faultOf(scanDocument(`{\n  "a": 1\n${marker}\n}\n`));
      expect(fault).toMatchObject({ code: 'config/merge-conflict', at: { line: 3 } });
    },
  );

  it('takes a banner in a comment for what it is', () => {
    expect(valueIn('/*\n=======\n Title\n=======\n*/\n{"a": 1}')).toEqual({ a: 1 });
  });

  it('refuses a conflict that a comment hides', () => {
    const text = '{ /*\n<<<<<<< HEAD\n*/ "a": 1, /*\n>>>>>>> topic\n*/ "b": 2 }';
    expect(faultOf(scanDocument(text)).code).toBe('config/merge-conflict');
  });

  it('refuses a lone carriage return and says where', () => {
    expect(faultOf(scanDocument('{\r\n"a": 1,\r"b": 2}'))).toMatchObject({
      code: 'config/line-ends',
      at: { line: 2, column: 8 },
    });
  });

  it('refuses what is nested too deep without a crash', () => {
    expect(faultOf(scanDocument('['.repeat(100_000)))).toMatchObject({ code: 'config/too-deep' });
    expect(faultOf(scanDocument(`${'{"a":'.repeat(501)}1${'}'.repeat(501)}`)).code).toBe('config/too-deep');
    expect(scanDocument('['.repeat(500) + ']'.repeat(500)).ok).toBe(true);
    expect(faultOf(scanDocument('[[1]]', 1)).code).toBe('config/too-deep');
  });
});

describe('scanValueAt', () => {
  it('reads one value and nothing behind it', () => {
    const text = '{"a": {"b": 1 /* c */}, broken';
    const { node, comments } = unwrap(scanValueAt(text, 6));
    expect(text.slice(node.start, node.end)).toBe('{"b": 1 /* c */}');
    expect(comments).toHaveLength(1);
  });
});

describe('agreement with jsonc-parser', () => {
  it.each([
    '{"a": {"b": [true, false, null, "x", -1e-3]}, "c": [{}, []]}',
    '{ // c\n"a": 1,\n/* d */ "b": [1,\n2,], }',
  ])('finds the same nodes in %j', (text) => {
    const { root } = unwrap(scanDocument(text));
    const flat: string[] = [];
    const visit = (node: NonNullable<typeof root>): void => {
      flat.push(`${node.kind}@${node.start}-${node.end}`);
      if ('children' in node) for (const child of node.children) visit(child.value);
    };
    if (root !== undefined) visit(root);
    const theirs: string[] = [];
    const walk = (node: NonNullable<ReturnType<typeof parseTree>>): void => {
      if (node.type === 'property') {
        const value = node.children?.[1];
        if (value !== undefined) walk(value);
        return;
      }
      const kind = node.type === 'boolean' ? String(node.value) : node.type;
      theirs.push(`${kind}@${node.offset}-${node.offset + node.length}`);
      for (const child of node.children ?? []) walk(child);
    };
    const tree = parseTree(text, [], { allowTrailingComma: true });
    if (tree !== undefined) walk(tree);
    expect(flat).toEqual(theirs);
  });
});
