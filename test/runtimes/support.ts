import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { Desired, Scope } from '../../src/engine/types.ts';
import { loadFormats } from '../../src/formats/index.ts';
import type { Artifact } from '../../src/integrations/schema.ts';
import type { ExpandedArtifact } from '../../src/integrations/types.ts';
import type { Json } from '../../src/lib/json.ts';
import { loadSpecs } from '../../src/runtimes/load.ts';
import { renderArtifacts } from '../../src/runtimes/render.ts';
import type { Rendered, RenderInput } from '../../src/runtimes/render-types.ts';
import type { RuntimeSpec } from '../../src/runtimes/schema.ts';
import { realReader } from '../../src/system/real-files.ts';

export const packageDir = join(import.meta.dirname, '..', '..');
export const specs = await loadSpecs(realReader, packageDir);
await loadFormats(['json', 'toml']);

export const specOf = (id: string): RuntimeSpec => {
  const spec = specs.get(id);
  if (spec === undefined) throw new Error(`no spec ${id}`);
  return spec;
};

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A scratch repository and home folder with these files; a value `-> target` is a link. */
export function scratch(
  files: Readonly<Record<string, string>> = {},
  home: Readonly<Record<string, string>> = {},
  name = 'repo',
): { root: string; home: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-runtimes-')));
  folders.push(base);
  const made = { root: join(base, name), home: join(base, 'home') };
  mkdirSync(made.root, { recursive: true });
  mkdirSync(made.home);
  for (const [folder, all] of [
    [made.root, files],
    [made.home, home],
  ] as const) {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(folder, path));
      else writeFileSync(join(folder, path), text);
    }
  }
  return made;
}

export const expanded = (
  artifact: Artifact,
  files: Readonly<Record<string, string>> = {},
  more: Partial<ExpandedArtifact> = {},
): ExpandedArtifact => ({
  artifact,
  owner: { integration: 'pantry', artifact: artifact.name, version: '1.2.3' },
  source: 'bundled',
  files: new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  ...more,
});

type Server = Extract<Artifact, { kind: 'mcp-server' }>;
export const httpServer = (http: Server['http'], more: Partial<Server> = {}): ExpandedArtifact =>
  expanded({
    name: 'server',
    kind: 'mcp-server',
    default: 'on',
    required: false,
    server: 'pantry',
    http,
    ...more,
  });
export const stdioServer = (stdio: Server['stdio'], more: Partial<Server> = {}): ExpandedArtifact =>
  expanded({
    name: 'server',
    kind: 'mcp-server',
    default: 'on',
    required: false,
    server: 'pantry',
    stdio,
    ...more,
  });

export interface Setup {
  readonly ids: readonly string[];
  readonly artifacts: readonly ExpandedArtifact[];
  readonly scope?: Scope;
  readonly at?: { root: string; home: string };
  readonly env?: Record<string, string>;
  readonly missing?: readonly string[];
  readonly others?: readonly string[];
}

export function render(setup: Setup): Rendered {
  const at = setup.at ?? scratch();
  const input: RenderInput = {
    specs: setup.ids.map(specOf),
    others: (setup.others ?? []).map(specOf),
    artifacts: setup.artifacts,
    scope: setup.scope ?? 'project',
    reader: realReader,
    root: at.root,
    home: at.home,
    env: setup.env ?? {},
    platform: 'linux',
    trustOf: () => 'bundled',
    interpreterPresent: (name) => !(setup.missing ?? []).includes(name),
  };
  return renderArtifacts(input);
}

/** Address-like text of each desired thing: enough to compare in a test. */
export const placesOf = (rendered: Rendered): string[] =>
  rendered.desired.map(({ target, runtimes }) => {
    const { place } = target;
    const inside = place.kind === 'key' || place.kind === 'item' ? `#${place.path.join('/')}` : '';
    return `${target.path}${inside} [${runtimes.join(',')}]`;
  });

export const codesOf = (rendered: Rendered): string[] => rendered.findings.map(({ code }) => code);

export const onlyOne = (rendered: Rendered): Desired => {
  const [one, ...rest] = rendered.desired;
  if (one === undefined || rest.length > 0)
    throw new Error(`expected one thing, got ${placesOf(rendered).join()}`);
  return one;
};

/** The document that a desired key stands for: the value below its path. */
export function documentOf(one: Desired): Json {
  const { place } = one.target;
  if (place.kind !== 'key') throw new Error('no key');
  return place.path.reduceRight<Json>((value, member) => ({ [member]: value }), one.value);
}
