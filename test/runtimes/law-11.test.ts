import { expect, test } from 'vitest';
import type { Scope } from '../../src/engine/types.ts';
import { formatOf } from '../../src/formats/index.ts';
import { equalJson, getIn, isObject, type Json } from '../../src/lib/json.ts';
import { scopesOf } from '../../src/runtimes/scopes.ts';
import fc from '../helpers/fc.ts';
import { SHAPES } from './shapes/entries.ts';
import { EXPAND } from './shapes/expand.ts';
import { httpServer, render, scratch, specOf, stdioServer } from './support.ts';

// Law 11: what is rendered for any server is valid for the runtime, means the same after the runtime put its variables
// in, and reads back from a file. What a runtime cannot express is left out with a finding, never bent.

const env: Record<string, string> = { TOKEN: 't0ken', KEY_2: 'k{e}y', HOME_X: 'h/x' };
const at = scratch();

const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,16}$/u);
const odd = fc.constantFrom(
  '${TOKEN}',
  '$TOKEN',
  '{env:TOKEN}',
  '{url}',
  '{server}',
  '${env:',
  '$(id)',
  '{file:x}',
  '$$',
  '"',
  "'",
  '\\',
  'ä€😀',
  '#',
  ', ',
  '{',
  '}',
);
const reference = fc.constantFrom(...Object.keys(env)).map((variable) => `\${env:${variable}}`);
/** A reference that came together by chance names a variable that is not set, which is another subject. */
const isKnown = (neutral: string): boolean =>
  [...neutral.matchAll(/\$\{env:([A-Za-z_]\w*)\}/gu)].every(([, key = '']) => Object.hasOwn(env, key));
const text = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.stringMatching(/^[ -~]{0,8}$/u) }, odd, reference), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter(isKnown);
const plain = fc.stringMatching(/^[a-z0-9 ./-]{1,12}$/u);
const value = fc.oneof(
  plain,
  reference,
  reference.map((one) => `Bearer ${one}`),
  text,
);
const variable = fc.oneof(fc.constantFrom(...Object.keys(env)), fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/u));
const header = fc.oneof(fc.constant('Authorization'), fc.stringMatching(/^X-[A-Za-z]{1,8}$/u));

const server = fc.oneof(
  fc
    .record({
      server: name,
      url: fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true }),
      headers: fc.dictionary(header, value, { maxKeys: 3 }),
      timeoutSeconds: fc.option(fc.integer({ min: 1, max: 3600 }), { nil: undefined }),
    })
    .map(({ url, headers, server: called, timeoutSeconds }) =>
      httpServer(
        { url, headers },
        { server: called, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) },
      ),
    ),
  fc
    .record({
      server: name,
      command: fc.stringMatching(/^[a-z][a-z0-9/-]{0,12}$/u),
      args: fc.array(fc.oneof(plain, text), { maxLength: 3 }),
      env: fc.dictionary(variable, value, { maxKeys: 3 }),
    })
    .map(({ command, args, env: vars, server: called }) =>
      stdioServer({ command, args, env: vars }, { server: called }),
    ),
);

const targets = Object.keys(SHAPES).flatMap((id) =>
  scopesOf(specOf(id)).map((scope): [string, Scope] => [id, scope]),
);

/** A neutral text with its references replaced. */
const meant = (neutral: string): string =>
  neutral.replace(/\$\{env:([A-Za-z_]\w*)\}/gu, (_, key: string) => env[key] ?? '');

/** What reaches the server: headers or variables by name, and the words of the launch. */
function effect(entry: Json, id: string): { values: Record<string, string>; words: string[]; url: string } {
  const expand = (one: string): string => EXPAND[id]?.(one, env) ?? one;
  const texts = (member: string): Record<string, string> => {
    const found = getIn(entry, [member]);
    return isObject(found) ? (found as Record<string, string>) : {};
  };
  const values: Record<string, string> = {};
  for (const member of ['headers', 'http_headers', 'env', 'environment']) {
    for (const [key, one] of Object.entries(texts(member))) values[key] = expand(one);
  }
  for (const [key, one] of Object.entries(texts('env_http_headers'))) values[key] = env[one] ?? '';
  const bearer = getIn(entry, ['bearer_token_env_var']);
  if (typeof bearer === 'string') values['authorization'] = `Bearer ${env[bearer]}`;
  const passed = getIn(entry, ['env_vars']);
  for (const key of Array.isArray(passed) ? (passed as string[]) : []) values[key] = env[key] ?? '';
  const command = getIn(entry, ['command']);
  const args = getIn(entry, ['args']);
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  const url = ['url', 'httpUrl', 'serverUrl']
    .map((member) => getIn(entry, [member]))
    .find((one) => typeof one === 'string');
  return { values, words: words.map(expand), url: typeof url === 'string' ? expand(url) : '' };
}

const lower = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, one]) => [
      key.toLowerCase() === 'authorization' ? 'authorization' : key,
      one,
    ]),
  );

test('rendered servers are valid, mean the same and read back (law 11)', { timeout: 120_000 }, () => {
  let written = 0;
  fc.assert(
    fc.property(server, fc.constantFrom(...targets), (one, [id, scope]) => {
      const { artifact } = one;
      if (artifact.kind !== 'mcp-server') return;
      const rendered = render({ ids: [id], artifacts: [one], scope, at });
      const [desired] = rendered.desired;
      if (desired === undefined) {
        expect(rendered.findings.some(({ data }) => data?.['withheld'] === true)).toBe(true);
        return;
      }
      written += 1;
      const schema = artifact.http === undefined ? SHAPES[id]?.stdio : SHAPES[id]?.http;
      expect(schema?.safeParse(desired.value).error?.issues ?? []).toEqual([]);
      const got = effect(desired.value, id);
      const wanted = artifact.http?.headers ?? artifact.stdio?.env ?? {};
      expect(lower(got.values)).toEqual(
        lower(Object.fromEntries(Object.entries(wanted).map(([key, neutral]) => [key, meant(neutral)]))),
      );
      if (artifact.stdio !== undefined) {
        expect(got.words).toEqual([artifact.stdio.command, ...artifact.stdio.args].map(meant));
      } else expect(got.url).toBe(artifact.http?.url);
      const format = formatOf(desired.target.format);
      const inserted = format.insert('', desired.target.place, desired.value, {});
      if (!inserted.ok) throw new Error(inserted.fault.message);
      const parsed = format.parse(inserted.value.text);
      const path = desired.target.place.kind === 'key' ? desired.target.place.path : [];
      expect(parsed.ok && equalJson(getIn(parsed.value, path) ?? null, desired.value)).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(written).toBeGreaterThan(700);
});
