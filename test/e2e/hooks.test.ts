import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, runtimeFlags, setupVera } from '../helpers/bench.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { GUIDE, packageWith } from '../helpers/package-copy.ts';

// What was written is run as the coding tools run it: by /bin/sh, from any folder of the repository, with or without the
// variable that names the project, in a folder whose name asks for quoting.

const FOLDER = "My Drive (täst)/it's here";

interface HookLine {
  readonly file: string;
  readonly event: string;
  readonly command: string;
}

/** Every `command` below `hooks` of the hook files of the three tools that take command lines. */
function hookLines(repo: Bench): HookLine[] {
  const found: HookLine[] = [];
  for (const file of ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json']) {
    if (!repo.exists(file)) continue;
    const { hooks } = JSON.parse(repo.text(file)) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    for (const [event, groups] of Object.entries(hooks))
      for (const group of groups) for (const { command } of group.hooks) found.push({ file, event, command });
  }
  return found;
}

const runtimes = ['claude-code', 'codex', 'gemini-cli'];
let vera: Bench;
let guide: Bench;

beforeAll(async () => {
  vera = bench({ 'src/deep/x.txt': '' }, { name: FOLDER });
  expectCode(await vera.run(setupVera(runtimes)), 0);
  guide = bench({ 'src/deep/x.txt': '' }, { name: FOLDER, cli: { packageDir: packageWith(GUIDE) } });
  expectCode(await guide.run(['setup', 'guide', ...runtimeFlags(runtimes), '--yes']), 0);
}, 120_000);

function runLine(repo: Bench, line: HookLine, below: string, withVariable: boolean, PATH?: string) {
  const project = { CLAUDE_PROJECT_DIR: repo.root, GEMINI_PROJECT_DIR: repo.root };
  const env = cleanEnv(repo.home, {
    ...(withVariable ? project : {}),
    ...(PATH === undefined ? {} : { PATH }),
  });
  const input = JSON.stringify({
    hook_event_name: line.event,
    cwd: repo.root,
    tool_name: 'Bash',
    tool_input: {},
  });
  return spawnSync('/bin/sh', ['-c', line.command], {
    cwd: path.join(repo.root, below),
    env,
    input,
    encoding: 'utf8',
    timeout: 20_000,
  });
}

describe('a hook line', () => {
  it('was written for every tool that takes one, and holds no path of this machine', () => {
    for (const repo of [vera, guide]) {
      const lines = hookLines(repo);
      expect(new Set(lines.map(({ file }) => file)).size).toBe(3);
      for (const { command } of lines) {
        expect(command).not.toContain(repo.root);
        expect(command).not.toContain(repo.home);
        expect(command).not.toContain(process.execPath);
      }
    }
  });

  it('finds its script from the root and from a sub-folder, and exits 0', () => {
    const lines = hookLines(vera);
    for (const line of lines) {
      for (const below of ['', 'src/deep']) {
        // A tool that names the project by a variable sets it; Codex has none, and git finds the root.
        const run = runLine(vera, line, below, !line.file.startsWith('.codex'));
        const told = `${line.file} ${line.event} in ${below}: ${run.stderr}`;
        expect(run.status, told).toBe(0);
        expect(run.stderr, told).toBe('');
        if (line.event === 'SessionStart') expect(run.stdout, told).toMatch(/vera/i);
      }
    }
    expect(lines.filter(({ event }) => event === 'SessionStart').length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ['its script', undefined],
    ['its interpreter', '/nowhere'],
  ])('stays silent and exits 0 without %s', (_, PATH) => {
    for (const repo of [vera, guide]) {
      const scripts = fs
        .readdirSync(repo.root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.cjs'))
        .map((name) => path.join(repo.root, name));
      expect(scripts.length).toBeGreaterThan(0);
      if (PATH === undefined) for (const file of scripts) fs.renameSync(file, `${file}.away`);
      try {
        for (const line of hookLines(repo)) {
          for (const withVariable of [true, false]) {
            const run = runLine(repo, line, 'src/deep', withVariable, PATH);
            expect(run.status, `${line.command}\n${run.stderr}`).toBe(0);
            expect(run.stdout, line.command).toBe('');
          }
        }
      } finally {
        if (PATH === undefined) for (const file of scripts) fs.renameSync(`${file}.away`, file);
      }
    }
  });

  it('of another owner whose script is gone is named by doctor and left to the byte', async () => {
    const dead = `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "python3 \\"$CLAUDE_PROJECT_DIR/.claude/hooks/lost.py\\"" } ] }
    ]
  }
}
`;
    const repo = bench({ '.claude/settings.json': dead });
    const before = repo.tree();
    const { document } = await repo.json(['doctor', '--offline']);
    expect(JSON.stringify(document.findings)).toContain('lost.py');
    expectCode(await repo.run(setupVera(['claude-code'])), 0);
    expect(repo.text('.claude/settings.json')).toContain(
      '{ "matcher": "Bash", "hooks": [ { "type": "command", "command": "python3 \\"$CLAUDE_PROJECT_DIR/.claude/hooks/lost.py\\"" } ] }',
    );
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });
});

describe('settings of the user around our hooks and rules', () => {
  it('stay when ours go, and so does the file', async () => {
    const repo = bench({
      '.claude/settings.json':
        '{\n  "model": "opus",\n  "permissions": { "deny": ["Bash(rm:*)"], "allow": [] },\n  "env": { "A": "1" }\n}\n',
    });
    const before = repo.tree();
    expectCode(await repo.run(setupVera(['claude-code'])), 0);
    const settings = JSON.parse(repo.text('.claude/settings.json'));
    expect(settings).toMatchObject({
      model: 'opus',
      env: { A: '1' },
      permissions: { deny: ['Bash(rm:*)'], allow: [] },
    });
    expect(settings.permissions.ask).toContain('mcp__vera__knowledge_propose');
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('a hook group behind ours is kept, and its new position is told before', async () => {
    const file = '.codex/hooks.json';
    const own = { hooks: [{ type: 'command', command: './own.sh' }] };
    const late = { hooks: [{ type: 'command', command: './late.sh' }] };
    const repo = bench({ [file]: `${JSON.stringify({ hooks: { SessionStart: [own] } }, null, 2)}\n` });
    expectCode(await repo.run(setupVera(['codex'])), 0);
    const document = JSON.parse(repo.text(file));
    expect(document.hooks.SessionStart).toHaveLength(2);
    document.hooks.SessionStart.push(late);
    repo.write(file, `${JSON.stringify(document, null, 2)}\n`);
    const plan = await repo.json(['uninstall', 'vera', '--dry-run']);
    const warned = plan.document.findings.filter(
      ({ code }: { code: string }) => code === 'hook/position-changed',
    );
    expect(warned).toMatchObject([
      { severity: 'warning', subject: file, message: expect.stringMatching(/1 hook/) },
    ]);
    const done = await repo.json(['uninstall', 'vera', '--yes']);
    expectCode(done, 0);
    expect(JSON.stringify(done.document.findings)).toContain('hook/position-changed');
    expect(JSON.parse(repo.text(file))).toEqual({ hooks: { SessionStart: [own, late] } });
  });

  it('a rule that switches the whole file off is told by doctor and not repaired', async () => {
    const text =
      '{\n  "permissions": {\n    "allow": ["Bash(git push:* --force)"],\n    "deny": ["Read(./keys/**)"]\n  }\n}\n';
    const repo = bench({ '.claude/settings.json': text });
    const before = repo.tree();
    const { document } = await repo.json(['doctor', '--offline']);
    expect(JSON.stringify(document.findings)).toContain('Bash(git push:* --force)');
    await repo.run(setupVera(['claude-code']));
    expect(repo.text('.claude/settings.json')).toContain('"allow": ["Bash(git push:* --force)"]');
    await repo.run(['uninstall', 'vera', '--yes']);
    expect(repo.tree()).toEqual(before);
  });
});
