import { describe, expect, it } from 'vitest';
import {
  decodeText,
  encodeText,
  isFirstOnLine,
  lineEndBefore,
  lineEndStart,
  lineIndent,
} from '../../../src/formats/text-style.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const bytes = (...parts: (number | string)[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])),
  );

describe('decodeText and encodeText', () => {
  it.each([
    ['plain', bytes('{"a": "ä€😀"}\n'), false],
    ['BOM', bytes(0xef, 0xbb, 0xbf, '{}\r\n'), true],
    ['empty', bytes(), false],
    ['BOM alone', bytes(0xef, 0xbb, 0xbf), true],
  ])('give the bytes back: %s', (_, input, bom) => {
    const decoded = unwrap(decodeText(input));
    expect(decoded.bom).toBe(bom);
    expect(decoded.text.startsWith('\uFEFF')).toBe(false);
    expect(encodeText(decoded.text, decoded.bom)).toEqual(input);
  });

  it('splits off one BOM only', () => {
    const twice = bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 'x');
    expect(unwrap(decodeText(twice)).text).toBe('\uFEFFx');
    expect(encodeText('\uFEFFx', true)).toEqual(twice);
  });

  it.each([
    ['UTF-16 little endian with a mark', bytes(0xff, 0xfe, '{', 0, '}', 0), 'UTF-16'],
    ['UTF-16 big endian with a mark', bytes(0xfe, 0xff, 0, '{', 0, '}'), 'UTF-16'],
    ['UTF-16 little endian', bytes('{', 0, '}', 0), 'UTF-16'],
    ['UTF-16 big endian', bytes(0, '{', 0, '}'), 'UTF-16'],
    ['UTF-32', bytes(0xff, 0xfe, 0, 0, '{', 0, 0, 0), 'UTF-32'],
  ])('name %s', (_, input, name) => {
    const fault = faultOf(decodeText(input));
    expect(fault).toMatchObject({ code: 'config/encoding', hint: 'Convert it to UTF-8.' });
    expect(fault.message).toContain(name);
  });

  it('say where the first bad byte stands', () => {
    expect(faultOf(decodeText(bytes('{\n  "ä": "', 0xe9, '"\n}', 0xff)))).toMatchObject({
      code: 'config/encoding',
      at: { line: 2, column: 9 },
    });
    expect(faultOf(decodeText(bytes(0xef, 0xbb, 0xbf, 'ab', 0xc3))).at).toMatchObject({ line: 1, column: 3 });
    expect(faultOf(decodeText(bytes(0x80))).at).toMatchObject({ line: 1, column: 1 });
  });
});

describe('lines', () => {
  const text = '{\r\n\t "a": 1,\n"b": 2}';
  it('have an indent', () => {
    expect(lineIndent(text, text.indexOf('"a"'))).toBe('\t ');
    expect(lineIndent(text, text.indexOf('1'))).toBe('\t ');
    expect(lineIndent(text, text.indexOf('"b"'))).toBe('');
    expect(lineIndent('  x', 1)).toBe(' ');
  });

  it('know their first token', () => {
    expect(isFirstOnLine(text, text.indexOf('"a"'))).toBe(true);
    expect(isFirstOnLine(text, text.indexOf('"b"'))).toBe(true);
    expect(isFirstOnLine(text, text.indexOf('1'))).toBe(false);
    expect(isFirstOnLine(text, 0)).toBe(false);
  });

  it('have ends', () => {
    expect(lineEndBefore(text, text.indexOf('"a"'))).toBe('\r\n');
    expect(lineEndBefore(text, text.length)).toBe('\n');
    expect(lineEndBefore(text, text.indexOf('"a"'), 3)).toBeUndefined();
    expect(lineEndBefore(text, 0)).toBeUndefined();
    expect(lineEndStart(text, 3)).toBe(1);
    expect(lineEndStart(text, text.indexOf('"b"'))).toBe(text.indexOf('"b"') - 1);
    expect(lineEndStart(text, 4)).toBe(4);
  });
});
