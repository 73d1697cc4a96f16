import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../src/engine/types.ts';
import type { Artifact } from '../../src/integrations/schema.ts';
import type { ExpandedArtifact } from '../../src/integrations/types.ts';
import { CAPABILITIES, capabilityMatrix } from '../../src/runtimes/capabilities.ts';
import { checkSpec } from '../../src/runtimes/check.ts';
import { renderArtifacts } from '../../src/runtimes/render.ts';
import { type RuntimeSpec, RuntimeSpecSchema } from '../../src/runtimes/schema.ts';
import { scopesOf } from '../../src/runtimes/scopes.ts';
import { realReader } from '../../src/system/real-files.ts';
import { SHAPES } from './shapes/entries.ts';
import { ASK, SESSION_START } from './shapes/hooks.ts';
import {
  codesOf,
  expanded,
  httpServer,
  packageDir,
  placesOf,
  render,
  scratch,
  specs,
  stdioServer,
} from './support.ts';

const names = readdirSync(join(packageDir, 'specs'));
const raw = new Map(
  names.map((name) => [name, JSON.parse(readFileSync(join(packageDir, 'specs', name), 'utf8'))]),
);
const all = [...specs.values()];
const takes = (capability: { readonly support: { readonly state: string } } | undefined): boolean =>
  capability !== undefined && ['supported', 'advisory'].includes(capability.support.state);

describe.each(names)('specs/%s', (name) => {
  test('is valid, and says everything itself', () => {
    expect(checkSpec(raw.get(name), `specs/${name}`).problems).toEqual([]);
    expect(RuntimeSpecSchema.parse(raw.get(name))).toEqual(raw.get(name));
  });

  test('has evidence of the last year, none of the future', () => {
    const newest = all.flatMap(({ evidence }) => evidence.map(({ checked }) => Date.parse(checked)));
    const own = (raw.get(name) as RuntimeSpec).evidence.map(({ checked }) => Date.parse(checked));
    const year = 366 * 24 * 3600 * 1000;
    expect(Math.max(...own)).toBeLessThanOrEqual(Date.now());
    expect(Math.max(...own)).toBeGreaterThan(Math.max(...newest) - year);
    for (const one of (raw.get(name) as RuntimeSpec).evidence) {
      if (one.mark === 'tested') expect(one.version, one.claim).toBeDefined();
    }
  });
});

describe.each(all.map((spec) => [spec.id, spec] as const))('the matrix of %s', (_, spec) => {
  const rows = capabilityMatrix(spec);

  test('says of every capability what it is, and why it is not more', () => {
    expect(rows.map(({ id }) => id)).toEqual([...CAPABILITIES]);
    for (const { id, state, reason } of rows) {
      expect(reason ?? '', id).not.toContain('its spec is silent');
      if (state !== 'supported') expect(reason, id).toBeTruthy();
    }
  });

  test('names the source of every state but unknown, a good one where it is supported', () => {
    for (const { id, state, sources } of rows) {
      if (state !== 'unknown') expect(sources.map(({ source }) => source).join(), id).toBeTruthy();
      const good = sources.some(({ mark }) => ['tested', 'source', 'documented'].includes(mark));
      if (state === 'supported') expect(good, id).toBe(true);
    }
  });

  test('names a tested version where something of it was tested', () => {
    if (!spec.evidence.some(({ mark }) => mark === 'tested')) return;
    expect(spec.version?.tested.length).toBeGreaterThan(0);
    expect(spec.version?.minimum).toMatch(/^\d+\.\d+\.\d+$/u);
  });
});

test('a tier is listed only when its matrix is green', () => {
  const page = readFileSync(join(packageDir, 'docs', 'verification-matrix.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const cells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const titles = cells(rows[0] ?? '').slice(2);
  const first = all.filter(({ support }) => support === 'tier1');
  expect(first.map(({ title }) => title).sort()).toEqual([...titles].sort());
  for (const row of rows.slice(2))
    for (const cell of cells(row).slice(2)) expect(cell, row).toMatch(/^passed/u);
  for (const { id, version } of first) expect(version?.tested.length, id).toBeGreaterThan(0);
  for (const { id, support } of all) {
    const golden = ['tenon', 'vaultspec', 'vera', 'veritas'].map((integration) =>
      existsSync(join(packageDir, 'test', 'integrations', integration, id)),
    );
    const isListed = support === 'tier1' || support === 'tier2';
    expect(new Set(golden), id).toEqual(new Set([isListed]));
  }
});

test('cloud surfaces are listed, unsupported and with the reason', () => {
  const none = all.filter(({ support }) => support === 'none');
  expect(none.map(({ id }) => id)).toEqual(['cascade', 'copilot-cloud', 'devin']);
  for (const spec of none) {
    expect(spec.supportReason).toBeTruthy();
    for (const { id, state } of capabilityMatrix(spec))
      if (id.startsWith('mcp-')) expect(state, id).toBe('unsupported');
  }
});

test('names belong to one runtime each', () => {
  const used = all.flatMap(({ id, aliases }) => [id, ...aliases]);
  expect(used).toHaveLength(new Set(used).size);
  expect(used).toEqual(expect.arrayContaining(['claude', 'codex', 'opencode', 'vscode', 'copilot']));
});

test('every runtime that takes servers has a shape written by hand, and the other way round', () => {
  const takers = all.filter(({ mcp }) => takes(mcp)).map(({ id }) => id);
  expect(Object.keys(SHAPES).sort()).toEqual(takers.sort());
});

const url = 'https://mcp.example.com/pantry/mcp';
const servers: Record<'http' | 'stdio', readonly ExpandedArtifact[]> = {
  http: [
    httpServer({ url }),
    httpServer({ url, headers: { 'X-Shelf': 'upper' } }, { timeoutSeconds: 30 }),
    httpServer({
      url,
      headers: { Authorization: 'Bearer ${env:PANTRY_TOKEN}', 'X-Key': '${env:PANTRY_KEY}' },
    }),
  ],
  stdio: [
    stdioServer({ command: 'pantry-mcp', args: [] }),
    stdioServer(
      {
        command: 'npx',
        args: ['-y', 'pantry-mcp', 'a b'],
        env: { PANTRY_TOKEN: '${env:PANTRY_TOKEN}', SHELF: 'upper' },
      },
      { timeoutSeconds: 30 },
    ),
  ],
};

const cases = all.flatMap((spec) =>
  takes(spec.mcp) ? scopesOf(spec).map((scope): [string, Scope] => [spec.id, scope]) : [],
);

describe.each(cases)('servers of %s in scope %s', (id, scope) => {
  test.each(['http', 'stdio'] as const)('%s entries fit the shape', (transport) => {
    const shape = SHAPES[id]!;
    let written = 0;
    for (const artifact of servers[transport]) {
      const rendered = render({ ids: [id], artifacts: [artifact], scope });
      for (const { target, value } of rendered.desired) {
        written += 1;
        expect(shape[transport], `${id} writes ${transport}`).toBeDefined();
        expect(shape[transport]?.safeParse(value).error?.issues ?? [], JSON.stringify(value)).toEqual([]);
        expect(target.place.kind === 'key' && target.place.path.slice(-2)).toEqual([
          shape.container.at(-1),
          'pantry',
        ]);
        const isHome = target.path.startsWith('~/');
        expect(isHome).toBe(scope === 'user' || (scope === 'local' && isHome));
        expect(target.path).not.toMatch(/\.\.|^\//u);
      }
      if (rendered.desired.length === 0)
        expect(codesOf(rendered).join()).toMatch(/render\/(no-reference|transport)/u);
    }
    expect(written > 0).toBe(shape[transport] !== undefined);
  });
});

describe('a spec that is deliberately wrong', () => {
  const broken: [string, (spec: RuntimeSpec) => void][] = [
    ['opencode', (spec) => Object.assign(spec.mcp!, { http: { type: 'http', url: '{url}' } })],
    ['claude-code', (spec) => Object.assign(spec.mcp!, { http: { url: '{url}', headers: '{headers}' } })],
    ['gemini-cli', (spec) => Object.assign(spec.mcp!, { http: { url: '{url}' } })],
    ['antigravity', (spec) => Object.assign(spec.mcp!, { http: { serverUrl: '{url}', type: 'http' } })],
    [
      'codex',
      (spec) =>
        Object.assign(spec.mcp!, { http: { url: '{url}', headers: '{headersLiteral}', type: 'http' } }),
    ],
  ];
  test.each(broken)('of %s does not pass for a right one', (id, spoil) => {
    const spec = structuredClone(specs.get(id)!);
    spoil(spec);
    const at = scratch();
    const rendered = renderArtifacts({
      ...at,
      specs: [spec],
      artifacts: [servers.http[0]!],
      scope: 'project',
      reader: realReader,
      env: {},
      platform: 'linux',
      trustOf: () => 'bundled',
      interpreterPresent: () => true,
    });
    expect(rendered.desired).toHaveLength(1);
    expect(SHAPES[id]?.http?.safeParse(rendered.desired[0]?.value).success).toBe(false);
  });

  const invalid: [string, string, (spec: RuntimeSpec) => void][] = [
    [
      'a path that leaves the root',
      'files.mcp.paths.0',
      (spec) => spec.files['mcp']!.paths.splice(0, 1, '../x.json'),
    ],
    [
      'an absolute path',
      'files.mcp.paths',
      (spec) => {
        spec.files['mcp']!.paths = ['/etc/x.json'];
        spec.files['mcp']!.create = '/etc/x.json';
      },
    ],
    [
      'a home path in the project',
      'files.mcp.paths',
      (spec) => {
        spec.files['mcp']!.paths = ['~/x.json'];
        spec.files['mcp']!.create = '~/x.json';
      },
    ],
    [
      'a file that is not declared',
      'mcp.places.0.file',
      (spec) => Object.assign(spec.mcp!.places[0]!, { file: 'none' }),
    ],
    [
      'a file of another scope',
      'mcp.places.0.scope',
      (spec) => Object.assign(spec.mcp!.places[0]!, { file: 'settings-user' }),
    ],
    ['an unknown placeholder', 'mcp.http', (spec) => Object.assign(spec.mcp!, { http: { url: '{uri}' } })],
    ['a broken pattern', 'mcp.expands.0', (spec) => spec.mcp!.expands.splice(0, 1, '(')],
    ['an unknown member', 'hooks', (spec) => Object.assign(spec.hooks!, { wait: 1 })],
    ['a name that is not the file name', 'id', (spec) => Object.assign(spec, { id: 'other' })],
  ];
  test.each(invalid)('%s is refused with its field', (_, field, spoil) => {
    const spec = structuredClone(specs.get('claude-code')!);
    spoil(spec);
    const { problems } = checkSpec(spec, 'specs/claude-code.json');
    expect(problems.join('\n')).toContain(`${field}`);
  });
});

const text = {
  'hooks/warm.cjs': 'console.log("{}")\n',
  'plugins/warm.js': 'export const Warm = 1\n',
  'blocks/a.md': 'Read the shelf.\n',
  'skills/pantry/SKILL.md': '---\nname: pantry\n---\n',
};
const base = { default: 'on', required: false } as const;
const hook: Artifact = {
  ...base,
  name: 'warm',
  kind: 'hook',
  event: 'session-start',
  script: 'hooks/warm.cjs',
  plugin: 'plugins/warm.js',
  interpreter: 'node',
  args: ['start'],
  timeoutSeconds: 5,
};

describe.each(all.map(({ id }) => id))('the other capabilities of %s', (id) => {
  const spec = specs.get(id)!;
  const artifact = (one: Artifact): string[] => {
    if (!scopesOf(spec, 'anything').includes('project')) return [];
    return placesOf(render({ ids: [id], artifacts: [expanded(one, text)] }));
  };
  const places = (list: readonly { readonly scope: string }[] | undefined): boolean =>
    scopesOf(spec, 'anything').includes('project') && (list ?? []).some(({ scope }) => scope === 'project');

  test('skills', () => {
    const skill: Artifact = {
      ...base,
      name: 'skill',
      kind: 'skill',
      skill: 'pantry',
      folder: 'skills/pantry',
    };
    const wanted = takes(spec.skills) && places(spec.skills?.places) ? 1 : 0;
    expect(artifact(skill)).toHaveLength(wanted);
  });

  test('hooks', () => {
    const written = artifact(hook);
    if (!takes(spec.hooks)) expect(written).toEqual([]);
    else if (spec.hooks?.form === 'plugin') expect(written).toHaveLength(1);
    else expect(written).toHaveLength(2);
    const shape = SESSION_START[id];
    expect(shape !== undefined).toBe(takes(spec.hooks) && spec.hooks?.form === 'command');
    if (shape === undefined) return;
    const item = render({ ids: [id], artifacts: [expanded(hook, text)] }).desired.find(
      ({ target }) => target.place.kind === 'item',
    );
    expect(item?.target.path).toBe(shape.path);
    expect(item?.target.place).toMatchObject({ path: shape.at });
    expect(shape.item.safeParse(item?.value).error?.issues ?? []).toEqual([]);
    expect(JSON.stringify(item?.value)).toMatch(new RegExp(`"timeout(Sec)?":${shape.five}\\b`, 'u'));
    expect(JSON.stringify(item?.value)).not.toContain(packageDir);
  });

  test('permissions', () => {
    for (const decision of ['ask', 'deny', 'allow'] as const) {
      const rule: Artifact = {
        ...base,
        name: 'rule',
        kind: 'permission',
        decision,
        server: 'pantry',
        tools: ['put'],
      };
      const wanted = takes(spec.permissions) && places(spec.permissions?.[decision]) ? 1 : 0;
      expect(artifact(rule), decision).toHaveLength(wanted);
    }
    const ask: Artifact = {
      ...base,
      name: 'rule',
      kind: 'permission',
      decision: 'ask',
      server: 'pantry',
      tools: ['put'],
    };
    const known = ASK[id];
    expect(known !== undefined).toBe(artifact(ask).length > 0);
    if (known === undefined) return;
    const [one] = render({ ids: [id], artifacts: [expanded(ask, text)] }).desired;
    const [path, at, value] = known;
    expect(one).toMatchObject({ target: { path, place: { path: at } }, value });
    expect(one?.class).toBe('grants');
  });

  test('instructions', () => {
    const block: Artifact = { ...base, name: 'block', kind: 'block', block: 'pantry', source: 'blocks/a.md' };
    const wanted = takes(spec.instructions) && places(spec.instructions?.files) ? 1 : 0;
    expect(artifact(block)).toHaveLength(wanted);
  });
});

test('no runtime is named in the source: what is known of one stands in its spec', () => {
  const found: string[] = [];
  const words = all.flatMap(({ id, title, aliases }) => [id, title, ...aliases]);
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')).join('|');
  const whole = new RegExp(`^(?:${escaped})$`, 'u');
  // Names that are no English words are not even part of a longer text.
  const within = /\b(?:claude|codex|opencode|copilot|gemini|qwen|windsurf|auggie|kilocode|vscode)\b/iu;
  const isExample = (literal: string): boolean => literal.startsWith('tenon ');
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder)) {
      const path = join(folder, entry);
      if (statSync(path).isDirectory()) walk(path);
      else if (path.endsWith('.ts')) {
        const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '');
        for (const match of code.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/gu)) {
          const literal = match[1] ?? match[2] ?? match[3] ?? '';
          if (!isExample(literal) && (whole.test(literal) || within.test(literal)))
            found.push(`${relative(packageDir, path)}: ${literal}`);
        }
      }
    }
  };
  walk(join(packageDir, 'src'));
  expect(found).toEqual([]);
});
