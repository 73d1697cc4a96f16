import { describe, expect, test } from 'vitest';
import { parseChallenge } from '../../../src/endpoint/challenge.ts';

const params = (header: string): Record<string, string> =>
  Object.fromEntries(parseChallenge(header)?.params.entries() ?? []);

describe('parseChallenge', () => {
  test('reads scheme and parameters, quoted or not, names in lower case', () => {
    const challenge = parseChallenge(
      'Bearer Realm="a, b", error=invalid_token,resource_metadata="https://h/x?y=z"',
    );
    expect(challenge?.scheme).toBe('bearer');
    expect(params('Bearer Realm="a, b", error=invalid_token,resource_metadata="https://h/x?y=z"')).toEqual({
      realm: 'a, b',
      error: 'invalid_token',
      resource_metadata: 'https://h/x?y=z',
    });
  });

  test('takes the bearer challenge of several', () => {
    expect(parseChallenge('Basic realm="x", Bearer resource_metadata="https://h/m"')).toMatchObject({
      scheme: 'bearer',
    });
    expect(params('Negotiate, Bearer error="invalid_token", Basic realm="y"')).toEqual({
      error: 'invalid_token',
    });
  });

  test('else the first one', () => {
    expect(parseChallenge('Basic realm="x", Digest realm="y"')).toMatchObject({ scheme: 'basic' });
    expect(parseChallenge('Negotiate')).toMatchObject({ scheme: 'negotiate' });
  });

  test('unescapes quoted pairs and stands rubbish', () => {
    expect(params('Bearer error="a\\"b"')).toEqual({ error: 'a"b' });
    for (const header of [undefined, '', ',,,', '"', '=x', `Bearer ${'a'.repeat(9000)}`]) {
      expect(parseChallenge(header)).toBeUndefined();
    }
    expect(parseChallenge('Bearer "unfinished')).toMatchObject({ scheme: 'bearer' });
  });
});
