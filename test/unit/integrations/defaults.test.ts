import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { checkOverrides, defaultsOf, splitOverrides } from '../../../src/integrations/defaults.ts';
import { IntegrationSchema } from '../../../src/integrations/schema.ts';
import type { LoadedIntegration } from '../../../src/integrations/types.ts';
import { manifest } from './definition-folder.ts';

const BLOCK = {
  glossary_integration_contract: 1,
  memory: { keep: 'never', share: false },
  overrides: {
    'memory.keep': { means: 'Nothing is kept.', switch: '--set KEEP=never|always' },
    'memory.share': { means: 'Nothing is shared.', refused: 'Sharing is for people.' },
  },
};

const loaded = (block: unknown, text = JSON.stringify(block)): LoadedIntegration => ({
  ref: 'glossary',
  source: 'bundled',
  manifest: IntegrationSchema.parse(
    manifest({
      defaults: 'defaults.json',
      inputs: [
        { name: 'KEEP', type: 'choice', prompt: 'Keep', choices: ['never', 'always'], default: 'never' },
      ],
      artifacts: [
        {
          kind: 'mcp-server',
          name: 'server',
          server: 'g',
          required: true,
          http: { url: 'https://g.example/mcp' },
        },
        { kind: 'ignore-line', name: 'ignored', file: '.gitignore', line: '.g/', default: 'off' },
      ],
    }),
  ),
  files: new Map([['defaults.json', new TextEncoder().encode(text)]]),
});

const refusal = (run: () => unknown): TenonError => {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
};

describe('the block of defaults', () => {
  it('is read with its explanations', () => {
    expect(defaultsOf(loaded(BLOCK))).toEqual({
      contract: 1,
      values: [
        { key: 'memory.keep', value: 'never', means: 'Nothing is kept.', switch: '--set KEEP=never|always' },
        { key: 'memory.share', value: false, means: 'Nothing is shared.', refused: 'Sharing is for people.' },
      ],
    });
  });

  it.each<[string, unknown, string]>([
    ['no object', [], 'integration/invalid'],
    ['no version', { memory: {} }, 'integration/invalid'],
    ['a newer contract', { ...BLOCK, glossary_integration_contract: 2 }, 'integration/unsupported-version'],
    ['a default without explanation', { ...BLOCK, overrides: {} }, 'integration/invalid'],
  ])('is refused with %s', (_what, block, code) => {
    expect([
      refusal(() => defaultsOf(loaded(block))).code,
      refusal(() => defaultsOf(loaded(block))).exit,
    ]).toEqual([code, 4]);
  });

  it('is refused when it is no JSON', () => {
    expect(refusal(() => defaultsOf(loaded(undefined, '{'))).code).toBe('integration/invalid');
  });
});

describe('overrides', () => {
  it('are told apart from inputs; what is neither is left to the inputs to refuse', () => {
    expect(
      splitOverrides(loaded(BLOCK), { KEEP: 'always', ignored: 'on', 'memory.keep': 'never', TYPO: 'x' }),
    ).toEqual({
      inputs: { KEEP: 'always', TYPO: 'x' },
      overrides: { ignored: 'on', 'memory.keep': 'never' },
    });
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    [
      'a default with a flag of its own',
      { 'memory.keep': 'always' },
      'override/refused',
      '--set KEEP=never|always',
    ],
    ['a fixed default', { 'memory.share': true }, 'override/refused', 'Sharing is for people'],
    ['a fixed default as text', { 'memory.share': 'true' }, 'override/refused', 'Sharing is for people'],
    ['an unknown default', { 'memory.shares': true }, 'override/unknown', 'memory.share'],
    ['an unknown artifact', { ignord: 'on' }, 'override/unknown', 'ignored'],
    ['a member of every object', { constructor: 'on' }, 'override/unknown', 'memory.keep'],
    ['a state that is none', { ignored: 'maybe' }, 'override/refused', 'on or off'],
    ['a required artifact', { server: 'off' }, 'override/refused', 'does not work without'],
  ])('refuse %s', (_what, overrides, code, words) => {
    const error = refusal(() => checkOverrides(loaded(BLOCK), overrides as never));
    expect([error.code, error.exit]).toEqual([code, 4]);
    expect(`${error.message} ${error.remedy?.text}`).toContain(words);
  });

  it('take a default at its own value, and an artifact on or off', () => {
    const all = { 'memory.share': 'false', 'memory.keep': 'never', ignored: 'on', server: 'on' };
    expect(checkOverrides(loaded(BLOCK), all)).toBe(undefined);
    expect(checkOverrides(loaded(BLOCK), { ignored: false })).toBe(undefined);
  });
});
