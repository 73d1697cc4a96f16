import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../src/integrations/schema.ts';
import { codesOf, expanded, httpServer, onlyOne, placesOf, render, scratch } from './support.ts';

const base = { default: 'on', required: false } as const;

describe('a skill', () => {
  const skill: Artifact = { ...base, name: 'skill', kind: 'skill', skill: 'pantry', folder: 'skills/pantry' };
  const files = {
    'skills/pantry/SKILL.md': '---\r\nname: pantry\r\n---\r\n',
    'skills/pantry/bin/count.sh': '#!/bin/sh\n',
  };
  const places = (ids: string[], at = scratch()): string[] =>
    placesOf(render({ ids, artifacts: [expanded(skill, files)], at })).filter((place) =>
      place.includes('SKILL.md'),
    );

  test.each([
    [['claude-code'], ['.claude/skills/pantry/SKILL.md [claude-code]']],
    [['codex'], ['.agents/skills/pantry/SKILL.md [codex]']],
    [['opencode'], ['.opencode/skills/pantry/SKILL.md [opencode]']],
    [['claude-code', 'opencode'], ['.claude/skills/pantry/SKILL.md [claude-code,opencode]']],
    [['codex', 'gemini-cli', 'qwen-code'], ['.agents/skills/pantry/SKILL.md [codex,gemini-cli,qwen-code]']],
    [
      ['claude-code', 'codex', 'opencode'],
      [
        '.claude/skills/pantry/SKILL.md [claude-code,opencode]',
        '.agents/skills/pantry/SKILL.md [codex,opencode]',
      ],
    ],
  ])('for %j is written in the fewest places', (ids, expected) => {
    expect(places(ids)).toEqual(expected);
  });

  test('is written once where a skills folder is a link (E08)', () => {
    const at = scratch({ '.agents/skills/other/SKILL.md': '', '.claude/skills': '-> ../.agents/skills' });
    expect(places(['claude-code', 'codex'], at)).toEqual([
      '.agents/skills/pantry/SKILL.md [claude-code,codex]',
    ]);
    expect(places(['claude-code'], at)).toEqual(['.agents/skills/pantry/SKILL.md [claude-code]']);
  });

  test('keeps the name of a link that leaves the repository', () => {
    const away = scratch();
    const at = scratch({ '.claude/skills': `-> ${away.root}` });
    expect(places(['claude-code'], at)).toEqual(['.claude/skills/pantry/SKILL.md [claude-code]']);
  });

  test('has LF text, and its programs are classed as such', () => {
    const { desired } = render({ ids: ['claude-code'], artifacts: [expanded(skill, files)] });
    expect(desired.map(({ class: kind, value }) => [kind, value])).toEqual([
      ['instructs', '---\nname: pantry\n---\n'],
      ['executes', '#!/bin/sh\n'],
    ]);
  });

  test('that a runtime sees twice is said', () => {
    const rendered = render({
      ids: ['claude-code', 'codex', 'opencode'],
      artifacts: [expanded(skill, files)],
    });
    expect(codesOf(rendered)).toEqual(['render/read-twice']);
  });

  test('with a file that is no text is left out', () => {
    const one = expanded(skill, files, {
      files: new Map([['skills/pantry/SKILL.md', new Uint8Array([0xff, 0xfe])]]),
    });
    expect(codesOf(render({ ids: ['claude-code'], artifacts: [one] }))).toEqual(['render/not-text']);
  });

  test('in the user scope goes to the home folder, and is left out where there is none', () => {
    const rendered = render({
      ids: ['claude-code', 'gemini-cli'],
      artifacts: [expanded(skill, files)],
      scope: 'user',
    });
    expect(placesOf(rendered)[0]).toBe('~/.claude/skills/pantry/SKILL.md [claude-code]');
    expect(codesOf(rendered)).toEqual(['render/scope-unsupported']);
  });
});

describe('a block', () => {
  const block: Artifact = { ...base, name: 'note', kind: 'block', block: 'pantry', source: 'note.md' };
  const one = expanded(block, { 'note.md': 'Look into the pantry.\n' });
  const places = (ids: string[], files: Record<string, string> = {}): string[] =>
    placesOf(render({ ids, artifacts: [one], at: scratch(files) }));

  test.each([
    [['claude-code'], {}, ['CLAUDE.md [claude-code]']],
    [['codex'], {}, ['AGENTS.md [codex]']],
    [['claude-code'], { 'AGENTS.md': 'x' }, ['AGENTS.md [claude-code]']],
    [['opencode'], { 'CLAUDE.md': 'x' }, ['CLAUDE.md [opencode]']],
    [['codex', 'opencode'], { 'AGENTS.md': 'x' }, ['AGENTS.md [codex,opencode]']],
    [['claude-code', 'copilot-cli'], {}, ['CLAUDE.md [claude-code,copilot-cli]']],
    [['junie'], {}, ['AGENTS.md [junie]']],
  ])('for %j beside %j', (ids, files, expected) => {
    expect(places(ids, files as Record<string, string>)).toEqual(expected);
  });

  test('is written once where one file is a link to the other (E01)', () => {
    const files = { 'AGENTS.md': '# Agents\n', 'CLAUDE.md': '-> AGENTS.md' };
    expect(places(['claude-code', 'codex'], files)).toEqual(['AGENTS.md [claude-code,codex]']);
    expect(places(['claude-code'], files)).toEqual(['AGENTS.md [claude-code]']);
  });

  test('in a new file that hides another one is a warning', () => {
    const rendered = render({
      ids: ['opencode', 'codex'],
      artifacts: [one],
      at: scratch({ 'CLAUDE.md': 'x' }),
    });
    expect(placesOf(rendered)).toEqual(['CLAUDE.md [opencode]', 'AGENTS.md [codex]']);
    expect(rendered.findings).toEqual([
      expect.objectContaining({ code: 'render/shadows-file', severity: 'warning', subject: 'AGENTS.md' }),
    ]);
  });

  test('stands in a markdown block and instructs', () => {
    const desired = onlyOne(render({ ids: ['codex'], artifacts: [one] }));
    expect(desired).toMatchObject({
      class: 'instructs',
      value: 'Look into the pantry.',
      target: { format: 'markdown', place: { kind: 'block', id: 'pantry' } },
    });
  });
});

describe('a permission', () => {
  const rule = (decision: 'ask' | 'deny' | 'allow', tools = ['put', 'take']): Artifact => ({
    ...base,
    name: 'rule',
    kind: 'permission',
    decision,
    server: 'pantry',
    tools,
  });
  const of = (id: string, decision: 'ask' | 'deny' | 'allow') =>
    render({ ids: [id], artifacts: [expanded(rule(decision))] });

  test('is one rule per tool', () => {
    expect(of('claude-code', 'deny').desired.map(({ target, value }) => [target.place, value])).toEqual([
      [{ kind: 'item', path: ['permissions', 'deny'], value: 'mcp__pantry__put' }, 'mcp__pantry__put'],
      [{ kind: 'item', path: ['permissions', 'deny'], value: 'mcp__pantry__take' }, 'mcp__pantry__take'],
    ]);
    expect(placesOf(of('opencode', 'ask'))).toEqual([
      'opencode.json#permission/pantry_put [opencode]',
      'opencode.json#permission/pantry_take [opencode]',
    ]);
  });

  test('is one setting inside the entry of the server', () => {
    const one = onlyOne(of('codex', 'ask'));
    expect(one).toMatchObject({
      value: 'writes',
      within: ['mcp_servers', 'pantry'],
      target: { place: { kind: 'key', path: ['mcp_servers', 'pantry', 'default_tools_approval_mode'] } },
      summary: 'asks before tools of pantry',
    });
  });

  test('that a runtime has no word for is left out', () => {
    expect(codesOf(of('codex', 'deny'))).toEqual(['render/no-decision']);
    expect(codesOf(of('copilot-cli', 'ask'))).toEqual(['render/unsupported']);
    expect(codesOf(render({ ids: ['zed'], artifacts: [expanded(rule('ask'))] }))).toEqual([
      'render/scope-unsupported',
    ]);
  });

  test('goes to the file of the scope', () => {
    const rendered = render({
      ids: ['claude-code'],
      artifacts: [expanded(rule('ask', ['put']))],
      scope: 'local',
    });
    expect(placesOf(rendered)).toEqual(['.claude/settings.local.json#permissions/ask [claude-code]']);
  });
});

describe('a file', () => {
  const file = (path: string): Artifact => ({
    ...base,
    name: 'file',
    kind: 'file',
    path,
    source: 'x.sh',
    executable: true,
    class: 'executes',
  });
  const of = (path: string, source: 'bundled' | 'repository' = 'bundled') =>
    render({ ids: ['claude-code'], artifacts: [expanded(file(path), { 'x.sh': 'x\n' }, { source })] });

  test.each([
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.github/workflows/x.yml',
    '.circleci/config.yml',
    '.tenon/manifest.json',
    'tools/.envrc',
    '.bashrc',
    'sub/.zshenv',
    '../x',
    '/etc/x',
    '~/x',
    'a\\b',
  ])('is never written at %s', (path) => {
    expect(of(path).desired).toEqual([]);
    expect(codesOf(of(path))).toEqual(['file/refused']);
  });

  test('of this package may stand anywhere else', () => {
    expect(onlyOne(of('tools/x.sh'))).toMatchObject({ executable: true, order: 'early', runtimes: [] });
  });

  test('of the repository only below a folder that the runtime names', () => {
    expect(codesOf(of('tools/x.sh', 'repository'))).toEqual(['file/refused']);
    expect(codesOf(of('.claude/settings.json', 'repository'))).toEqual(['file/refused']);
    expect(codesOf(of('.claude/hooksy/x.sh', 'repository'))).toEqual(['file/refused']);
    expect(onlyOne(of('.claude/hooks/x.sh', 'repository')).runtimes).toEqual(['claude-code']);
  });
});

test('a line of .gitignore', () => {
  const line: Artifact = {
    ...base,
    name: 'ignore',
    kind: 'ignore-line',
    file: '.gitignore',
    line: '.pantry/',
  };
  expect(onlyOne(render({ ids: ['codex'], artifacts: [expanded(line)] })).target).toEqual({
    path: '.gitignore',
    format: 'lines',
    place: { kind: 'line', line: '.pantry/' },
  });
  expect(codesOf(render({ ids: ['codex'], artifacts: [expanded(line)], scope: 'user' }))).toEqual([
    'render/scope-unsupported',
  ]);
});

describe('a setting', () => {
  const setting = (file: string, place: 'key' | 'item' = 'key'): Artifact => ({
    ...base,
    name: 'setting',
    kind: 'setting',
    runtime: 'codex',
    file,
    at: ['features', 'hooks'],
    value: true,
    place,
  });

  test('goes to the named file of its runtime', () => {
    expect(onlyOne(render({ ids: ['codex'], artifacts: [expanded(setting('config'))] }))).toMatchObject({
      class: 'grants',
      target: { path: '.codex/config.toml', place: { kind: 'key', path: ['features', 'hooks'] } },
    });
    const item = onlyOne(render({ ids: ['codex'], artifacts: [expanded(setting('config', 'item'))] }));
    expect(item.target.place).toEqual({ kind: 'item', path: ['features', 'hooks'], value: true });
  });

  test('is nothing for other runtimes, and left out in another scope or file', () => {
    expect(render({ ids: ['opencode'], artifacts: [expanded(setting('config'))] })).toEqual({
      desired: [],
      findings: [],
    });
    expect(codesOf(render({ ids: ['codex'], artifacts: [expanded(setting('config-user'))] }))).toEqual([
      'render/scope-unsupported',
    ]);
    expect(codesOf(render({ ids: ['codex'], artifacts: [expanded(setting('none'))] }))).toEqual([
      'render/unknown-file',
    ]);
  });
});

test('an artifact for certain runtimes only is rendered for those', () => {
  const server = httpServer({ url: 'http://x.example/mcp' });
  const only = (when: Artifact['when']) => expanded({ ...server.artifact, when } as Artifact);
  const ids = ['claude-code', 'codex'];
  const of = (when: Artifact['when']) => placesOf(render({ ids, artifacts: [only(when)] })).length;
  expect([
    of({ runtime: ['codex'] }),
    of({ notRuntime: ['codex'] }),
    of([{ runtime: ids }, { notRuntime: ids }]),
  ]).toEqual([1, 1, 0]);
});

test('secrets of a URL are not in the summary', () => {
  const one = onlyOne(
    render({ ids: ['codex'], artifacts: [httpServer({ url: 'https://x.example/mcp?key=sesame&a=1' })] }),
  );
  expect(one.summary).not.toContain('sesame');
});

describe('what a runtime cannot take, or takes on trust', () => {
  const headers = { Authorization: 'Bearer ${env:PANTRY_TOKEN}' };
  const server = httpServer({ url: 'https://mcp.example.com/mcp', headers });

  test('is withheld with what is left to do about it', () => {
    const hook: Artifact = {
      ...base,
      name: 'warm',
      kind: 'hook',
      event: 'session-start',
      script: 'warm.cjs',
      interpreter: 'node',
      args: [],
      timeoutSeconds: 5,
    };
    for (const id of ['roo', 'kiro', 'auggie']) {
      const { desired, findings } = render({ ids: [id], artifacts: [expanded(hook, { 'warm.cjs': '' })] });
      expect(desired, id).toEqual([]);
      expect(findings, id).toMatchObject([
        {
          code: 'render/unsupported',
          severity: 'warning',
          remedy: { text: expect.stringContaining('--without hooks'), command: `tenon runtimes ${id}` },
        },
      ]);
    }
    const needed = expanded({ ...hook, required: true }, { 'warm.cjs': '' });
    expect(render({ ids: ['roo'], artifacts: [needed] }).findings).toMatchObject([
      { severity: 'error', remedy: { text: expect.stringContaining('other coding tools') } },
    ]);
  });

  test('a reference in a syntax that nobody tested is written with a warning', () => {
    const { desired, findings } = render({ ids: ['cursor'], artifacts: [server] });
    expect(JSON.stringify(desired[0]?.value)).toContain('${env:PANTRY_TOKEN}');
    expect(findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^render\/advisory Cursor may not put the variable in that pantry refers to/),
    ]);
    const plain = httpServer({ url: 'https://mcp.example.com/mcp' });
    expect(codesOf(render({ ids: ['cursor'], artifacts: [plain] }))).toEqual([]);
    expect(codesOf(render({ ids: ['roo'], artifacts: [server] }))).toEqual([]);
  });
});
