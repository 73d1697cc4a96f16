import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { maxBytesOf, type ObserveOptions, observeFile } from '../../../src/engine/observe-file.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { scratch, type TreeEntry, writeTree } from '../../helpers/repo.ts';

function observe(files: Record<string, TreeEntry>, display: string, options: ObserveOptions = {}) {
  const base = scratch();
  writeTree(base, { 'repo/.git/HEAD': 'ref: refs/heads/main\n', 'home/.keep': '', ...files });
  const [root, home] = [path.join(base, 'repo'), path.join(base, 'home')];
  const abs = display.startsWith('~/') ? path.join(home, display.slice(2)) : path.join(root, display);
  const forbidden = options.forbidden?.map((folder) => path.join(base, folder));
  const facts = observeFile(
    realReader,
    { root, home, platform: 'linux', display, abs },
    { ...options, ...(forbidden === undefined ? {} : { forbidden }) },
  );
  return { facts, root, home, base };
}
const codeOf = (result: ReturnType<typeof observe>) => result.facts.problem?.code;

describe('observeFile', () => {
  it('reads a plain file', () => {
    const { facts, root } = observe({ 'repo/.mcp.json': { text: '{}\n', mode: 0o600 } }, '.mcp.json');
    expect(facts).toMatchObject({ exists: true, text: '{}\n', bom: false, size: 3, mode: 0o600 });
    expect(facts.real).toBe(path.join(root, '.mcp.json'));
    expect(facts.problem).toBeUndefined();
  });

  it('splits the byte-order mark off', () => {
    const { facts } = observe({ 'repo/a.json': '\ufeff{}' }, 'a.json');
    expect(facts).toMatchObject({ text: '{}', bom: true, size: 5 });
  });

  it('reports a missing file in missing folders as absent', () => {
    const { facts, root } = observe({}, '.claude/skills/x/SKILL.md');
    expect(facts).toMatchObject({ exists: false, hash: 'absent' });
    expect(facts.real).toBe(path.join(root, '.claude/skills/x/SKILL.md'));
  });

  it('follows a link to a link to a file (case F01)', () => {
    const result = observe(
      {
        'repo/dotfiles/mcp.json': '{}',
        'repo/store/mcp.json': { link: '../dotfiles/mcp.json' },
        'repo/.mcp.json': { link: 'store/mcp.json' },
      },
      '.mcp.json',
    );
    expect(result.facts).toMatchObject({
      exists: true,
      text: '{}',
      real: path.join(result.root, 'dotfiles/mcp.json'),
    });
    expect(codeOf(result)).toBeUndefined();
  });

  it('follows a linked folder inside the repository (case E08)', () => {
    const result = observe(
      { 'repo/.agents/skills/other/SKILL.md': 'x', 'repo/.claude/skills': { link: '../.agents/skills' } },
      '.claude/skills/vera/SKILL.md',
    );
    expect(result.facts).toMatchObject({
      exists: false,
      real: path.join(result.root, '.agents/skills/vera/SKILL.md'),
    });
    expect(codeOf(result)).toBeUndefined();
  });

  it('refuses a link that leaves the repository until it may be followed (case F03)', () => {
    const files = { 'home/dotfiles/mcp.json': '{}', 'repo/.mcp.json': { link: '../home/dotfiles/mcp.json' } };
    const refused = observe(files, '.mcp.json');
    expect(codeOf(refused)).toBe('file/outside');
    expect(refused.facts.problem?.message).toContain('~/dotfiles/mcp.json');
    expect(refused.facts.problem?.remedy?.command).toBe('--resolve .mcp.json=follow');
    const followed = observe(files, '.mcp.json', { follow: true });
    expect(followed.facts).toMatchObject({
      text: '{}',
      leaves: 'answered',
      real: path.join(followed.home, 'dotfiles/mcp.json'),
    });
    expect(codeOf(followed)).toBeUndefined();
  });

  it('refuses a folder that leaves the repository', () => {
    const files = { 'home/skills/.keep': '', 'repo/.claude/skills': { link: '../../home/skills' } };
    expect(codeOf(observe(files, '.claude/skills/x/SKILL.md'))).toBe('file/outside');
  });

  it.each([
    ['a .git folder', { 'repo/a.json': { link: '.git/HEAD' } }, 'inside a .git folder'],
    ['the state folder', { 'state/x': '', 'repo/a.json': { link: '../state/x' } }, "a folder of tenon's own"],
    ['a folder of the system', { 'repo/a.json': { link: '/etc/passwd' } }, 'a folder of the system'],
  ])('never follows a link into %s', (_, files, why) => {
    const result = observe(files as Record<string, TreeEntry>, 'a.json', {
      follow: true,
      forbidden: ['state'],
    });
    expect(codeOf(result)).toBe('file/outside');
    expect(result.facts.problem?.message).toContain(why);
    expect(result.facts.problem?.remedy?.command).toBeUndefined();
    expect(result.facts.text).toBeUndefined();
  });

  it('lets links of the home folder stay inside it', () => {
    const files = { 'home/dots/claude.json': '{}', 'home/.claude.json': { link: 'dots/claude.json' } };
    expect(observe(files, '~/.claude.json').facts).toMatchObject({ text: '{}' });
    const away = { 'other/claude.json': '{}', 'home/.claude.json': { link: '../other/claude.json' } };
    expect(codeOf(observe(away, '~/.claude.json'))).toBe('file/outside');
  });

  it.each([
    ['a dangling link', { 'repo/a.json': { link: 'nowhere.json' } }, 'file/dangling-link'],
    [
      'a circle of links',
      { 'repo/a.json': { link: 'b.json' }, 'repo/b.json': { link: 'a.json' } },
      'file/dangling-link',
    ],
    ['a folder', { 'repo/a.json': { directory: true } }, 'file/not-a-file'],
    ['a read-only file', { 'repo/a.json': { text: '{}', mode: 0o444 } }, 'file/read-only'],
    ['UTF-16', { 'repo/a.json': new Uint8Array([0xff, 0xfe, 0x7b, 0]) }, 'file/encoding'],
    ['a NUL byte', { 'repo/a.json': 'ab\0' }, 'file/encoding'],
    ['Latin-1', { 'repo/a.json': new Uint8Array([0x61, 0x0a, 0x62, 0xe9, 0x63]) }, 'file/encoding'],
  ])('refuses %s', (_, files, code) => {
    expect(codeOf(observe(files as Record<string, TreeEntry>, 'a.json'))).toBe(code);
  });

  it('says where the text stops being UTF-8 (cases G02, G03)', () => {
    const latin = observe({ 'repo/a.json': new Uint8Array([0x61, 0x0a, 0x62, 0xe9, 0x63]) }, 'a.json');
    expect(latin.facts.problem?.message).toBe('a.json is not UTF-8: byte 0xE9 at line 2, column 2 (byte 3)');
    const wide = observe({ 'repo/a.json': new Uint8Array([0xfe, 0xff, 0, 0x7b]) }, 'a.json');
    expect(wide.facts.problem?.message).toBe('a.json is UTF-16, convert to UTF-8');
    const cut = observe({ 'repo/a.json': new Uint8Array([0xc3, 0xa9, 0xe2, 0x82]) }, 'a.json');
    expect(cut.facts.problem?.message).toContain('(byte 2)');
  });

  it('refuses a parent that is a file', () => {
    const result = observe({ 'repo/.claude': 'x' }, '.claude/settings.json');
    expect(codeOf(result)).toBe('file/not-a-file');
    expect(result.facts.problem?.message).toContain('.claude is no folder');
  });

  describe('a link that a checkout without links holds as text', () => {
    const seen = (name: string, text: string | Uint8Array, display = name) =>
      observe(
        { 'repo/AGENTS.md': '# mine\n', 'repo/.agents/skills/x/SKILL.md': 'x', [`repo/${name}`]: text },
        display,
      );
    it('is refused, as a file and as a folder on the way', () => {
      const file = seen('CLAUDE.md', 'AGENTS.md');
      expect(file.facts.problem).toMatchObject({
        code: 'file/link-as-text',
        message: 'CLAUDE.md is a link to AGENTS.md that this checkout holds as text',
      });
      expect(file.facts.text).toBeUndefined();
      const folder = seen('.claude/skills', '../.agents/skills', '.claude/skills/x/SKILL.md');
      expect(folder.facts.problem).toMatchObject({ code: 'file/link-as-text' });
      expect(folder.facts.problem?.message).toContain(
        'its folder .claude/skills is a link to ../.agents/skills',
      );
    });
    it.each([
      ['with a line end', 'CLAUDE.md', 'AGENTS.md\n'],
      ['that names nothing', 'CLAUDE.md', 'NOTES.md'],
      ['that is a reference', 'CLAUDE.md', '@AGENTS.md'],
      ['of patterns', '.gitignore', 'AGENTS.md'],
      ['that is absolute', 'CLAUDE.md', '/etc'],
      ['that names itself', 'CLAUDE.md', 'CLAUDE.md'],
      ['with a NUL', 'CLAUDE.md', 'AGENTS.md\0'],
      ['of two words', 'CLAUDE.md', 'AGENTS.md '],
      ['that is empty', 'CLAUDE.md', ''],
    ])('is no text %s', (_, name, text) => {
      expect(codeOf(seen(name, text))).not.toBe('file/link-as-text');
    });
  });

  it('refuses a hard link, or has it written in place (case F04)', () => {
    const files = { 'repo/.mcp.json': '{}', 'repo/backup.json': { hardLink: 'repo/.mcp.json' } };
    expect(codeOf(observe(files, '.mcp.json'))).toBe('file/hard-linked');
    expect(observe(files, '.mcp.json', { force: true }).facts).toMatchObject({ text: '{}', inPlace: true });
  });

  it('bounds what it reads', () => {
    expect(codeOf(observe({ 'repo/a.json': 'x'.repeat(11) }, 'a.json', { maxBytes: 10 }))).toBe(
      'file/too-large',
    );
    expect(codeOf(observe({ 'repo/a.json': 'x'.repeat(10) }, 'a.json', { maxBytes: 10 }))).toBeUndefined();
    expect([maxBytesOf('a/config.toml'), maxBytesOf('a.json')]).toEqual([1_000_000, 5_000_000]);
  });
});
