import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { type InputSources, requireInputs, resolveInputs } from '../../../src/integrations/inputs.ts';
import type { InputSpec } from '../../../src/integrations/schema.ts';

const spec = (members: Partial<InputSpec> & { name: string }): InputSpec => ({
  type: 'string',
  prompt: members.name,
  required: true,
  allowQuery: false,
  allowInsecure: false,
  maxLength: 2048,
  ...members,
});

const URL_SPEC = spec({ name: 'ATLAS_URL', type: 'url', pathEndsWith: '/mcp' });
const MODE = spec({ name: 'MODE', type: 'choice', choices: ['slow', 'fast'], default: 'slow' });
const TEAM = spec({ name: 'ATLAS_TEAM', required: false, maxLength: 8 });

const sources = (members: Partial<InputSources> = {}): InputSources => ({
  id: 'atlas',
  mode: 'setup',
  flags: {},
  env: {},
  manifest: {},
  trusted: true,
  ...members,
});

async function refusal(promise: Promise<unknown>): Promise<TenonError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TenonError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error;
}

const origins = async (
  given: Partial<InputSources>,
  specs: readonly InputSpec[] = [URL_SPEC, MODE, TEAM],
) => {
  const { values } = await resolveInputs(specs, sources(given));
  return Object.fromEntries(values.map(({ name, value, origin }) => [name, `${origin} ${value}`]));
};

describe('where a value comes from', () => {
  const a = 'https://a.example/mcp';
  const b = 'https://b.example/mcp';
  const c = 'https://c.example/mcp';

  it('takes flag over environment over prompt over an earlier choice over default in setup', async () => {
    const prompt = async () => ({ ATLAS_URL: c });
    expect(await origins({ flags: { ATLAS_URL: a }, env: { ATLAS_URL: b }, prompt })).toEqual({
      ATLAS_URL: `flag ${a}`,
      MODE: 'default slow',
    });
    expect(await origins({ env: { ATLAS_URL: b }, prompt })).toMatchObject({ ATLAS_URL: `environment ${b}` });
    expect(await origins({ prompt })).toMatchObject({ ATLAS_URL: `prompt ${c}` });
    expect(await origins({ manifest: { ATLAS_URL: a, MODE: 'fast' } })).toEqual({
      ATLAS_URL: `manifest ${a}`,
      MODE: 'manifest fast',
    });
  });

  it('reads no environment and asks nothing in later commands', async () => {
    const prompt = async (): Promise<Record<string, string>> => {
      throw new Error('asked');
    };
    const given: Partial<InputSources> = { mode: 'later', env: { ATLAS_URL: b }, prompt };
    expect(await origins({ ...given, manifest: { ATLAS_URL: a } })).toMatchObject({
      ATLAS_URL: `manifest ${a}`,
    });
    expect(await origins({ ...given, flags: { ATLAS_URL: c }, manifest: { ATLAS_URL: a } })).toMatchObject({
      ATLAS_URL: `flag ${c}`,
    });
    expect((await resolveInputs([URL_SPEC], sources(given))).missing).toEqual([URL_SPEC]);
  });

  it('reads the environment only for trusted definitions and names of their own', async () => {
    const env = { ATLAS_URL: b, MODE: 'fast', ATLAS_TEAM: 'blue' };
    expect(await origins({ env })).toEqual({
      ATLAS_URL: `environment ${b}`,
      MODE: 'default slow',
      ATLAS_TEAM: 'environment blue',
    });
    expect(await origins({ env, trusted: false })).toEqual({ MODE: 'default slow' });
    expect(await origins({ env, id: 'atl' })).toEqual({ MODE: 'default slow' });
  });

  it('counts an empty value as unset everywhere', async () => {
    expect(
      await origins({ flags: { ATLAS_URL: '' }, env: { ATLAS_URL: '' }, manifest: { ATLAS_URL: a } }),
    ).toEqual({
      ATLAS_URL: `manifest ${a}`,
      MODE: 'default slow',
    });
  });

  it('takes nothing from the prototype of a map', async () => {
    const named = spec({ name: 'CONSTRUCTOR', required: false });
    expect(
      await origins({ flags: Object.create({ CONSTRUCTOR: 'x' }) as Record<string, string> }, [named]),
    ).toEqual({});
  });
});

describe('missing values', () => {
  it('asks for all of them at once, and only for required ones without a value', async () => {
    const asked: string[][] = [];
    const other = spec({ name: 'OTHER' });
    await resolveInputs(
      [URL_SPEC, MODE, TEAM, other],
      sources({
        prompt: async (missing) => {
          asked.push(missing.map((one) => one.name));
          return { ATLAS_URL: 'https://a.example/mcp', OTHER: 'x' };
        },
      }),
    );
    expect(asked).toEqual([['ATLAS_URL', 'OTHER']]);
  });

  it('names every one with its flag when there is no terminal', async () => {
    const resolved = await resolveInputs([URL_SPEC, MODE, spec({ name: 'OTHER' })], sources());
    expect(resolved.missing.map((one) => one.name)).toEqual(['ATLAS_URL', 'OTHER']);
    const error = await refusal(Promise.resolve().then(() => requireInputs('atlas', resolved)));
    expect([error.code, error.exit]).toEqual(['input/missing', 4]);
    expect(error.message).toContain('ATLAS_URL and OTHER');
    expect(error.remedy?.command).toBe('tenon setup atlas --set ATLAS_URL=… --set OTHER=…');
  });

  it('gives the values when nothing is missing', async () => {
    expect(requireInputs('atlas', await resolveInputs([MODE], sources()))).toHaveLength(1);
  });
});

describe('what a value may be', () => {
  it.each([
    ['an unknown key', { ATLAS_URI: 'x' }, 'usage/unknown-input', 2],
    ['a path that ends elsewhere', { ATLAS_URL: 'https://a.example/api' }, 'endpoint/url-path', 4],
    ['a query', { ATLAS_URL: 'https://a.example/mcp?x=1' }, 'endpoint/url-query', 4],
    ['http to another machine', { ATLAS_URL: 'http://a.example/mcp' }, 'endpoint/url-insecure', 4],
    ['user name and password', { ATLAS_URL: 'https://u:hunter2@a.example/mcp' }, 'endpoint/url-userinfo', 4],
    ['no choice', { MODE: 'Slow' }, 'input/invalid', 4],
    ['too many characters', { ATLAS_TEAM: 'ninechars' }, 'input/invalid', 4],
    ['a line end', { ATLAS_TEAM: 'a\nb' }, 'input/invalid', 4],
    ['a bidirectional override', { ATLAS_TEAM: 'a\u202eb' }, 'input/invalid', 4],
    ['a credential', { ATLAS_TEAM: 'ghp_0123456789abcdef0123' }, 'secret/literal', 4],
  ] as const)('refuses %s', async (_what, flags, code, exit) => {
    const error = await refusal(resolveInputs([URL_SPEC, MODE, TEAM], sources({ flags })));
    expect([error.code, error.exit]).toEqual([code, exit]);
    expect(error.message).not.toContain('hunter2');
    expect(error.message).not.toContain('ghp_0123456789');
  });

  it('says what was probably meant and where a bad value came from', async () => {
    const error = await refusal(resolveInputs([URL_SPEC], sources({ flags: { ATLAS_URI: 'x' } })));
    expect(error.remedy?.text).toContain('ATLAS_URL');
    const bad = await refusal(resolveInputs([MODE], sources({ manifest: { MODE: 'wild' } })));
    expect(bad.message).toContain('manifest.json');
    expect(bad.message).toContain('slow or fast');
  });

  it('takes http to this machine, exactly as it was written', async () => {
    const url = 'http://127.0.0.1:8765/mcp/';
    expect(await origins({ flags: { ATLAS_URL: url } }, [URL_SPEC])).toEqual({ ATLAS_URL: `flag ${url}` });
  });

  it.each(['true', 'false'])('takes the boolean %s', async (value) => {
    const flag = spec({ name: 'FLAG', type: 'boolean' });
    expect(await origins({ flags: { FLAG: value } }, [flag])).toEqual({ FLAG: `flag ${value}` });
    expect((await refusal(resolveInputs([flag], sources({ flags: { FLAG: 'yes' } })))).code).toBe(
      'input/invalid',
    );
  });

  it.each([
    ['KEY_1', 'flag KEY_1'],
    ['_k', 'flag _k'],
  ])('takes the variable %s', async (value, expected) => {
    const variable = spec({ name: 'KEY_ENV', type: 'variable' });
    expect(await origins({ flags: { KEY_ENV: value } }, [variable])).toEqual({ KEY_ENV: expected });
  });

  it.each(['1A', 'A-B', '${A}', 'A}x', 'a b'])('takes no variable called %j', async (value) => {
    const variable = spec({ name: 'KEY_ENV', type: 'variable' });
    expect((await refusal(resolveInputs([variable], sources({ flags: { KEY_ENV: value } })))).code).toBe(
      'input/invalid',
    );
  });

  it('checks what was entered at the prompt like a flag', async () => {
    const prompt = async () => ({ ATLAS_URL: 'ftp://a.example/mcp' });
    expect((await refusal(resolveInputs([URL_SPEC], sources({ prompt })))).code).toBe('endpoint/url-scheme');
  });
});
