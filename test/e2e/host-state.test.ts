import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, scratch, writeTree } from '../helpers/repo.ts';

/** A repository in which one server was written by tenon for Claude Code, which trusts the folder and approved it by name. */
async function approved() {
  const cwd = scratch('tenon-host-');
  const home = makeHome();
  git(cwd, ['init', '-q']);
  const args = ['add', 'pantry', 'http://127.0.0.1:9/mcp', '--runtime', 'claude-code', '--offline', '--yes'];
  expect(await runCli(args, { cwd, home })).toMatchObject({ code: 0 });
  writeTree(cwd, { '.claude/settings.json': JSON.stringify({ enabledMcpjsonServers: ['pantry'] }) });
  const projects = { [cwd]: { hasTrustDialogAccepted: true } };
  writeTree(home, { '.claude.json': { text: JSON.stringify({ projects }), mode: 0o600 } });
  return { cwd, home, file: join(cwd, '.mcp.json') };
}

describe('a server that is approved by name alone', () => {
  it('is told when its content is no longer what tenon wrote', async () => {
    const { cwd, home, file } = await approved();
    const own = (findings: { code: string }[]) =>
      findings.filter(({ code }) => code === 'host/approved-changed');
    const before = await runJson(['doctor', '--offline'], { cwd, home });
    expect(own(before.document.findings)).toEqual([]);

    writeFileSync(file, readFileSync(file, 'utf8').replace('127.0.0.1:9/', '127.0.0.1:10/'));
    const { code, document } = await runJson(['doctor', '--offline'], { cwd, home });
    expect(code).toBe(1);
    expect(own(document.findings)).toMatchObject([
      {
        severity: 'warning',
        subject: '.mcp.json#/mcpServers/pantry',
        message: expect.stringContaining('used without a question'),
        remedy: { command: "tenon sync --force '.mcp.json#/mcpServers/pantry'" },
      },
    ]);

    // The remedy as it stands is the way back.
    const back = ['sync', '--force', '.mcp.json#/mcpServers/pantry', '--offline', '--yes'];
    expect(await runCli(back, { cwd, home })).toMatchObject({ code: 0 });
    expect(own((await runJson(['doctor', '--offline'], { cwd, home })).document.findings)).toEqual([]);
  });

  it('is not told of what a member added by its user changes nothing in', async () => {
    const { cwd, home, file } = await approved();
    writeFileSync(file, readFileSync(file, 'utf8').replace('"type"', '"timeout": 5000, "type"'));
    const { document } = await runJson(['doctor', '--offline'], { cwd, home });
    expect(document.findings.map(({ code }: { code: string }) => code)).not.toContain(
      'host/approved-changed',
    );
  });
});
