import { describe, expect, it } from 'vitest';
import { whiteSpace } from '../../../src/formats/json-cuts.ts';

describe('white space of a trace', () => {
  it('is what was recorded', () => {
    expect(whiteSpace({ pre: '\n  ', suf: '\t\r\n' })).toEqual({ pre: '\n  ', suf: '\t\r\n' });
    expect(whiteSpace(undefined)).toEqual({ pre: '', suf: '' });
  });

  it.each([['x '], [' x'], [' x '], ['x'], ['\n//\n']])('is none of a damaged record: %j', (text) => {
    expect(whiteSpace({ pre: text, suf: ' ' })).toEqual({ pre: '', suf: ' ' });
    expect(whiteSpace({ pre: ' ', suf: text })).toEqual({ pre: ' ', suf: '' });
  });

  it.each([[1], [true]])('is none of what is no text: %j', (value) => {
    expect(whiteSpace({ pre: value, suf: value })).toEqual({ pre: '', suf: '' });
  });
});
