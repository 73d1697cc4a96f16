import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runCli, runJson, runTerminal } from '../helpers/cli.ts';
import { packageWith } from '../helpers/package-copy.ts';
import { gitRepo, treeOf, writeTree } from '../helpers/repo.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const page = (name: string): string => readFileSync(join(DOCS, name), 'utf8');

/** The command lines of a page's console blocks, in order. */
const commandsOf = (text: string): string[][] =>
  [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block
      .split('\n')
      .filter((line) => line.startsWith('$ tenon '))
      .map((line) => line.slice('$ tenon '.length).split(' ')),
  );
const jsonOf = (text: string): string => /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '';

describe('docs/adding-an-integration.md, followed literally', () => {
  it('ends with an integration in three coding tools, and without a trace of it', async () => {
    const text = page('adding-an-integration.md');
    const repo = gitRepo({
      '.mcp.json': '{\n    "mcpServers": { "index": { "command": "index-mcp" } }\n}',
      '.codex/config.toml': '# ours\nmodel = "x"\r\n',
      'opencode.json': '{ "mcp": {} }\n',
    });
    const home = makeHome();
    const options = { home, cwd: repo };
    const done: string[] = [];
    let before = {};
    for (const args of commandsOf(text)) {
      const [command = ''] = args;
      done.push(command);
      if (command === 'setup') before = treeOf(repo);
      if (command === 'trust') {
        const { code, screen } = await runTerminal(
          args,
          [{ expect: 'exactly as shown', send: 'y' }],
          options,
        );
        expect(code, screen).toBe(0);
        continue;
      }
      const { code, stdout, stderr } = await runCli(args, options);
      expect(code, `tenon ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
      if (command === 'new') {
        writeFileSync(join(repo, 'glossary', 'integration.json'), jsonOf(text));
        const skill = join(repo, 'glossary', 'skills', 'glossary', 'SKILL.md');
        writeFileSync(
          skill,
          readFileSync(skill, 'utf8').replace('What to do, step by step.', 'Look the term up.'),
        );
      }
      if (command === 'setup') {
        for (const file of ['.mcp.json', '.codex/config.toml', 'opencode.json']) {
          expect(readFileSync(join(repo, file), 'utf8')).toContain('glossary');
        }
        expect(readFileSync(join(repo, '.claude/skills/glossary/SKILL.md'), 'utf8')).toContain(
          'Look the term',
        );
      }
    }
    expect(done).toEqual(['new', 'validate', 'plan', 'trust', 'setup', 'status', 'uninstall']);
    expect(treeOf(repo)).toEqual(before);
  });
});

describe('docs/adding-a-runtime.md', () => {
  it('starts with a spec that validates, and names line and column of a mistake', async () => {
    const repo = gitRepo();
    expect(page('adding-a-runtime.md')).toContain('tenon new runtime <id>');
    expect((await runCli(['new', 'runtime', 'acme'], { cwd: repo })).code).toBe(0);
    const good = await runJson(['validate', 'specs/acme.json'], { cwd: repo });
    expect(good).toMatchObject({ code: 0, document: { data: { kind: 'runtime', id: 'acme' } } });
    const spec = join(repo, 'specs', 'acme.json');
    writeFileSync(
      spec,
      readFileSync(spec, 'utf8').replace('"create": ".acme/mcp.json"', '"create": "other.json"'),
    );
    const line =
      readFileSync(spec, 'utf8')
        .split('\n')
        .findIndex((one) => one.includes('other.json')) + 1;
    const bad = await runJson(['validate', 'specs/acme.json'], { cwd: repo });
    expect(bad.code).toBe(1);
    expect(bad.document.findings[0]).toMatchObject({
      code: 'runtime/spec-invalid',
      data: { file: 'specs/acme.json', line },
    });
  });
});

describe('the story in docs/adding-a-runtime.md, followed literally', () => {
  const ID = 'continue';
  const OWN = [`specs/${ID}.json`, `test/runtimes/${ID}/`];
  const isOwn = (path: string): boolean => OWN.some((own) => path.startsWith(own));

  /** The blocks that are data for a file of the checkout: path and text, in order. */
  const filesOf = (text: string): [string, string][] =>
    [...text.matchAll(/```jsonc? (\S+)\n([\s\S]*?)```/g)].map(([, path = '', body = '']) => [path, body]);

  it('adds a coding tool with data alone, which is set up, diagnosed and taken out', async () => {
    const text = page('adding-a-runtime.md');
    const copy = packageWith({});
    // As if it had never been there: the file, and what the build made of it.
    rmSync(join(copy, 'specs', `${ID}.json`));
    const built = join(copy, 'dist', 'specs.json');
    const { [ID]: _gone, ...others } = JSON.parse(readFileSync(built, 'utf8')) as Record<string, unknown>;
    writeFileSync(built, JSON.stringify(others));
    const before = treeOf(copy);
    const home = makeHome();
    const unknown = await runCli(['runtimes', ID], { cwd: copy, home, packageDir: copy });
    expect(unknown.code).toBe(2);

    const commands = commandsOf(text);
    expect(commands.map(([command]) => command)).toEqual([
      ...['new', 'validate', 'runtimes'],
      ...['setup', 'doctor', 'uninstall'],
    ]);
    const run = async (args: readonly string[], cwd: string) => {
      const { code, stdout, stderr } = await runCli(args, { cwd, home, packageDir: copy });
      expect(code, `tenon ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
      return stdout;
    };
    await run(commands[0] ?? [], copy);
    const starter = join(copy, 'test', 'runtimes', ID);
    rmSync(starter, { recursive: true });
    for (const [path, body] of filesOf(text)) {
      expect(isOwn(path), path).toBe(true);
      const file = join(copy, path);
      mkdirSync(dirname(file), { recursive: true });
      const isSpec = path === OWN[0];
      const old = isSpec ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {};
      writeFileSync(file, isSpec ? JSON.stringify({ ...old, ...JSON.parse(body) }) : body);
    }
    await run(commands[1] ?? [], copy);
    expect(await run(commands[2] ?? [], copy)).toContain('Continue');

    // Data alone: what was added is the spec and the folder of fixtures, as they stand in the repository.
    const changed = Object.entries(treeOf(copy)).filter(([path, value]) => before[path] !== value);
    // Node keeps the compiled code of the program there.
    const files = changed.map(([path]) => path).filter((path) => !path.startsWith('dist/cache'));
    expect(files.filter((path) => path.includes('.') && !isOwn(path))).toEqual([]);
    const repository = join(DOCS, '..');
    const made = JSON.parse(readFileSync(join(copy, OWN[0] ?? ''), 'utf8'));
    expect(made).toEqual(JSON.parse(readFileSync(join(repository, OWN[0] ?? ''), 'utf8')));
    for (const path of ['shape.json', 'existing/before/.continue/mcpServers/mcp.json']) {
      const there = join(repository, OWN[1] ?? '', path);
      expect(readFileSync(join(copy, OWN[1] ?? '', path), 'utf8'), path).toBe(readFileSync(there, 'utf8'));
    }

    const fixture = filesOf(text).find(([path]) => path.endsWith('mcp.json'))?.[1] ?? '';
    const repo = gitRepo({ '.continue/mcpServers/mcp.json': fixture });
    const start = treeOf(repo);
    await run(commands[3] ?? [], repo);
    expect(readFileSync(join(repo, '.continue/mcpServers/mcp.json'), 'utf8')).toContain('"VK_API_URL"');
    await run(commands[4] ?? [], repo);
    await run(commands[5] ?? [], repo);
    expect(treeOf(repo)).toEqual(start);
  });
});

describe('tenon new', () => {
  it('names the new folder as setup takes it, from the root of the repository', async () => {
    const cwd = join(gitRepo(), 'my tools');
    mkdirSync(cwd);
    const { stdout } = await runCli(['new', 'integration', 'other', '--dry-run'], { cwd });
    expect(stdout).toContain("tenon setup './my tools/other' --dry-run");
    expect(stdout).toContain('tenon validate ./other');
  });

  it('touches nothing that exists, and refuses an id that is none', async () => {
    const repo = gitRepo({ 'acme/keep.txt': 'mine\n' });
    const before = treeOf(repo);
    expect((await runJson(['new', 'integration', 'acme'], { cwd: repo })).document).toMatchObject({
      exitCode: 4,
      error: { code: 'file/exists' },
    });
    for (const id of ['../x', 'A', 'a b', '.git', '']) {
      expect((await runCli(['new', 'integration', id], { cwd: repo })).code).toBe(2);
    }
    expect((await runCli(['new', 'integration', 'other', '--dry-run'], { cwd: repo })).code).toBe(0);
    expect(treeOf(repo)).toEqual(before);
  });
});

describe('tenon validate', () => {
  const made = async () => {
    const repo = gitRepo();
    await runCli(['new', 'integration', 'acme'], { cwd: repo });
    const file = join(repo, 'acme', 'integration.json');
    const edit = (from: string | RegExp, to: string) =>
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    const validate = () => runJson(['validate', './acme', '--runtime', 'claude-code'], { cwd: repo });
    return { repo, file, edit, validate };
  };

  it('reads only', async () => {
    const { repo, validate } = await made();
    const before = treeOf(repo);
    expect((await validate()).code).toBe(0);
    expect(treeOf(repo)).toEqual(before);
  });

  it.each<[string, string | RegExp, string, string, RegExp]>([
    ['a newer version', '"schemaVersion": 1', '"schemaVersion": 2', 'integration/unsupported-version', /2/],
    ['an unknown member', '"title"', '"more": 1, "title"', 'integration/invalid', /more/],
    ['an absolute path', '"skills/acme"', '"/etc"', 'integration/invalid', /integration\.json:\d+:\d+/],
    ['a path out', '"skills/acme"', '"../x"', 'integration/invalid', /integration\.json:\d+:\d+/],
    ['an unknown placeholder', '"https', '"https', 'integration/unknown-placeholder', /NOWHERE/],
    [
      'a literal secret',
      '"http": {',
      '"http": { "headers": { "Authorization": "Bearer abcdefgh12345678" },',
      'secret/literal',
      /integration\.json:\d+:\d+/,
    ],
    ['no JSON', '{', '{,', 'integration/invalid', /integration\.json:1:2/],
  ])('names %s with its place', async (title, from, to, code, message) => {
    const { edit, validate } = await made();
    if (title === 'an unknown placeholder') edit('"{ACME_URL}"', '"{NOWHERE}"');
    else edit(from, to);
    const { document } = await validate();
    expect(document).toMatchObject({ exitCode: 1, error: null });
    expect(document.findings[0]).toMatchObject({ code, severity: 'error' });
    expect(document.findings[0].message).toMatch(message);
  });

  it('refuses a link out of the folder and a huge file', async () => {
    const { repo, validate } = await made();
    symlinkSync('/etc/hostname', join(repo, 'acme', 'link'));
    expect((await validate()).document.findings[0]).toMatchObject({ code: 'integration/invalid' });
    rmSync(join(repo, 'acme', 'link'));
    writeFileSync(join(repo, 'acme', 'big.bin'), Buffer.alloc(100 * 1024 * 1024));
    const { document } = await validate();
    expect(document.findings[0].message).toContain('larger than 1 MB');
  });

  it('warns about a launch that fetches whatever is newest', async () => {
    const { file, validate } = await made();
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const [{ http: _, ...server }, ...others] = manifest.artifacts;
    const stdio = { command: 'npx', args: ['-y', 'acme-mcp'] };
    writeFileSync(
      file,
      JSON.stringify({
        ...manifest,
        inputs: [],
        endpoints: [],
        artifacts: [{ ...server, stdio }, ...others],
      }),
    );
    const { code, document } = await validate();
    expect(code).toBe(0);
    expect(document.findings).toEqual([expect.objectContaining({ code: 'trust/unpinned-launch' })]);
  });

  it('compares the output with golden.json', async () => {
    const { repo, edit, validate } = await made();
    const { document } = await validate();
    expect(Object.keys(document.data.golden['claude-code'])).toEqual([
      '.claude/skills/acme/SKILL.md',
      '.mcp.json',
    ]);
    writeFileSync(join(repo, 'acme', 'golden.json'), JSON.stringify(document.data.golden));
    expect((await validate()).code).toBe(0);
    edit('"server": "acme"', '"server": "acme2"');
    const changed = await validate();
    expect(changed.code).toBe(1);
    expect(changed.document.findings[0]).toMatchObject({ code: 'integration/golden-differs' });
    expect(changed.document.findings[0].message).toContain('.mcp.json');
  });

  it('says what there is when the folder is missing or empty', async () => {
    const repo = gitRepo();
    mkdirSync(join(repo, 'empty'));
    writeTree(repo, { 'empty/x.txt': 'x' });
    expect((await runCli(['validate', './nowhere'], { cwd: repo })).code).toBe(2);
    expect((await runJson(['validate', './empty'], { cwd: repo })).document.findings[0].message).toContain(
      'integration.json does not exist',
    );
  });
});
