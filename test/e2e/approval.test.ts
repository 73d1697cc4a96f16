import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, VERA_URL } from '../helpers/bench.ts';
import { runTerminal, type TerminalStep } from '../helpers/cli.ts';

const EMPTY = '{\n  "mcpServers": {}\n}\n';
const ADD = addVera(['claude-code']).filter((word) => word !== '--yes');
const make = (): Bench => bench({ '.mcp.json': EMPTY });
const wrong = `sha256:${createHash('sha256').update('another plan').digest('hex')}`;
const digestOf = async (repo: Bench): Promise<string> => {
  const { document } = await repo.json([...ADD, '--dry-run']);
  return document.data.plan.digest as string;
};
const YES = '\u001b[B\r';

/** Plays steps in a pseudo-terminal of the repository. */
const play = (repo: Bench, args: readonly string[], steps: readonly TerminalStep[]) =>
  runTerminal(args, steps, { cwd: repo.root, home: repo.home });

describe('without a terminal', () => {
  it.each([
    ['nothing', undefined],
    ['y', 'y\n'],
    ['yes, often', 'yes\nyes\nyes\n\r\n'],
  ])('%s on stdin approves nothing: exit 3 with the plan, and not a byte', async (_, input) => {
    const repo = make();
    const before = [repo.tree(), repo.stamps()];
    const more = input === undefined ? {} : { input };
    const human = await repo.run(ADD, more);
    expectCode(human, 3);
    expect(human.stdout + human.stderr).toContain(VERA_URL);
    expect(human.stdout + human.stderr).toMatch(/sha256:[0-9a-f]{64}/);
    const run = await repo.json(ADD, more);
    expectCode(run, 3);
    expect(run.document.error.code).toBe('approval/required');
    expect(run.document.data.plan.isEmpty).toBe(false);
    expect([repo.tree(), repo.stamps()]).toEqual(before);
  });

  it('--approve takes the digest of exactly this plan', async () => {
    const repo = make();
    const before = repo.tree();
    const refused = await repo.json([...ADD, '--approve', wrong]);
    expectCode(refused, 6);
    expect(refused.document.error.code).toBe('plan/stale');
    expect(repo.tree()).toEqual(before);

    const digest = await digestOf(repo);
    repo.write('.mcp.json', EMPTY.replace('{}', '{ }'));
    expectCode(await repo.run([...ADD, '--approve', digest]), 6);
    repo.write('.mcp.json', EMPTY);
    expect(repo.tree()).toEqual(before);

    expectCode(await repo.run([...ADD, '--approve', digest]), 0);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera.url).toBe(VERA_URL);
  });

  it('the digest is the same in another folder and at another time', async () => {
    expect(await digestOf(make())).toBe(await digestOf(make()));
    expect(await digestOf(make())).not.toBe(await digestOf(bench({ '.mcp.json': '{}\n' })));
  });
});

describe('a saved plan', () => {
  const save = (repo: Bench): string => path.join(repo.home, 'plan.json');
  const planVera = (repo: Bench): string[] => [
    'plan',
    'vera',
    '--set',
    'VERA_API_URL=http://127.0.0.1:8765',
    '--set',
    `VERA_MCP_URL=${VERA_URL}`,
    '--runtime',
    'claude-code',
    '--offline',
    '--out',
    save(repo),
  ];

  it('is applied as it was planned', async () => {
    const repo = make();
    const before = repo.tree();
    expectCode(await repo.run(planVera(repo)), 0);
    expect(repo.tree()).toEqual(before);
    expect(fs.readFileSync(save(repo), 'utf8')).not.toContain('mcpServers": {}');
    expectCode(await repo.run(['apply', save(repo), '--offline']), 3);
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(['apply', save(repo), '--offline', '--yes']), 0);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera.url).toBe(VERA_URL);
  });

  it('is stale once a file of it changed', async () => {
    const repo = make();
    expectCode(await repo.run(planVera(repo)), 0);
    repo.write('.mcp.json', EMPTY.replace('{}', '{ "mine": { "command": "mine" } }'));
    const changed = repo.tree();
    const run = await repo.json(['apply', save(repo), '--offline', '--yes']);
    expectCode(run, 6);
    expect(run.document.error.code).toBe('plan/stale');
    expect(repo.tree()).toEqual(changed);
  });
});

describe('at a terminal', () => {
  it('the diff stands before the question; No is preselected and leaves everything', async () => {
    const repo = make();
    const before = repo.tree();
    const declined = await play(repo, ADD, [{ expect: /"vera"[\s\S]*Apply/, send: '\r' }]);
    expect(declined.code).toBe(3);
    expect(declined.screen.indexOf(VERA_URL)).toBeLessThan(declined.screen.indexOf('Apply'));
    expect(declined.screen).toMatch(/\+.*"vera"/);
    expect(repo.tree()).toEqual(before);

    const approved = await play(repo, ADD, [{ expect: /"vera"[\s\S]*Apply/, send: YES }]);
    expect(approved.code).toBe(0);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera.url).toBe(VERA_URL);
    expect(approved.screen).toContain('git add');
    const removed = await play(repo, ['uninstall', 'vera'], [{ expect: /-.*"vera"[\s\S]*\?/, send: YES }]);
    expect(removed.code).toBe(0);
    expect(repo.tree()).toEqual(before);
  });

  it('a file of the home folder is asked for by itself, and the line that repeats the run allows it', async () => {
    const repo = make();
    const run = await play(
      repo,
      [...ADD, '--scope', 'user'],
      [
        { expect: /Apply/, send: YES },
        { expect: /outside the repository: ~\/\.claude\.json/, send: 'y' },
      ],
    );
    expect(run.code).toBe(0);
    const said = run.screen.replace(/(?:\\?\s)+/g, ' ');
    expect(said.slice(said.indexOf('The same without questions'))).toContain('--allow user-files --yes');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['end of input', '\u0004'],
    ['a letter and Enter', 'n\r'],
  ])('%s leaves everything', async (_, send) => {
    const repo = make();
    const before = repo.tree();
    const result = await play(repo, ADD, [{ expect: /Apply/, send }]);
    expect([3, 130]).toContain(result.code);
    expect(repo.tree()).toEqual(before);
  });

  it('a file that changed while the question stood is not overwritten: exit 6', async () => {
    const repo = make();
    const theirs = EMPTY.replace('{}', '{ "other": { "command": "other" } }');
    const meanwhile = (): void => repo.write('.mcp.json', theirs);
    const result = await play(repo, ADD, [{ expect: /Apply/, send: YES, meanwhile }]);
    expect(result.code).toBe(6);
    expect(result.screen).toContain('plan/stale');
    expect(repo.text('.mcp.json')).toBe(theirs);
    expect(Object.keys(repo.tree())).toEqual(['.mcp.json']);
    expectCode(await repo.run([...ADD, '--yes']), 0);
    expect(Object.keys(JSON.parse(repo.text('.mcp.json')).mcpServers)).toEqual(['other', 'vera']);
  });
});

describe('two at once', () => {
  it('both end well or one is told to wait; the server stands there once', async () => {
    const repo = bench({ '.mcp.json': EMPTY, '.cursor/mcp.json': EMPTY });
    const runs = await Promise.all([
      repo.run(addVera(['claude-code', 'cursor'])),
      repo.run(addVera(['claude-code', 'cursor'])),
      repo.run(addVera(['cursor'])),
    ]);
    for (const run of runs) expect([0, 4, 6], run.stdout + run.stderr).toContain(run.code);
    expect(runs.some(({ code }) => code === 0)).toBe(true);
    for (const file of ['.mcp.json', '.cursor/mcp.json']) {
      const text = repo.text(file);
      expect(text.split('"vera"').length).toBeLessThanOrEqual(2);
      expect(() => JSON.parse(text)).not.toThrow();
    }
    expectCode(await repo.run(addVera(['claude-code', 'cursor'])), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.text('.mcp.json') + repo.text('.cursor/mcp.json')).toBe(EMPTY + EMPTY);
  });
});
