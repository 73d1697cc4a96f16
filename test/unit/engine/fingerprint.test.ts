// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are the subject
import { describe, expect, it } from 'vitest';
import { fingerprint, sha256 } from '../../../src/engine/fingerprint.ts';

describe('fingerprint', () => {
  it('ignores member order and line ends', () => {
    expect(fingerprint({ a: 1, b: { c: [1, 2] } })).toEqual(fingerprint({ b: { c: [1, 2] }, a: 1 }));
    expect(fingerprint('one\r\ntwo\r\n')).toEqual(fingerprint('one\ntwo\n'));
  });

  it('tells values apart, per leaf', () => {
    const before = fingerprint({ url: 'https://a', enabled: true });
    const after = fingerprint({ url: 'https://b', enabled: true });
    expect(after.print).not.toBe(before.print);
    expect(after.leaves['/url']).not.toBe(before.leaves['/url']);
    expect(after.leaves['/enabled']).toBe(before.leaves['/enabled']);
  });

  it('neither drifts with a rotated token nor confirms a guessed one', () => {
    const first = fingerprint({ headers: { Authorization: 'Bearer aaaaaaaaaaaa' } });
    expect(fingerprint({ headers: { Authorization: 'Bearer bbbbbbbbbbbb' } })).toEqual(first);
    expect(fingerprint({ headers: { Authorization: 'Bearer ${TOKEN}' } })).not.toEqual(first);
    expect(fingerprint('hunter2', ['x', 'password'])).toEqual(fingerprint('hunter3', ['x', 'password']));
  });

  it('keeps texts whole, also where they speak of tokens', () => {
    const text = 'Authorization: Bearer aaaaaaaaaaaa\n';
    expect(fingerprint(text)).not.toEqual(fingerprint(text.replaceAll('a', 'b')));
  });

  it('hashes bytes and the UTF-8 of strings alike', () => {
    expect(sha256('é')).toBe(sha256(new Uint8Array([0xc3, 0xa9])));
    expect(sha256('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
