import type { ParseError } from 'jsonc-parser';
import { parseTree } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { jsonFormat } from '../../src/formats/json.ts';
import { scanDocument } from '../../src/formats/json-scan.ts';
import { canonicalJson, type Json } from '../../src/lib/json.ts';
import fc from '../helpers/fc.ts';
import { anyValue, jsoncText } from '../helpers/jsonc-documents.ts';
import { unwrap } from '../helpers/results.ts';

/** Texts that are nearly JSONC: parts of a document deleted, doubled or replaced. */
const damaged = fc
  .tuple(
    jsoncText,
    fc.array(
      fc.record({
        at: fc.nat(400),
        drop: fc.nat(3),
        put: fc.constantFrom(
          '',
          ',',
          '{',
          '}',
          '[',
          ']',
          '"',
          ':',
          '/',
          '*',
          '\\',
          '-',
          '1e',
          '0',
          'null',
          '\u0001',
          ' ',
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([text, cuts]) =>
    cuts.reduce((result, { at, drop, put }) => {
      const offset = at % (result.length + 1);
      return result.slice(0, offset) + put + result.slice(offset + drop);
    }, text),
  )
  .filter((text) => !/\r(?!\n)/.test(text));

function readsStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the scanner', () => {
  it('accepts exactly what jsonc-parser accepts, and calls strict what JSON.parse accepts', () => {
    const seen = { accepted: 0, refused: 0, strict: 0 };
    const property = fc.property(damaged, (text) => {
      const scanned = scanDocument(text);
      const errors: ParseError[] = [];
      parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
      if (scanned.ok !== (errors.length === 0)) throw new Error(`disagreement on ${JSON.stringify(text)}`);
      const strict = scanned.ok && scanned.value.strict;
      if (strict !== readsStrict(text)) throw new Error(`strictness of ${JSON.stringify(text)}`);
      seen[scanned.ok ? 'accepted' : 'refused'] += 1;
      if (strict) seen.strict += 1;
    });
    fc.assert(property, { numRuns: 5_000 });
    // A fiftieth of the runs, whatever their number: the generator reaches all three.
    const runs = seen.accepted + seen.refused;
    expect(Math.min(seen.accepted, seen.refused, seen.strict)).toBeGreaterThan(runs / 50);
  });

  it('reads any value that JSON.stringify writes', () => {
    const property = fc.property(anyValue, fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(canonicalJson(unwrap(jsonFormat.parse(text)) as Json)).toBe(canonicalJson(value));
    });
    fc.assert(property, { numRuns: 1_000 });
    expect.hasAssertions();
  });

  it('never throws, whatever the text', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const parsed = jsonFormat.parse(text);
      if (!parsed.ok) expect(parsed.fault.at?.offset).toBeLessThanOrEqual(text.length);
    });
    fc.assert(property, { numRuns: 2_000 });
    expect.hasAssertions();
  });
});
