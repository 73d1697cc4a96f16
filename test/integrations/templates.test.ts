import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultsOf } from '../../src/integrations/defaults.ts';
import { loadIntegration } from '../../src/integrations/load.ts';
import { ArtifactSchema, IntegrationSchema } from '../../src/integrations/schema.ts';
import type { LoadedIntegration } from '../../src/integrations/types.ts';
import { isSecretValue } from '../../src/lib/secrets.ts';
import { relativeProblem } from '../../src/system/paths.ts';
import { realReader } from '../../src/system/real-files.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');
const ids = readdirSync(join(PACKAGE, 'templates'));

/** Why a launch may run something else tomorrow (requirement T-10), or undefined. */
function unpinned(command: string, args: readonly string[]): string | undefined {
  const program = command.split(/[\\/]/).at(-1);
  const positional = args.filter((arg) => !arg.startsWith('-'));
  if (program === 'npx' || program === 'bunx' || program === 'pnpx') {
    const name = positional[0] ?? '';
    return /.@\d+\.\d+\.\d+/.test(name) ? undefined : `${name} without a version`;
  }
  if (program === 'uvx' || program === 'pipx') {
    const from = args.indexOf('--from');
    const name = from >= 0 ? (args[from + 1] ?? '') : (positional[0] ?? '');
    return /^[A-Za-z0-9._-]+(?:\[[a-z,]+\])?==(?:\d+(?:\.\d+)+|\{[A-Z_]+\})$/.test(name)
      ? undefined
      : `${name} without a version`;
  }
  if (program === 'docker' || program === 'podman') {
    return args.some((arg) => /@sha256:[0-9a-f]{64}$/.test(arg)) ? undefined : 'an image without a digest';
  }
  return undefined;
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const load = (id: string): Promise<LoadedIntegration> => loadIntegration(realReader, PACKAGE, PACKAGE, id);

describe('what an unpinned launch is', () => {
  it.each<[string, string[], boolean]>([
    ['npx', ['-y', 'docs-mcp'], true],
    ['npx', ['-y', 'docs-mcp@latest'], true],
    ['npx', ['-y', '@house/docs@1.2.3'], false],
    ['uvx', ['docs'], true],
    ['uvx', ['--from', 'docs', 'python'], true],
    ['uvx', ['--from', 'docs==0.3.5', 'python'], false],
    ['docker', ['run', 'docs:1'], true],
    ['node', ['server.mjs'], false],
  ])('%s %j', (command, args, isUnpinned) => {
    expect(unpinned(command, args) !== undefined).toBe(isUnpinned);
  });
});

describe('the example of the documentation', () => {
  it('is a manifest', () => {
    const text = readFileSync(join(PACKAGE, 'docs', 'adding-an-integration.md'), 'utf8');
    const example = /^```json\n(.*?)^```$/ms.exec(text)?.[1] ?? '';
    const parsed = IntegrationSchema.safeParse(JSON.parse(example));
    expect(parsed.error?.issues ?? []).toEqual([]);
  });

  it('names every kind of artifact', () => {
    const text = readFileSync(join(PACKAGE, 'docs', 'adding-an-integration.md'), 'utf8');
    const kinds = ArtifactSchema.options.map((option) => option.shape.kind.value);
    expect(kinds.filter((kind) => !text.includes(`| \`${kind}\` |`))).toEqual([]);
  });
});

describe.each(ids)('the bundled integration %s', (id) => {
  it('loads, which checks schema, names, files, placeholders and secrets', async () => {
    const loaded = await load(id);
    expect([loaded.source, loaded.manifest.id, loaded.ref]).toEqual(['bundled', id, id]);
  });

  it('spells out every default, so that a validated manifest can be used without the validator', () => {
    const raw: unknown = JSON.parse(readFileSync(join(PACKAGE, 'templates', id, 'integration.json'), 'utf8'));
    expect(IntegrationSchema.parse(raw)).toEqual(raw);
  });

  it('has a README and nothing that is used by nobody', async () => {
    const { files, manifest } = await load(id);
    const used = new Set(['integration.json', 'README.md', manifest.defaults, manifest.harnesses]);
    for (const artifact of manifest.artifacts) {
      if (artifact.kind === 'skill') {
        for (const path of files.keys()) if (path.startsWith(`${artifact.folder}/`)) used.add(path);
      }
      if (artifact.kind === 'hook') used.add(artifact.script).add(artifact.plugin);
      if (artifact.kind === 'block' || artifact.kind === 'file') used.add(artifact.source);
    }
    expect([...files.keys()].filter((path) => !used.has(path))).toEqual([]);
    expect(files.has('README.md')).toBe(true);
  });

  it('names only contained paths', async () => {
    const { files } = await load(id);
    expect([...files.keys()].filter((path) => relativeProblem(path) !== undefined)).toEqual([]);
  });

  it('holds text with LF ends only, no path of a machine and no secret', async () => {
    const { files } = await load(id);
    const faults: string[] = [];
    for (const [path, bytes] of files) {
      const text = new TextDecoder().decode(bytes);
      if (!isUtf8(bytes) || text.includes('\r') || !text.endsWith('\n')) faults.push(`${path}: line ends`);
      if (/(?:^|[\s"'`(=])(?:\/(?:home|Users|root|opt|var|tmp|etc)\/|[A-Za-z]:\\)/m.test(text))
        faults.push(`${path}: absolute path`);
      for (const word of text.split(/\s+/)) if (isSecretValue(word)) faults.push(`${path}: ${word}`);
    }
    expect(faults).toEqual([]);
  });

  it('starts only what is pinned', async () => {
    const { manifest } = await load(id);
    const faults = manifest.artifacts.flatMap((artifact) =>
      artifact.kind === 'mcp-server' && artifact.stdio !== undefined
        ? (unpinned(artifact.stdio.command, artifact.stdio.args) ?? [])
        : [],
    );
    expect(faults).toEqual([]);
  });

  it('asks or denies before tools and never allows one', async () => {
    const { manifest } = await load(id);
    expect(manifest.artifacts.filter((one) => one.kind === 'permission' && one.decision === 'allow')).toEqual(
      [],
    );
  });

  it('gives every hook at most ten seconds', async () => {
    const { manifest } = await load(id);
    const slow = manifest.artifacts.filter((one) => one.kind === 'hook' && one.timeoutSeconds > 10);
    expect(slow).toEqual([]);
  });

  it('explains each of its defaults and says how or why not it can be changed', async () => {
    const block = defaultsOf(await load(id));
    const silent = (block?.values ?? []).filter(
      (one) => (one.switch === undefined) === (one.refused === undefined),
    );
    expect(silent).toEqual([]);
  });

  it('has skills whose front matter agrees with their name', async () => {
    const { manifest, files } = await load(id);
    const faults: string[] = [];
    for (const artifact of manifest.artifacts) {
      if (artifact.kind !== 'skill') continue;
      const text = new TextDecoder().decode(files.get(`${artifact.folder}/SKILL.md`));
      const front = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(text);
      if (front?.[1] !== artifact.skill) faults.push(`${artifact.folder}: name`);
      // YAML reads ": " and " #" in a plain scalar as syntax; clients cut descriptions at 1,024 characters.
      if (/: | #|^[>|&*!%@`"'[{]/.test(front?.[2] ?? '') || (front?.[2] ?? '').length > 1024)
        faults.push(`${artifact.folder}: description`);
    }
    expect(faults).toEqual([]);
  });
});
