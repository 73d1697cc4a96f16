import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { InsertContext, Place } from '../../src/formats/format.ts';
import { jsonFormat } from '../../src/formats/json.ts';
import { decodeText, encodeText } from '../../src/formats/text-style.ts';
import type { Json } from '../../src/lib/json.ts';
import { add, draft, take } from '../helpers/json-edits.ts';
import { faultOf, unwrap } from '../helpers/results.ts';

/**
 * One folder is one case: the bytes `before`, what `edit.json` asks for, and the bytes `after`. Taking the entry out
 * again must give `before`. A case that must be refused has `refused` in its edit.json and no `after`.
 */
interface EditCase {
  readonly place: Place;
  readonly value: Json;
  readonly context?: InsertContext;
  readonly refused?: {
    readonly code: string;
    readonly line: number;
    readonly column: number;
    readonly message: string;
  };
}

const folder = new URL('json/', import.meta.url);
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const bytesOf = (name: string, file: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`${name}/${file}`, folder)));

describe.each(cases.map(({ name }) => name))('%s', (name) => {
  const edit = JSON.parse(new TextDecoder().decode(bytesOf(name, 'edit.json'))) as EditCase;
  const before = bytesOf(name, 'before');
  const decoded = decodeText(before);

  if (edit.refused !== undefined) {
    const { code, message, line, column } = edit.refused;
    it('is refused with reason and place', () => {
      const result = decoded.ok ? jsonFormat.insert(decoded.value.text, edit.place, edit.value, {}) : decoded;
      expect(faultOf(result)).toMatchObject({ code, message, at: { line, column } });
    });
    return;
  }

  it('goes in as stated and out without a trace', () => {
    const { text, bom } = unwrap(decoded);
    const added = add(draft(text), edit.place, edit.value, edit.context);
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(encodeText(added.text, bom))).toBe(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(name, 'after')),
    );
    const back = take(added, edit.place, added.trace);
    expect(encodeText(back.text, bom)).toEqual(before);
    expect(back.containers).toEqual([]);
  });
});

it('finds the cases', () => {
  expect(cases.length).toBeGreaterThan(20);
});
