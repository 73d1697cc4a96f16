import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch, writeTree } from '../../helpers/repo.ts';
import { claudeEntry, diagnose, manifest, place, SET_UP, URL } from './support.ts';

const TOKEN = `sk-${'a1B2c3D4e5F6a7B8'}`;
const json = (value: unknown): string => JSON.stringify(value);

/** The tier of Claude Code as the report has it; its program is not on this machine's bare PATH. */
async function tierOf(at: ReturnType<typeof place>, PATH = '/nowhere') {
  const seen = await diagnose(at, {}, { PATH });
  const runtimes = seen.data['runtimes'] as { id: string; tier?: { state: string; failureClass: string } }[];
  return { seen, tier: runtimes.find(({ id }) => id === 'claude-code')?.tier };
}

/** A folder for PATH with git and nothing else. */
function folderOfGit(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const git = folders.map((folder) => join(folder, 'git')).find((path) => existsSync(path));
  const bin = scratch();
  symlinkSync(git ?? '', join(bin, 'git'));
  return bin;
}

describe('the tier in doctor', () => {
  it('is decided last, and nothing else is set up', async () => {
    const { seen, tier } = await tierOf(place(SET_UP['claude-code'] ?? {}));
    expect(tier).toMatchObject({ state: 'configured', failureClass: 'not-installed' });
    expect(seen.checks.at(-1)).toMatchObject({ id: 'host/tier:claude-code', status: 'warn' });
    expect(seen.exit).toBe(0);
  });

  it('is none where nothing is set up', async () => {
    const { seen, tier } = await tierOf(place({ '.mcp.json': claudeEntry }));
    expect(tier).toBeUndefined();
    expect(seen.check('host/tier')).toMatchObject({ status: 'skip', idle: true });
  });

  it('is degraded by a credential in a file that is tracked, and says nothing of its value', async () => {
    const other = {
      type: 'http',
      url: 'https://other.example/mcp',
      headers: { Authorization: `Bearer ${TOKEN}` },
    };
    const { seen, tier } = await tierOf(
      place({
        '.tenon/manifest.json': manifest(['claude-code']),
        '.mcp.json': json({ mcpServers: { pantry: { type: 'http', url: URL }, other } }),
      }),
      folderOfGit(),
    );
    expect(tier).toMatchObject({ state: 'degraded', failureClass: 'unsafe-configuration' });
    expect(seen.check('host/tier:claude-code')?.status).toBe('fail');
    expect(seen.text).not.toContain(TOKEN);
  });

  it('is degraded by a file that the tool drops, where its program is here; it is not started for that', async () => {
    const bin = scratch();
    writeTree(bin, { claude: { text: '#!/bin/sh\necho started > "$0.log"\n', mode: 0o755 } });
    const broken = { ...SET_UP['claude-code'], '.mcp.json': `// a comment\n${claudeEntry}` };
    const { seen, tier } = await tierOf(place(broken), bin);
    expect(tier).toMatchObject({ state: 'degraded', failureClass: 'probe-failed' });
    expect(seen.exit).toBe(1);
    expect(readdirSync(bin)).toEqual(['claude']);
  });

  it('is unsupported, an error, for a tool that nothing can be written for', async () => {
    const at = place({ '.tenon/manifest.json': manifest(['copilot-cloud']) });
    const seen = await diagnose(at, {}, { PATH: '/nowhere' });
    expect(seen.check('host/tier:copilot-cloud')).toMatchObject({ status: 'fail' });
    expect(seen.exit).toBe(1);
  });
});
