import { describe, expect, test } from 'vitest';
import { parseChallenge } from '../../src/endpoint/challenge.ts';
import { hasUnsafeCharacters } from '../../src/endpoint/display.ts';
import { checkUrl, displayUrl, sameEndpoint } from '../../src/endpoint/url.ts';
import fc from '../helpers/fc.ts';

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'http://',
    'https://',
    '@',
    ':',
    '/',
    '?',
    '#',
    '[::1]',
    'localhost',
    '/mcp',
    '%40',
    '\\',
    '..',
  ),
);
const urlish = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
const rules = fc.record({ allowQuery: fc.boolean(), allowInsecure: fc.boolean() });

describe('any text at all', () => {
  test('is checked without an exception, shown without active characters, and equal to itself', () => {
    fc.assert(
      fc.property(urlish, rules, (text, rule) => {
        const checked = checkUrl(text, rule);
        if (checked.ok) {
          expect(checked.text).toBe(text);
          expect(checked.url.username + checked.url.password).toBe('');
        } else expect(hasUnsafeCharacters(checked.message)).toBe(false);
        expect(hasUnsafeCharacters(displayUrl(text))).toBe(false);
        expect(sameEndpoint(text, text)).toBe(true);
        parseChallenge(text);
      }),
      { numRuns: 2000 },
    );
    expect.hasAssertions();
  });

  test('a secret in userinfo, query value or fragment is never shown', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9/+_.~-]{8,20}$/).map((text) => `S${text}E`);
    const place = fc.constantFrom(
      (text: string) => `https://user:${text}@h.example/mcp`,
      // A slash would make this one a host and a path with an `@` in it, which is a valid URL.
      (text: string) => `https://${text.replaceAll('/', '-')}@h.example/mcp`,
      (text: string) => `https://h.example/mcp?key=${text}`,
      (text: string) => `https://h.example/mcp?${text}`,
      (text: string) => `https://h.example/mcp#${text}`,
      (text: string) => `user:${text}@h.example/mcp`,
    );
    fc.assert(
      fc.property(secret, place, (text, put) => {
        const url = put(text);
        expect(displayUrl(url)).not.toContain(text);
        expect(displayUrl(url)).not.toContain(text.replaceAll('/', '-'));
        const checked = checkUrl(url, { allowQuery: false, allowInsecure: false });
        expect(checked.ok ? '' : checked.message).not.toContain(text);
      }),
      { numRuns: 2000 },
    );
    expect.hasAssertions();
  });
});
