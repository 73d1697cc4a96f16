import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, type Files, runtimeFlags } from '../helpers/bench.ts';
import { lineEnds } from '../helpers/clients.ts';
import { GUIDE, packageWith } from '../helpers/package-copy.ts';

const BEGIN = '<!-- tenon:begin guide -->';
const END = '<!-- tenon:end guide -->';
const SKILL = '---\nname: house-rules\ndescription: Written by hand.\n---\n\nMine.\n';
const TWO = ['claude-code', 'codex'];

let packageDir: string;
beforeAll(() => {
  packageDir = packageWith(GUIDE);
});

const repoWith = (files: Files): Bench => bench(files, { cli: { packageDir } });
const setup = (runtimes: readonly string[], ...more: string[]): string[] => [
  'setup',
  'guide',
  ...runtimeFlags(runtimes),
  '--yes',
  ...more,
];
const uninstall = ['uninstall', 'guide', '--yes'];
const skillsBelow = (repo: Bench): string[] =>
  Object.keys(repo.tree()).filter((name) => name.endsWith('SKILL.md'));

describe('blocks in instruction files', () => {
  it('stand once where one name is a link to the other', async () => {
    const repo = repoWith({ 'AGENTS.md': '# Agents\n\nBuild first.\n', 'CLAUDE.md': { link: 'AGENTS.md' } });
    const before = repo.tree();
    const { document, ...run } = await repo.json(setup(TWO));
    expectCode(run, 0);
    const ops = document.data.plan.ops as { address: string }[];
    expect(ops.filter(({ address }) => address.includes('#block:'))).toHaveLength(1);
    expect(repo.text('AGENTS.md').split(BEGIN)).toHaveLength(2);
    expect(repo.text('AGENTS.md').split(END)).toHaveLength(2);
    expect(fs.readlinkSync(path.join(repo.root, 'CLAUDE.md'))).toBe('AGENTS.md');
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('keep CRLF, and are found again after a conversion to LF', async () => {
    const text = '# Agents\r\n\r\nTabs, please.\r\n';
    const repo = repoWith({ 'AGENTS.md': text });
    const before = repo.tree();
    expectCode(await repo.run(setup(['codex'])), 0);
    expect(lineEnds(repo.bytes('AGENTS.md')).lf).toBe(0);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);

    expectCode(await repo.run(setup(['codex'])), 0);
    repo.write('AGENTS.md', repo.text('AGENTS.md').replaceAll('\r\n', '\n'));
    expectCode(await repo.run(['doctor', '--offline']), 0);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.text('AGENTS.md')).toBe(text.replaceAll('\r\n', '\n'));
  });

  it('keep a missing final newline, and what stands before and behind them', async () => {
    const repo = repoWith({ 'AGENTS.md': '# Agents\n\nNo newline here' });
    const before = repo.tree();
    expectCode(await repo.run(setup(['codex'])), 0);
    repo.write('AGENTS.md', `top\n${repo.text('AGENTS.md')}\nbottom\n`);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.text('AGENTS.md')).toBe('top\n# Agents\n\nNo newline here\nbottom\n');
    repo.write('AGENTS.md', '# Agents\n\nNo newline here');
    expect(repo.tree()).toEqual(before);
  });

  it.each([
    ['a begin without its end', `# Agents\n\n${BEGIN}\nAsk.\n\n## Mine\n\nNever force.\n`, 3],
    ['an end without its begin', `# Agents\n\nAsk.\n${END}\n\n## Mine\n`, 4],
    ['two of the same name', `${BEGIN}\na\n${END}\n\n${BEGIN}\nb\n${END}\n`, 5],
  ])('that are damaged, %s, are refused with the line', async (_, text, line) => {
    const repo = repoWith({ 'AGENTS.md': text });
    const before = repo.stamps();
    const run = await repo.json(setup(['codex']));
    expectCode(run, 4);
    expect(run.document.error.message).toContain('AGENTS.md');
    expect(run.document.error.message).toMatch(new RegExp(`(:|line )${line}\\b`));
    expect(Object.keys(repo.stamps()).filter((name) => !name.startsWith('state:'))).toEqual(
      Object.keys(before),
    );
    expect(repo.text('AGENTS.md')).toBe(text);
    const doctor = await repo.json(['doctor', '--offline']);
    const damaged = (doctor.document.findings as { message: string; subject: string }[]).filter(
      ({ subject, message }) => `${subject} ${message}`.includes('AGENTS.md') && /block/.test(message),
    );
    expect(damaged, doctor.stdout).not.toEqual([]);
    expect(JSON.stringify(damaged)).toMatch(new RegExp(`(:|line )${line}\\b`));
  });

  it('that a person changed stay, and only those', async () => {
    const repo = repoWith({ 'AGENTS.md': '# Agents\n' });
    expectCode(await repo.run(setup(['codex'])), 0);
    repo.write('AGENTS.md', repo.text('AGENTS.md').replace('Ask the guide', 'Do not ask the guide'));
    const run = await repo.json(uninstall);
    expectCode(run, 1);
    expect(repo.text('AGENTS.md')).toContain('Do not ask the guide');
    expect(skillsBelow(repo)).toEqual([]);
    expect(repo.exists('.gitignore')).toBe(false);
  });
});

describe('skills', () => {
  const own: Files = {
    '.claude/skills/house-rules/SKILL.md': SKILL,
    '.claude/skills/house-rules/data/rates.csv': 'a;b\n1;2\n',
    '.claude/skills/other/SKILL.md': '---\nname: other\ndescription: o\n---\n',
  };

  it('of the same name that the user has are a conflict, and nothing is written', async () => {
    const repo = repoWith(own);
    const before = repo.tree();
    const { document, ...run } = await repo.json(setup(['claude-code']));
    expectCode(run, 4);
    expect(document.error.code).toBe('ownership/not-ours');
    expect(repo.tree()).toEqual(before);
  });

  it('that were replaced with consent come back, and no copy is left where skills are read', async () => {
    const repo = repoWith(own);
    const before = repo.tree();
    const resolve = '--resolve=.claude/skills/house-rules/SKILL.md=replace';
    expectCode(await repo.run(setup(['claude-code', 'codex'], resolve)), 0);
    expect(skillsBelow(repo).sort()).toEqual([
      '.agents/skills/house-rules/SKILL.md',
      '.claude/skills/house-rules/SKILL.md',
      '.claude/skills/other/SKILL.md',
    ]);
    expect(repo.text('.claude/skills/house-rules/SKILL.md')).toContain('Knock first.');
    const backups = path.join(repo.home, '.local/state/tenon/backup');
    const kept = (fs.readdirSync(backups, { recursive: true, encoding: 'utf8' }) as string[]).map((name) => ({
      name,
      stat: fs.statSync(path.join(backups, name)),
    }));
    const holds = kept.filter(
      ({ name, stat }) => stat.isFile() && fs.readFileSync(path.join(backups, name), 'utf8') === SKILL,
    );
    expect(holds.length).toBeGreaterThan(0);
    for (const { name, stat } of kept)
      expect(`${name} ${(stat.mode & 0o777).toString(8)}`).toBe(
        `${name} ${stat.isDirectory() ? '700' : '600'}`,
      );
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('are written once through a linked folder that two tools read', async () => {
    const repo = repoWith({
      '.agents/skills/other/SKILL.md': '---\nname: other\ndescription: o\n---\n',
      '.claude': { directory: true },
      '.claude/skills': { link: '../.agents/skills' },
    });
    const before = repo.tree();
    const { document, ...run } = await repo.json(setup([...TWO, 'opencode']));
    expectCode(run, 0);
    expect(fs.readlinkSync(path.join(repo.root, '.claude/skills'))).toBe('../.agents/skills');
    expect(skillsBelow(repo)).toEqual([
      '.agents/skills/house-rules/SKILL.md',
      '.agents/skills/other/SKILL.md',
    ]);
    expect(JSON.stringify(document.findings)).not.toContain('render/read-twice');
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('behind a link that leaves the repository are asked about with the real path', async () => {
    const repo = repoWith({ '.claude': { directory: true } });
    const shared = path.join(repo.home, 'shared-skills');
    fs.mkdirSync(shared);
    fs.symlinkSync(shared, path.join(repo.root, '.claude/skills'));
    const before = repo.tree();
    const { document, ...run } = await repo.json(setup(['claude-code'], '--without', 'hooks'));
    expectCode(run, 4);
    expect(document.error.code).toBe('file/outside');
    expect(document.error.message).toContain('~/shared-skills');
    expect(repo.tree()).toEqual(before);
    expect(fs.readdirSync(shared)).toEqual([]);
  });
});

describe('lines and scripts', () => {
  it('append to an ignore file without a final newline and take the same back', async () => {
    const repo = repoWith({ '.gitignore': 'dist\nbuild' });
    const before = repo.tree();
    expectCode(await repo.run(setup(['claude-code'])), 0);
    expect(repo.text('.gitignore')).toMatch(/^dist\nbuild\n\/\.guide-cache\/\n?$/);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('leave a line that was there before to its owner', async () => {
    const repo = repoWith({ '.gitignore': 'dist\n/.guide-cache/\nbuild\n' });
    const before = repo.tree();
    expectCode(await repo.run(setup(['claude-code'])), 0);
    expect(repo.text('.gitignore')).toBe('dist\n/.guide-cache/\nbuild\n');
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });
});

describe('a coding tool that only a further spec describes', () => {
  it('is configured like the others', async () => {
    const spec = JSON.parse(fs.readFileSync(path.join(packageDir, 'specs/cursor.json'), 'utf8')) as object;
    const text = JSON.stringify(spec, null, 2)
      .replaceAll('.cursor/', '.quill/')
      .replace('"id": "cursor"', '"id": "quill"')
      .replace('"name": "Cursor"', '"name": "Quill"');
    const extended = packageWith({ 'specs/quill.json': `${text}\n` });
    const repo = bench({ '.quill/mcp.json': '{ "mcpServers": {} }\n' }, { cli: { packageDir: extended } });
    const before = repo.tree();
    const add = ['add', 'x', 'http://127.0.0.1:8765/mcp', '--runtime', 'quill', '--offline', '--yes'];
    expectCode(await repo.run(add), 0);
    expect(JSON.parse(repo.text('.quill/mcp.json'))).toEqual({
      mcpServers: { x: { url: 'http://127.0.0.1:8765/mcp' } },
    });
    expectCode(await repo.run(['uninstall', 'x', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });
});
