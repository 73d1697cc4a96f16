import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';

type Place = ReturnType<typeof bench>;

const write = (one: Place, file: string, value: unknown): void => {
  mkdirSync(dirname(join(one.home, file)), { recursive: true });
  writeFileSync(join(one.home, file), JSON.stringify(value), { mode: 0o600 });
};

async function codes(one: Place): Promise<string[]> {
  const { document } = await one.json(['doctor', '--offline']);
  return document.findings.map(({ code }: { code: string }) => code);
}

/** A switch that must be on before trust is asked for, and the record that trusts the folder. */
const TOOLS = [
  ['gemini-cli', undefined, (root: string) => ['.gemini/trustedFolders.json', { [root]: 'TRUST_FOLDER' }]],
  ['copilot-cli', undefined, (root: string) => ['.copilot/config.json', { trustedFolders: [root] }]],
  [
    'qwen-code',
    { $version: 4, security: { folderTrust: { enabled: true } } },
    (root: string) => ['.qwen/trustedFolders.json', { [root]: 'TRUST_FOLDER' }],
  ],
] as const;

describe('hooks of a folder that is not trusted', () => {
  it.each(TOOLS)('do not pass in %s', async (id, asks, trusted) => {
    const one = bench();
    expectCode(await one.run(setupVera([id])), 0);
    if (asks !== undefined) {
      expect(await codes(one)).not.toContain('host/hook-untrusted');
      write(one, '.qwen/settings.json', asks);
    }
    expect(await codes(one)).toContain('host/hook-untrusted');
    const [file, record] = trusted(one.root);
    write(one, String(file), record);
    expect(await codes(one)).not.toContain('host/hook-untrusted');
  });
});
