import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli } from '../helpers/cli.ts';
import { git, gitRepo, scratch, treeOf } from '../helpers/repo.ts';
import { junitCases, sarifProblems } from '../helpers/report-validators.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}
const action = parse(read('action.yml')) as {
  inputs: Record<string, { default: string }>;
  runs: { steps: Step[] };
};

let healthy = '';
let broken = '';
const shim = scratch();

beforeAll(async () => {
  healthy = gitRepo();
  const { code } = await runCli(
    ['setup', 'tenon', '--runtime', 'claude-code', '--runtime', 'codex', '--yes'],
    {
      cwd: healthy,
    },
  );
  expect(code).toBe(0);
  accept(healthy, read('docs', 'ci.md'));
  git(healthy, ['add', '-A']);
  git(healthy, ['commit', '-q', '-m', 'Set up']);
  broken = scratch();
  git(broken, ['clone', '-q', healthy, '.']);
  appendFileSync(join(broken, '.claude/skills/tenon/SKILL.md'), 'an edit\n');
  writeFileSync(join(broken, '.mcp.json'), '{\n  "mcpServers": {\n');
  writeFileSync(join(shim, 'tenon'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(join(shim, 'tenon'), 0o755);
});

/** Adds the suppression that the page recommends for runners, as it stands there. */
function accept(repo: string, page: string): void {
  const [, text = ''] = /```json\n(\{ "suppressions": .*not-certified.*\})\n```/.exec(page) ?? [];
  const file = join(repo, '.tenon', 'manifest.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...JSON.parse(text) }));
}

const environment = (more: Record<string, string> = {}): Record<string, string> =>
  cleanEnv(makeHome(), {
    CI: 'true',
    PATH: [shim, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    ...more,
  });

const bash = (script: string, cwd: string, env: Record<string, string>) =>
  spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env,
    encoding: 'utf8',
  });

/** Executes the steps of action.yml as the runner does: expressions, conditions, outputs, the summary file. */
function runAction(repo: string, given: Record<string, string> = {}) {
  const temp = scratch();
  const [output, summary] = [join(temp, 'output'), join(temp, 'summary')];
  for (const file of [output, summary]) writeFileSync(file, '');
  const defaults = Object.entries(action.inputs).map(([key, { default: value }]) => [key, value]);
  const inputs: Record<string, string> = {
    ...Object.fromEntries(defaults),
    command: `node ${BIN}`,
    ...given,
  };
  const outputs: Record<string, string> = {};
  const expand = (text: string): string =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, path: string) => {
      if (path.startsWith('inputs.')) return inputs[path.slice('inputs.'.length)] ?? '';
      if (path.startsWith('steps.check.outputs.'))
        return outputs[path.slice('steps.check.outputs.'.length)] ?? '';
      if (path === 'github.action_path') return ROOT;
      throw new Error(`unknown expression ${path}`);
    });
  const used: string[] = [];
  let log = '';
  for (const step of action.runs.steps) {
    const condition = /^inputs\.([\w-]+) == '(.*)'$/.exec(step.if ?? '');
    if (step.if !== undefined && condition === null) throw new Error(`unknown condition ${step.if}`);
    if (condition !== null && inputs[condition[1] ?? ''] !== condition[2]) continue;
    if (step.uses !== undefined) {
      used.push(step.uses);
      continue;
    }
    // An expression inside a script would run what it holds.
    expect(step.run).not.toContain('${{');
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([key, text]) => [key, expand(text)]));
    const cwd = join(repo, expand(step['working-directory'] ?? '.'));
    const github = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp };
    const result = bash(step.run ?? '', cwd, environment({ ...github, ...env }));
    log += result.stdout;
    for (const line of readFileSync(output, 'utf8').split('\n')) {
      const at = line.indexOf('=');
      if (at > 0) outputs[line.slice(0, at)] = line.slice(at + 1);
    }
    if (result.status !== 0) {
      return {
        code: result.status,
        step: step.name,
        log,
        outputs,
        used,
        summary: readFileSync(summary, 'utf8'),
      };
    }
  }
  return { code: 0, step: '', log, outputs, used, summary: readFileSync(summary, 'utf8') };
}

const annotations = (log: string): string[] => log.split('\n').filter((line) => line.startsWith('::'));

describe('action.yml, step by step', () => {
  it('passes on a healthy repository and changes nothing', async () => {
    const before = treeOf(healthy);
    const run = runAction(healthy, { 'upload-sarif': 'true' });
    expect(run, run.log).toMatchObject({ code: 0, outputs: { 'doctor-exit': '0', 'sync-exit': '0' } });
    expect(treeOf(healthy)).toEqual(before);
    expect(sarifProblems(readFileSync(run.outputs['sarif'] ?? '', 'utf8'))).toEqual([]);
    const cases = await junitCases(readFileSync(run.outputs['junit'] ?? '', 'utf8'));
    expect(cases.filter(({ failure, error }) => failure ?? error)).toEqual([]);
    expect(annotations(run.log).filter((line) => /^::(error|warning)/.test(line))).toEqual([]);
    expect(run.summary).toContain('0 failed');
    expect(run.used).toEqual([expect.stringMatching(/^github\/codeql-action\/upload-sarif@[0-9a-f]{40}$/)]);
  });

  it('fails on a broken one, with file and line in every report', async () => {
    const run = runAction(broken);
    expect(run).toMatchObject({ code: 1, step: 'Gates', outputs: { 'doctor-exit': '1', 'sync-exit': '1' } });
    const sarif = readFileSync(run.outputs['sarif'] ?? '', 'utf8');
    expect(sarifProblems(sarif)).toEqual([]);
    const malformed = JSON.parse(sarif).runs[0].results.find(
      ({ ruleId }: { ruleId: string }) => ruleId === 'config/malformed',
    );
    expect(malformed.locations[0].physicalLocation).toMatchObject({
      artifactLocation: { uri: '.mcp.json' },
      region: { startLine: 3 },
    });
    const cases = await junitCases(readFileSync(run.outputs['junit'] ?? '', 'utf8'));
    expect(cases.filter(({ failure }) => failure !== undefined).length).toBeGreaterThan(0);
    expect(
      annotations(run.log).some((line) =>
        line.startsWith('::error title=config/malformed,file=.mcp.json,line=3'),
      ),
    ).toBe(true);
    expect(run.summary).toContain('config/malformed');
    expect(run.used).toEqual([]);
  });

  it('fails with 2 where there is no repository, with reports that say so', async () => {
    const run = runAction(scratch());
    expect(run.code).toBe(2);
    const sarif = readFileSync(run.outputs['sarif'] ?? '', 'utf8');
    expect(sarifProblems(sarif)).toEqual([]);
    expect(JSON.parse(sarif).runs[0].invocations[0].executionSuccessful).toBe(false);
    const cases = await junitCases(readFileSync(run.outputs['junit'] ?? '', 'utf8'));
    expect(cases[0]?.error).toBeDefined();
  });

  it('checks the folder that it is given, and names its files from the top level', async () => {
    const top = gitRepo();
    mkdirSync(join(top, 'services/shop'), { recursive: true });
    const words = ['setup', 'tenon', '--runtime', 'claude-code', '--yes', '--root', 'services/shop'];
    expect((await runCli(words, { cwd: top })).code).toBe(0);
    accept(join(top, 'services/shop'), read('docs', 'ci.md'));
    git(top, ['add', '-A']);
    git(top, ['commit', '-q', '-m', 'Set up']);
    const folder = { 'working-directory': 'services/shop' };
    const good = runAction(top, folder);
    expect(good, good.log).toMatchObject({ code: 0, outputs: { 'doctor-exit': '0', 'sync-exit': '0' } });
    appendFileSync(join(top, 'services/shop/.claude/skills/tenon/SKILL.md'), 'an edit\n');
    writeFileSync(join(top, 'services/shop/.mcp.json'), '{\n  "mcpServers": {\n');
    const bad = runAction(top, folder);
    expect(bad).toMatchObject({ code: 1, step: 'Gates', outputs: { 'doctor-exit': '1', 'sync-exit': '1' } });
    const files = annotations(bad.log).flatMap((line) => /^::error .*file=([^,:]*)/.exec(line)?.[1] ?? []);
    expect([...new Set(files)].sort()).toEqual([
      'services/shop/.claude/skills/tenon/SKILL.md',
      'services/shop/.mcp.json',
    ]);
    const sarif = readFileSync(bad.outputs['sarif'] ?? '', 'utf8');
    expect(sarifProblems(sarif)).toEqual([]);
    expect(sarif).toContain('"uri":"services/shop/.mcp.json"');
    expect(sarif).not.toContain('"uri":".');
    const places = bad.summary
      .split('\n')
      .flatMap((line) => /^\| \S+ error \| [^|]* \| ([^ |]*)/.exec(line)?.[1] ?? []);
    expect(places.map((place) => place.replace(/&#.*/, '')).sort()).toEqual([
      'services/shop/.claude/skills/tenon/SKILL.md',
      'services/shop/.mcp.json',
    ]);
  });

  it('installs an exact version only', () => {
    const [install] = action.runs.steps;
    for (const version of ['latest', '^1.0.0', '1.0.0 --registry=x', '']) {
      expect(
        bash(install?.run ?? '', healthy, environment({ TENON_VERSION: version, RUNNER_TEMP: scratch() }))
          .status,
      ).toBe(2);
    }
  });

  it('escapes the summary', () => {
    const file = join(scratch(), 'doctor.json');
    const message = '<img src=x onerror=alert(1)> | [x](javascript:1) `a` \n# b';
    writeFileSync(
      file,
      JSON.stringify({ data: {}, findings: [{ severity: 'error', code: 'a/b', subject: '.', message }] }),
    );
    const { stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/ci-summary.mjs'), file], {
      encoding: 'utf8',
    });
    expect(stdout).not.toMatch(/<img|\[x\]|`a`|^# b/m);
    expect(stdout).toContain('onerror');
  });
});

describe('the job of ci.yml that uses the action, step by step', () => {
  const { jobs } = parse(read('.github', 'workflows', 'ci.yml')) as {
    jobs: Record<string, { steps: (Step & { with?: Record<string, string> })[] }>;
  };
  const { steps = [] } = Object.values(jobs).find((job) => job.steps.some(({ uses }) => uses === './')) ?? {};

  it.each([
    ['healthy', 0],
    ['broken', 1],
  ] as const)('ends on a %s repository with %i', async (which, code) => {
    const done: string[] = [];
    let result: ReturnType<typeof runAction> | undefined;
    for (const { uses, run, with: given = {} } of steps) {
      done.push(run ?? uses?.replace(/@.*/, '') ?? '');
      if (uses !== './') continue;
      const inputs = Object.entries(given).map(([key, text]): [string, string] => [
        key,
        text.replace('${{ github.workspace }}', dirname(dirname(BIN))),
      ]);
      result = runAction(which === 'healthy' ? healthy : broken, Object.fromEntries(inputs));
    }
    // Checking out, Node and the build are there already; what is left is ours.
    expect(done).toEqual([
      'actions/checkout',
      'actions/setup-node',
      'npm ci --no-audit --no-fund && npm run build',
      './',
    ]);
    expect(result?.code).toBe(code);
    expect(sarifProblems(readFileSync(result?.outputs['sarif'] ?? '', 'utf8'))).toEqual([]);
    expect((await junitCases(readFileSync(result?.outputs['junit'] ?? '', 'utf8'))).length).toBeGreaterThan(
      5,
    );
  });
});

describe('workflows', () => {
  it.each(['ci.yml', 'release.yml'])('%s pins every action and starts without permissions', (name) => {
    const text = read('.github', 'workflows', name);
    const workflow = parse(text) as {
      permissions: object;
      jobs: Record<string, { permissions: object; 'timeout-minutes': number; steps: Step[] }>;
    };
    expect(workflow.permissions).toEqual({});
    for (const job of Object.values(workflow.jobs)) {
      expect(job.permissions).toBeDefined();
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const { uses, run } of job.steps) {
        if (uses !== undefined && uses !== './') expect(uses).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/);
        expect(run ?? '').not.toContain('${{');
      }
    }
    expect(text).not.toContain('pull_request_target');
  });
});

describe('the other recipes', () => {
  const page = read('docs', 'ci.md');
  const blocks = (language: string): string[] =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

  it('pre-commit: its hooks pass on a healthy repository and fail on a broken one', () => {
    const hooks = parse(read('.pre-commit-hooks.yaml')) as { id: string; entry: string }[];
    expect(hooks.map(({ id }) => id)).toEqual(['tenon-doctor', 'tenon-sync-check']);
    for (const { entry } of hooks) {
      expect(bash(entry, healthy, environment()).status, entry).toBe(0);
      expect(bash(entry, broken, environment()).status, entry).toBe(1);
    }
  });

  it('the generic snippet', () => {
    const snippet = blocks('bash').find((text) => text.includes('tenon sync --check')) ?? '';
    const script = snippet.replaceAll('\r', '');
    const run = (repo: string) => spawnSync('sh', ['-c', script], { cwd: repo, env: environment() }).status;
    expect([run(healthy), run(broken)]).toEqual([0, 1]);
  });

  it('GitLab: the script passes and fails, and leaves a JUnit report', async () => {
    const { tenon } = parse(blocks('yaml').find((text) => text.includes('image: node')) ?? '') as {
      tenon: { script: string[] };
    };
    const script = tenon.script.filter((line) => !line.startsWith('npm install')).join('\n');
    for (const [repo, code] of [
      [healthy, 0],
      [broken, 1],
    ] as const) {
      const copy = scratch();
      git(copy, ['clone', '-q', repo, '.']);
      if (code === 1) writeFileSync(join(copy, '.mcp.json'), '{');
      expect(spawnSync('sh', ['-ec', script], { cwd: copy, env: environment() }).status).toBe(code);
      const cases = await junitCases(readFileSync(join(copy, 'tenon.junit.xml'), 'utf8'));
      expect(cases.length).toBeGreaterThan(5);
    }
  });

  it('a container that is made anew takes over what the manifest says, without a question', () => {
    const { postCreateCommand } = JSON.parse(
      blocks('json').find((text) => text.includes('postCreateCommand')) ?? '{}',
    ) as { postCreateCommand: string };
    const [install = '', ...rest] = postCreateCommand.split(' && ');
    expect(install).toMatch(/^npm install --global .*tenon@\d+\.\d+\.\d+$/);
    const clone = scratch();
    git(clone, ['clone', '-q', healthy, '.']);
    const fresh = { ...environment(), HOME: makeHome() };
    const run = (line: string) =>
      spawnSync('sh', ['-c', line], { cwd: clone, env: fresh, encoding: 'utf8', input: '' });
    expect(run('tenon status --json').stdout).toContain('"adoptable":["');
    const created = run(rest.join(' && '));
    expect(created.status, created.stdout + created.stderr).toBe(0);
    expect(run('tenon status --json').stdout).not.toContain('"adoptable":["');
    expect(run('git status --short').stdout).toBe('');
    expect(run('tenon uninstall --yes').status).toBe(0);
  });

  it('merges reports of several repositories into one that is valid', () => {
    const folder = scratch();
    mkdirSync(join(folder, 'x'));
    for (const [name, repo] of [
      ['a', healthy],
      ['b', broken],
    ] as const) {
      const { stdout } = bash('tenon doctor --offline --format sarif || true', repo, environment());
      writeFileSync(join(folder, `${name}.sarif`), stdout);
    }
    const snippet = blocks('bash').find((text) => text.includes('merged.sarif')) ?? '';
    expect(bash(snippet, folder, environment()).status).toBe(0);
    const merged = readFileSync(join(folder, 'merged.sarif'), 'utf8');
    expect(sarifProblems(merged)).toEqual([]);
    expect(JSON.parse(merged).runs).toHaveLength(2);
  });
});
