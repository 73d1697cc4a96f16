import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome, runJson } from '../helpers/cli.ts';
import { gitRepo } from '../helpers/repo.ts';

const schema = (file: string): ValidateFunction => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'schema', file), 'utf8')));
};
const isDocument = schema('document.json');

const home = makeHome();
const repo = gitRepo({ '.mcp.json': '{ "mcpServers": {} }\n' });
const setup = ['setup', 'vera', '--runtime', 'claude-code', '--offline', '--set'];
const inputs = ['VERA_API_URL=http://127.0.0.1:9', '--set', 'VERA_MCP_URL=http://127.0.0.1:9/mcp'];
const run = (...args: string[]) => runJson(args, { home, cwd: repo });

/** The branch of the union is judged by its command: otherwise an error document would let everything pass. */
function expectDocument(document: { schema: string; error: unknown }, command: string): void {
  expect(document.schema).toBe(`tenon/${command}/v1`);
  expect(isDocument(document), JSON.stringify(isDocument.errors?.slice(0, 5))).toBe(true);
}

beforeAll(async () => {
  const { code } = await run(...setup, ...inputs, '--yes');
  expect(code).toBe(0);
});

describe('every document fits schema/document.json', () => {
  it.each<[string, string[]]>([
    ['status', ['status']],
    ['doctor', ['doctor', '--offline']],
    ['plan', ['plan']],
    ['plan', ['plan', 'vera', '--runtime', 'codex', '--set', ...inputs]],
    ['runtimes', ['runtimes']],
    ['runtimes', ['runtimes', 'codex']],
    ['explain', ['explain']],
    ['explain', ['explain', 'config/malformed']],
    ['history', ['history']],
    ['sync', ['sync', '--check']],
    ['uninstall', ['uninstall', '--dry-run']],
    ['help', ['--help']],
    ['version', ['--version']],
    ['completion', ['completion', 'fish']],
  ])('%s: %j', async (command, args) => {
    const { document } = await run(...args);
    expectDocument(document, command);
    expect(document.error).toBeNull();
  });

  it.each<[string, string[]]>([
    ['error', ['no-such-command']],
    ['explain', ['explain', 'no/such']],
    ['apply', ['apply', 'nowhere.plan']],
    ['setup', ['setup', 'nothing-of-this-name']],
  ])('a fault of %s: %j', async (command, args) => {
    const { document } = await run(...args);
    expectDocument(document, command);
    expect(document.error.code).toMatch(/^[a-z]+\/[a-z-]+$/);
  });

  it('refuses a document that is none', async () => {
    const { document } = await run('status');
    expect(isDocument({ ...document, exitCode: 9 })).toBe(false);
    expect(isDocument({ ...document, data: { ...document.data, state: 'fine' } })).toBe(false);
  });

  it('fits the manifest, the ledger and a saved plan too', async () => {
    const manifest = JSON.parse(readFileSync(join(repo, '.tenon', 'manifest.json'), 'utf8'));
    expect(schema('manifest.json')(manifest)).toBe(true);
    await run('plan', 'vera', '--runtime', 'codex', '--set', ...inputs, '--out', 'x.plan');
    expect(schema('plan-file.json')(JSON.parse(readFileSync(join(repo, 'x.plan'), 'utf8')))).toBe(true);
  });
});
