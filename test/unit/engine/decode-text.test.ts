import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/engine/decode-text.ts';

const bytes = (...parts: (string | number)[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])),
  );
const faultOf = (content: Uint8Array) => {
  const decoded = decodeText(content);
  return 'fault' in decoded ? decoded.fault : undefined;
};

describe('the text of a file', () => {
  test.each<[Uint8Array, string, boolean]>([
    [bytes(), '', false],
    [bytes('aé✓😀\r\n'), 'aé✓😀\r\n', false],
    [bytes('\ufeffa'), 'a', true],
    [bytes('\ufeff'), '', true],
    [bytes('\ufeff\ufeffa'), '\ufeffa', true],
    [bytes('a\ufeff'), 'a\ufeff', false],
    [bytes('a\ufffd'), 'a\ufffd', false],
    [bytes('\ufb00'), '\ufb00', false],
  ])('%#: mark and text are told apart', (content, text, bom) => {
    expect(decodeText(content)).toEqual({ text, bom });
  });

  test.each([[bytes(0xff, 0xfe, 'a', 0)], [bytes(0xfe, 0xff, 0, 'a')]])(
    'in UTF-16 is refused with what to do',
    (content) => {
      expect(decodeText(content)).toEqual({
        fault: 'is UTF-16, convert to UTF-8',
        remedy: 'Save the file as UTF-8.',
      });
    },
  );

  test.each([[bytes(0xff, 'a')], [bytes(0xfe, 'a')], [bytes(0xff, 0xff)], [bytes('a', 0xfe)]])(
    'with one byte of a mark of UTF-16 is no UTF-16',
    (content) => {
      expect(faultOf(content)).not.toContain('UTF-16');
    },
  );

  test.each<[Uint8Array, string]>([
    [bytes('ab\ncd', 0, 'e'), 'line 2, column 3 (byte 5)'],
    [bytes(0), 'line 1, column 1 (byte 0)'],
    [bytes('\ufeffa', 0), 'line 1, column 5 (byte 4)'],
  ])('with a NUL byte says where', (content, where) => {
    expect(faultOf(content)).toBe(`holds a NUL byte at ${where}, so it is no text`);
  });

  test.each<[Uint8Array, string]>([
    [bytes('ab\n', 0xff), '0xFF at line 2, column 1 (byte 3)'],
    [bytes('é', 0x80), '0x80 at line 1, column 3 (byte 2)'],
    [bytes('✓😀\n\n', 0xc3), '0xC3 at line 3, column 1 (byte 9)'],
    [bytes('a', 0xe2, 0x9c), '0xE2 at line 1, column 2 (byte 1)'],
    [bytes('a', 0xf0, 0x9f, 0x98), '0xF0 at line 1, column 2 (byte 1)'],
    [bytes('a', 0xc0, 0xaf), '0xC0 at line 1, column 2 (byte 1)'],
    [bytes('a', 0xed, 0xa0, 0x80), '0xED at line 1, column 2 (byte 1)'],
    [bytes('\ufeff\n', 0xe9, 'x'), '0xE9 at line 2, column 1 (byte 4)'],
    [bytes(0x0a, 0xff), '0xFF at line 2, column 1 (byte 1)'],
    [bytes('\u0905', 0xff), '0xFF at line 1, column 4 (byte 3)'],
    [bytes('\u{10000}', 0xff), '0xFF at line 1, column 5 (byte 4)'],
  ])('that is no UTF-8 says which byte and where: %#', (content, where) => {
    expect(decodeText(content)).toEqual({
      fault: `is not UTF-8: byte ${where}`,
      remedy: 'Save the file as UTF-8.',
    });
  });
});
