import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, type Files, VERA_URL } from '../helpers/bench.ts';
import { CLIENTS, type ClientId } from '../helpers/clients.ts';
import { expectRoundTrip } from '../helpers/round-trip.ts';

interface Found {
  readonly code: string;
  readonly severity: string;
  readonly subject: string;
  readonly message: string;
}

async function doctor(files: Files): Promise<{ repo: Bench; found: readonly Found[]; code: number | null }> {
  const repo = bench(files);
  const before = repo.stamps();
  const run = await repo.json(['doctor', '--offline']);
  expect(repo.stamps()).toEqual(before);
  return { repo, found: run.document.findings as Found[], code: run.code };
}

const matching = (found: readonly Found[], ...parts: RegExp[]): readonly Found[] =>
  found.filter((one) => parts.every((part) => part.test(`${one.subject} ${one.message}`)));

describe('of two files of OpenCode', () => {
  const jsonc =
    '{\n  // the real one\n  "mcp": {\n    "a": { "type": "local", "command": ["a"], "enabled": true },\n  },\n}\n';

  it('the one that holds the servers is written, and only that', async () => {
    await expectRoundTrip({
      runtime: 'opencode',
      file: 'opencode.jsonc',
      text: jsonc,
      beside: { 'opencode.json': '{\n  "theme": "system"\n}\n' },
    });
    const repo = bench({ 'opencode.jsonc': jsonc, 'opencode.json': '{ "theme": "system" }\n' });
    const plan = await repo.json([...addVera(['opencode']), '--dry-run']);
    const op = (plan.document.data.plan.ops as { address: string; reason: string }[]).find(({ address }) =>
      address.includes('/mcp/vera'),
    );
    expect(op?.address).toBe('opencode.jsonc#/mcp/vera');
  });

  it('no opencode.json is made beside an opencode.jsonc', async () => {
    expect.hasAssertions();
    await expectRoundTrip({ runtime: 'opencode', file: 'opencode.jsonc', text: jsonc });
  });

  it('the .json is written where it alone holds servers', async () => {
    expect.hasAssertions();
    await expectRoundTrip({
      runtime: 'opencode',
      text: '{ "mcp": { "a": { "type": "local", "command": ["a"] } } }\n',
      beside: { 'opencode.jsonc': '{ "theme": "system" } // later\n' },
    });
  });
});

describe('content of others that a tool ignores or refuses', () => {
  it('mcpServers in a file of OpenCode: an error of doctor with its line; setup leaves it as it is', async () => {
    const text =
      '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {},\n  "mcpServers": { "a": { "command": "a" } }\n}\n';
    await expectRoundTrip({ runtime: 'opencode', text });
    const { found, code } = await doctor({ 'opencode.json': text });
    expect(matching(found, /opencode\.json/, /mcpServers/, /\b4\b/)).toMatchObject([{ severity: 'error' }]);
    expect(code).toBe(1);
  });

  it.each<[string, ClientId, string, RegExp[]]>([
    [
      'mcpServers in the file of VS Code',
      'vscode',
      '{\n  "mcpServers": { "a": { "command": "a" } },\n  "inputs": [ { "type": "promptString", "id": "k", "description": "d" } ]\n}\n',
      [/\.vscode\/mcp\.json/, /mcpServers/, /VS Code/],
    ],
    [
      'servers in .mcp.json',
      'claude-code',
      '{\n  "servers": { "a": { "type": "http", "url": "https://a.example.com" } }\n}\n',
      [/\.mcp\.json/, /servers/],
    ],
    [
      'a url without a type in .mcp.json',
      'claude-code',
      '{\n  "mcpServers": {\n    "a": { "url": "https://a.example.com/mcp" }\n  }\n}\n',
      [/\.mcp\.json/, /type/],
    ],
    [
      'a member name with a blank at its end in the file of Gemini CLI',
      'gemini-cli',
      '{\n  "mcpServers": {\n    // "off": {},\n    "b": { "httpUrl": "https://b.example.com", "headers": { "Authorization": "Bearer $B_TOKEN" } },\n    "a": { "httpUrl ": "https://a.example.com" }\n  }\n}\n',
      [/\.gemini\/settings\.json/, /httpUrl /],
    ],
  ])('%s: doctor tells, setup adds beside it', async (_, runtime, text, parts) => {
    await expectRoundTrip({
      runtime,
      text,
      holds: (after) => {
        if (text.includes('$B_TOKEN')) expect(after).toContain('"Bearer $B_TOKEN"');
      },
    });
    const { found } = await doctor({ [CLIENTS[runtime].file]: text });
    expect(matching(found, ...parts), JSON.stringify(found, null, 1)).not.toEqual([]);
  });

  it('a variable of the environment is never put in place of its name', async () => {
    const text =
      '{ "mcpServers": { "b": { "httpUrl": "https://b.example.com", "headers": { "X": "$B_TOKEN" } } } }\n';
    const repo = bench({ '.gemini/settings.json': text }, { cli: { env: { B_TOKEN: 'sesame-99' } } });
    const run = await repo.run(addVera(['gemini-cli']));
    expectCode(run, 0);
    expect(repo.text('.gemini/settings.json')).toContain('"$B_TOKEN"');
    expect(repo.text('.gemini/settings.json') + run.stdout).not.toContain('sesame-99');
  });

  it('a server in a file that Claude Code does not read for servers does not count', async () => {
    const settings = `{ "mcpServers": { "vera": { "type": "http", "url": "${VERA_URL}" } } }\n`;
    const { repo, found } = await doctor({ '.claude/settings.json': settings });
    expect(matching(found, /\.claude\/settings\.json/, /vera|mcpServers/, /not read|ignore/)).not.toEqual([]);
    const before = repo.tree();
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    expect(repo.text('.claude/settings.json')).toBe(settings);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera).toEqual({ type: 'http', url: VERA_URL });
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });
});

describe('a new file', () => {
  it.each(Object.entries(CLIENTS))(
    'of %s is what the tool accepts, with exactly the entry it knows',
    async (id, client) => {
      const repo = bench();
      expectCode(await repo.run(addVera([id])), 0);
      const text = repo.text(client.file);
      expect(text.endsWith('\n')).toBe(true);
      if (client.syntax === 'toml') expect(text).toMatch(/^\[mcp_servers\.vera\]\nurl = "[^"]+"\n$/);
      else {
        const rest = id === 'opencode' ? { $schema: 'https://opencode.ai/config.json' } : {};
        expect(JSON.parse(text)).toEqual({ ...rest, [client.container]: { vera: client.entry } });
      }
      expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
      expect(repo.tree()).toEqual({});
    },
  );
});
