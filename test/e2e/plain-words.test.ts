import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';

// What a run says is true where it says it, and its remedy works as it is printed.

describe('words', () => {
  it('of a missing input repeat what was typed', async () => {
    const repo = bench({ 'README.md': 'x\n' });
    const typed = [
      'setup',
      'vera',
      '--runtime',
      'codex',
      '--offline',
      '--set',
      'VERA_API_URL=http://127.0.0.1:1',
    ];
    const { code, document } = await repo.json(typed);
    expect([code, document.error.code]).toEqual([4, 'input/missing']);
    const { command } = document.error.remedy;
    expect(command).toBe(`tenon ${typed.join(' ')} --json --set VERA_MCP_URL=…`);
    const filled = command.replace('…', 'http://127.0.0.1:1/mcp').split(' ').slice(1);
    expectCode(await repo.run([...filled, '--dry-run']), 0);
    // A path of this machine is not repeated.
    const placed = await repo.json([...typed, '--root', repo.root]);
    expect(placed.document.error.remedy.command).not.toContain(repo.root);
  });

  it('about a valid shape that leaves no place for rules offer to leave them out', async () => {
    const text = '{ "permission": "ask" }\n';
    const repo = bench({ 'opencode.json': text });
    const { code, document } = await repo.json([...setupVera(['opencode'])]);
    expect([code, document.error.code]).toEqual([4, 'config/shape']);
    expect(document.error.remedy.text).toContain('--without permissions');
    expectCode(await repo.run(setupVera(['opencode'], '--without', 'permissions')), 0);
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expect(repo.text('opencode.json')).toBe(text);
  });

  it('of a check do not say who wrote what differs, for it looks at no record', async () => {
    const repo = bench({ 'README.md': 'x\n' });
    expectCode(await repo.run(setupVera(['claude-code'])), 0);
    repo.write('.mcp.json', repo.text('.mcp.json').replace('/mcp"', '/other"'));
    const { code, stdout } = await repo.run(['sync', '--check']);
    expect(code).toBe(1);
    expect(stdout.replace(/\s+/g, ' ')).toContain('is not as the manifest asks for (line 3)');
    expect(stdout).not.toContain('did not write');
  });

  it('after a skill name no server to approve; after a server they do', async () => {
    const skill = bench({ 'README.md': 'x\n' });
    const only = await skill.run(['setup', 'tenon', '--runtime', 'claude-code', '--yes']);
    expect(only.stdout).toMatch(/claude-code {3}restart Claude Code\n/);
    expect(only.stdout).not.toContain('approve the new server');
    const server = bench({ 'README.md': 'x\n' });
    const added = await server.run(setupVera(['claude-code']));
    expect(added.stdout.replace(/\s+/g, ' ')).toContain('approve the new server');
  });

  it('about what is not set up do not send anyone to adopt it', async () => {
    const repo = bench({ 'README.md': 'x\n' });
    const { code, document } = await repo.json(['disable', 'vera']);
    expect([code, document.error.message, document.error.remedy.command]).toEqual([
      4,
      'vera is not set up here',
      'tenon status',
    ]);
  });

  it('name the server that nobody trusted', async () => {
    const repo = bench({ 'README.md': 'x\n' });
    const line = ['add', 'index', '--offline', '--runtime', 'claude-code', '--yes', '--', 'node', 'x.mjs'];
    const { code, stderr } = await repo.run(line);
    expect(code).toBe(3);
    expect(stderr).toContain('trust/required  index starts a program');
  });
});
