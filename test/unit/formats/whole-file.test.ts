import { describe, expect, it } from 'vitest';
import { wholeFileFormat as whole } from '../../../src/formats/whole-file.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const place = { kind: 'file' } as const;

describe('whole-file format', () => {
  it('takes an empty file for absent and reads any other with LF ends', () => {
    expect(unwrap(whole.read('', place))).toEqual({ state: 'absent' });
    expect(unwrap(whole.read('a\r\nb\r\n', place))).toMatchObject({ state: 'present', value: 'a\nb\n' });
    expect(unwrap(whole.parse(''))).toBeUndefined();
  });

  it('writes the value as it is given and takes it out to nothing', () => {
    const edit = unwrap(whole.insert('', place, '#!/bin/sh\nexit 0\n', { eol: '\r\n' }));
    expect(edit.text).toBe('#!/bin/sh\nexit 0\n');
    expect(unwrap(whole.remove(edit.text, place, { containers: [] })).text).toBe('');
    const set = new Map([['', 'two\n']]);
    expect(unwrap(whole.update(edit.text, place, { set, unset: [] }, { containers: [] })).text).toBe('two\n');
  });

  it('refuses to put a value over content, an empty value, and anything that is not text', () => {
    expect(faultOf(whole.insert('mine\n', place, 'ours\n', {})).code).toBe('edit/unprovable');
    expect(faultOf(whole.insert('', place, '', {})).code).toBe('edit/unsupported');
    expect(faultOf(whole.insert('', place, 3, {})).code).toBe('edit/unsupported');
    expect(faultOf(whole.read('', { kind: 'key', path: ['a'] })).code).toBe('edit/unsupported');
  });
});
