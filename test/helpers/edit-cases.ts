import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Format, Place } from '../../src/formats/format.ts';
import { decodeText, encodeText } from '../../src/formats/text-style.ts';
import type { Json } from '../../src/lib/json.ts';
import { faultOf, unwrap } from './results.ts';

/**
 * One folder is one case: the bytes `before`, what `edit.json` asks for, and the bytes `after`. Taking the entry out
 * again must give `before`. A case that must be refused has `refused` in its edit.json and no `after`.
 */
interface EditCase {
  readonly place: Place;
  readonly value: Json;
  readonly refused?: { readonly code: string; readonly line: number; readonly column: number };
}

/** Declares the tests of every case below `test/formats/<name>/`. */
export function testCases(name: string, format: Format, atLeast: number): void {
  const folder = new URL(`../formats/${name}/`, import.meta.url);
  const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const bytesOf = (which: string, file: string): Uint8Array =>
    new Uint8Array(readFileSync(new URL(`${which}/${file}`, folder)));
  const show = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

  describe.each(cases.map((entry) => entry.name))(`${name}: %s`, (which) => {
    const edit = JSON.parse(show(bytesOf(which, 'edit.json'))) as EditCase;
    const { place, value, refused } = edit;
    const before = bytesOf(which, 'before');
    const { text, bom } = unwrap(decodeText(before));

    if (refused !== undefined) {
      it('is refused with reason and position', () => {
        const { code, line, column } = refused;
        expect(faultOf(format.insert(text, place, value, {}))).toMatchObject({ code, at: { line, column } });
      });
      return;
    }

    it('goes in as stated and out without a trace', () => {
      const added = unwrap(format.insert(text, place, value, {}));
      expect(show(encodeText(added.text, bom))).toBe(show(bytesOf(which, 'after')));
      expect(unwrap(format.read(added.text, place))).toMatchObject({ state: 'present', value });
      const back = unwrap(format.remove(added.text, place, added));
      expect(encodeText(back.text, bom)).toEqual(before);
      expect(back.containers).toEqual([]);
    });

    it('survives a change of all line ends in between', () => {
      const added = unwrap(format.insert(text, place, value, {}));
      const change = (whole: string): string =>
        text.includes('\r\n') ? whole.replaceAll('\r\n', '\n') : whole.replaceAll('\n', '\r\n');
      expect(unwrap(format.remove(change(added.text), place, added)).text).toBe(change(text));
    });
  });

  it(`finds the cases of ${name}`, () => {
    expect(cases.length).toBeGreaterThanOrEqual(atLeast);
  });
}
