import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../src/integrations/schema.ts';
import type { Json } from '../../src/lib/json.ts';
import { codesOf, expanded, placesOf, render, scratch, specs } from './support.ts';

type Hook = Extract<Artifact, { kind: 'hook' }>;
const hook = (more: Partial<Hook> = {}): Hook => ({
  name: 'warm',
  kind: 'hook',
  default: 'on',
  required: false,
  event: 'session-start',
  script: 'hooks/warm-up.cjs',
  plugin: 'plugins/warm-up.js',
  interpreter: 'node',
  args: ["it's", 'a b', 'plain'],
  timeoutSeconds: 5,
  ...more,
});
const script = 'process.stdout.write(JSON.stringify(process.argv.slice(2)));\n';
const files = { 'hooks/warm-up.cjs': script, 'plugins/warm-up.js': 'export const Warm = 1\n' };

const variables: Readonly<Record<string, string>> = {
  'claude-code': 'CLAUDE_PROJECT_DIR',
  'gemini-cli': 'GEMINI_PROJECT_DIR',
  'copilot-cli': 'COPILOT_PROJECT_DIR',
  'qwen-code': 'QWEN_PROJECT_DIR',
};
const runners = ['claude-code', 'codex', 'gemini-cli', 'copilot-cli', 'qwen-code'];

/** The command line of the rendered item, and the script written where it says. */
function install(id: string, one: Hook = hook(), scope: 'project' | 'user' = 'project') {
  const at = scratch({}, {}, "My Drive (täst)/it's here");
  const rendered = render({ ids: [id], artifacts: [expanded(one, files)], at, scope });
  const file = rendered.desired.find(({ target }) => target.place.kind === 'file');
  const item = rendered.desired.find(({ target }) => target.place.kind === 'item');
  if (file === undefined || item === undefined) throw new Error(`nothing for ${id}`);
  const path = file.target.path.startsWith('~/')
    ? join(at.home, file.target.path.slice(2))
    : join(at.root, file.target.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, String(file.value));
  const line = find(item.value, ['command', 'bash']);
  return { ...at, path, line, item, file };
}

function find(value: Json, names: readonly string[]): string {
  if (Array.isArray(value))
    return value.map((item: Json) => find(item, names)).find((text) => text !== '') ?? '';
  if (typeof value !== 'object' || value === null) return '';
  for (const [name, member] of Object.entries(value)) {
    const text = names.includes(name) && typeof member === 'string' ? member : find(member as Json, names);
    if (text !== '' && text !== 'command') return text;
  }
  return '';
}

function run(line: string, cwd: string, env: Record<string, string>) {
  const result = spawnSync('/bin/sh', ['-c', line], {
    cwd,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, ...env },
    encoding: 'utf8',
    input: '{}',
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

describe.each(runners)('the hook line of %s, in a folder with blanks, quotes and umlauts', (id) => {
  const variable = variables[id];
  const ok = { code: 0, out: JSON.stringify(["it's", 'a b', 'plain']), err: '' };
  const silent = { code: 0, out: '', err: '' };
  const git = (cwd: string): void => {
    execFileSync('git', ['init', '-q'], { cwd });
  };

  test('finds its script by the project variable, or by git, also from a sub-folder', () => {
    const { root, line } = install(id);
    const sub = join(root, 'a', 'b');
    mkdirSync(sub, { recursive: true });
    if (variable !== undefined) expect(run(line, '/', { [variable]: root })).toEqual(ok);
    git(root);
    expect(run(line, root, {})).toEqual(ok);
    expect(run(line, sub, {})).toEqual(ok);
    expect(run(line, sub, { GIT_DIR: '/nowhere/.git', GIT_WORK_TREE: '/nowhere' })).toEqual(ok);
  });

  test('says nothing and succeeds when the script is gone', () => {
    const { root, path, line } = install(id);
    rmSync(path);
    expect(run(line, root, variable === undefined ? {} : { [variable]: root })).toEqual(silent);
  });

  test('says nothing and succeeds when the interpreter is gone', () => {
    const { root, home, line } = install(id);
    const env = { PATH: join(home, 'empty'), ...(variable === undefined ? {} : { [variable]: root }) };
    expect(run(line, root, env)).toEqual(silent);
  });

  test('says nothing and succeeds when git is gone and no variable is set', () => {
    const { home, line } = install(id);
    const bin = join(home, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    expect(run(line, home, { PATH: bin })).toEqual(silent);
  });

  test('hands on what the script says', () => {
    const { root, path, line } = install(id);
    writeFileSync(path, 'process.exit(2)\n');
    expect(run(line, root, variable === undefined ? {} : { [variable]: root }).code).toBe(2);
  });

  test('holds no path of this machine', () => {
    const { root, home, item } = install(id);
    expect(JSON.stringify(item.value)).not.toContain(root);
    expect(JSON.stringify(item.value)).not.toContain(home);
    expect(item.target.place).toMatchObject({
      kind: 'item',
      tag: expect.stringMatching(/^\.[\w/-]+\/warm-up\.cjs$/u),
    });
  });

  test('the script exists before the entry that calls it', () => {
    const { file, item } = install(id);
    expect([file.order, item.order]).toEqual(['early', 'normal']);
    expect([file.class, item.class]).toEqual(['executes', 'executes']);
  });
});

test('in user scope the line finds its script in the home folder', () => {
  const { home, line, item } = install('claude-code', hook(), 'user');
  expect(item.target.path).toBe('~/.claude/settings.json');
  expect(run(line, '/', { HOME: home })).toMatchObject({
    code: 0,
    out: JSON.stringify(["it's", 'a b', 'plain']),
  });
});

describe('a hook before a tool', () => {
  const beforeTool = (more: Partial<Hook> = {}) =>
    hook({ event: 'before-tool', server: 'pantry', tools: ['put', 'take.out'], ...more });
  const matcherOf = (id: string, one: Hook): string => {
    const item = render({ ids: [id], artifacts: [expanded(one, files)] }).desired.find(
      ({ target }) => target.place.kind === 'item',
    );
    return find(item?.value ?? null, ['matcher']);
  };

  test('matches exactly its tools as the client spells them', () => {
    const matcher = new RegExp(matcherOf('claude-code', beforeTool()), 'u');
    const names = [
      'mcp__pantry__put',
      'mcp__pantry__take.out',
      'mcp__pantry__putX',
      'mcp__pantry__takeXout',
      'mcp__other__put',
    ];
    expect(names.filter((name) => matcher.test(name))).toEqual(['mcp__pantry__put', 'mcp__pantry__take.out']);
  });

  test('matches every tool of its server when none is named', () => {
    const { tools: _, ...any } = beforeTool();
    const matcher = new RegExp(matcherOf('claude-code', any), 'u');
    expect(['mcp__pantry__put', 'mcp__pantry2__put'].filter((name) => matcher.test(name))).toEqual([
      'mcp__pantry__put',
    ]);
  });

  test.each(['codex', 'gemini-cli', 'qwen-code'])('is left out where it cannot make %s ask', (id) => {
    const rendered = render({ ids: [id], artifacts: [expanded(beforeTool(), files)] });
    expect(rendered.desired).toEqual([]);
    expect(codesOf(rendered)).toEqual(['hook/cannot-ask']);
  });

  test('is left out where it would run before every tool', () => {
    const rendered = render({ ids: ['copilot-cli'], artifacts: [expanded(beforeTool(), files)] });
    expect(rendered.desired).toEqual([]);
    expect(codesOf(rendered)).toEqual(['hook/no-matcher']);
  });
});

describe('a hook before a tool that is left out beside a rule', () => {
  const asks = hook({ name: 'gate', event: 'before-tool', server: 'pantry' });
  const rule = (decision: 'ask' | 'allow', server = 'pantry') =>
    expanded({
      name: 'rule',
      kind: 'permission',
      default: 'on',
      required: false,
      decision,
      server,
      tools: ['put'],
    });
  const severityOf = (id: string, other: ReturnType<typeof rule>, missing: string[] = []) =>
    render({ ids: [id], artifacts: [expanded(asks, files), other], missing }).findings.find(({ code }) =>
      code.startsWith('hook/'),
    )?.severity;

  test('is a notice when the rule asks before the same server', () => {
    expect(severityOf('codex', rule('ask'))).toBe('info');
  });

  test('stays a warning when it does not, or when this host lacks the interpreter', () => {
    expect(severityOf('codex', rule('ask', 'other'))).toBe('warning');
    expect(severityOf('qwen-code', rule('allow'))).toBe('warning');
    expect(severityOf('gemini-cli', rule('ask'))).toBe('warning');
    expect(severityOf('claude-code', rule('ask'), ['node'])).toBe('warning');
  });
});

describe('hooks that are left out', () => {
  test('a missing interpreter is a warning with a remedy', () => {
    const rendered = render({
      ids: ['claude-code'],
      artifacts: [expanded(hook(), files)],
      missing: ['node'],
    });
    expect(rendered.desired).toEqual([]);
    expect(rendered.findings).toEqual([
      expect.objectContaining({
        code: 'hook/interpreter-missing',
        severity: 'warning',
        remedy: expect.anything(),
      }),
    ]);
  });

  test('a plugin needs no interpreter', () => {
    const rendered = render({ ids: ['opencode'], artifacts: [expanded(hook(), files)], missing: ['node'] });
    expect(placesOf(rendered)).toEqual(['.opencode/plugins/warm-up.js [opencode]']);
  });

  test('a runtime of plugins takes no script, one of scripts no plugin', () => {
    const { plugin: _, ...scriptOnly } = hook();
    const { script: __, ...pluginOnly } = hook();
    expect(codesOf(render({ ids: ['opencode'], artifacts: [expanded(scriptOnly, files)] }))).toEqual([
      'hook/form',
    ]);
    expect(codesOf(render({ ids: ['codex'], artifacts: [expanded(pluginOnly, files)] }))).toEqual([
      'hook/form',
    ]);
  });

  test.each(['hooks/a$(id).cjs', 'hooks/a b.cjs', 'hooks/-x.cjs', "hooks/a'.cjs"])(
    'an unsafe file name: %s',
    (name) => {
      const one = hook({ script: name });
      const rendered = render({ ids: ['claude-code'], artifacts: [expanded(one, { [name]: script })] });
      expect(rendered.desired).toEqual([]);
      expect(codesOf(rendered)).toEqual(['hook/unsafe-name']);
    },
  );

  test('a runtime that is not known to run hooks', () => {
    expect(codesOf(render({ ids: ['vscode'], artifacts: [expanded(hook(), files)] }))).toEqual([
      'render/unsupported',
    ]);
  });

  test('an artifact that the integration needs is an error', () => {
    const rendered = render({ ids: ['vscode'], artifacts: [expanded(hook({ required: true }), files)] });
    expect(rendered.findings[0]?.severity).toBe('error');
  });
});

test('two hooks of one script write it once', () => {
  const one = expanded(hook(), files);
  const two = expanded(hook({ name: 'ask', event: 'before-tool', server: 'pantry' }), files);
  expect(placesOf(render({ ids: ['claude-code'], artifacts: [one, two] }))).toEqual([
    '.claude/hooks/warm-up.cjs [claude-code]',
    '.claude/settings.json#hooks/SessionStart [claude-code]',
    '.claude/settings.json#hooks/PreToolUse [claude-code]',
  ]);
});

test('a PowerShell line is there only when its arguments need no quotes', () => {
  const lineOf = (args: string[]): string => {
    const rendered = render({ ids: ['codex'], artifacts: [expanded(hook({ args }), files)] });
    return JSON.stringify(rendered.desired.map(({ value }) => value));
  };
  expect(lineOf(['start'])).toContain('commandWindows');
  expect(lineOf(["it's"])).not.toContain('commandWindows');
});

test('every runtime that runs command lines is tried here', () => {
  const known = [...specs.values()].filter(
    ({ hooks }) => hooks?.support.state === 'supported' && hooks.form === 'command',
  );
  expect(known.map(({ id }) => id).sort()).toEqual([...runners].sort());
});
