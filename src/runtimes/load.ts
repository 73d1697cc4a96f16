import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RuntimeId } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import type { RuntimeSpec } from './schema.ts';

const MAX_BYTES = 1024 * 1024;

/** The specs of the build in one file: id -> spec, validated then. */
const BUILT = 'dist/specs.json';

/**
 * Every runtime of the package, by id, in the order of their ids: those of the build (`dist/specs.json`) and those in
 * `specs/`. A file there that the build did not have, or that is newer than the build, is read; it is validated unless
 * its hash stands in the index of the build (`dist/data-index.json`, path -> `sha256:…`). So a spec that is put into an
 * installed package works, and so does a source tree. Throws `runtime/spec-invalid` with file and field, exit 2.
 */
export async function loadSpecs(
  reader: Reader,
  packageDir: AbsPath,
): Promise<ReadonlyMap<RuntimeId, RuntimeSpec>> {
  const folder = join(packageDir, 'specs');
  const built = builtSpecs(reader, packageDir);
  const names = reader.list(folder)?.filter((name) => name.endsWith('.json')) ?? [];
  const later = names.filter((name) => {
    if (built?.specs[name.slice(0, -'.json'.length)] === undefined) return true;
    return (reader.stat(join(folder, name))?.mtimeMs ?? 0) > built.at;
  });
  const specs = { ...built?.specs };
  const index = later.length === 0 ? {} : readIndex(reader, packageDir);
  for (const name of later) {
    const path = `specs/${name}`;
    const bytes = reader.readFile(join(folder, name));
    if (bytes === undefined || bytes.length > MAX_BYTES)
      throw invalid(path, 'cannot be read or is too large');
    const value = parse(path, bytes);
    const spec = index[path] === sha256(bytes) ? (value as RuntimeSpec) : await validate(path, value);
    specs[spec.id] = spec;
  }
  const all = Object.values(specs);
  if (all.length === 0) throw invalid('specs', 'the folder is missing or empty; the package is incomplete');
  return byId(all);
}

interface BuiltSpecs {
  readonly specs: Readonly<Record<RuntimeId, RuntimeSpec>>;
  /** When they were built, in milliseconds since the epoch. */
  readonly at: number;
}

function builtSpecs(reader: Reader, packageDir: AbsPath): BuiltSpecs | undefined {
  const path = join(packageDir, BUILT);
  const bytes = reader.readFile(path);
  if (bytes === undefined) return undefined;
  const specs = parse(BUILT, bytes) as Record<RuntimeId, RuntimeSpec>;
  withNotes(specs, () => {
    const packed = reader.readFile(join(packageDir, NOTES));
    if (packed === undefined) return {};
    const { brotliDecompressSync } = process.getBuiltinModule('node:zlib');
    return parse(NOTES, brotliDecompressSync(packed)) as Record<RuntimeId, Notes>;
  });
  return { specs, at: reader.stat(path)?.mtimeMs ?? 0 };
}

/** What is told of a coding tool and decides nothing; kept apart and compressed, for few commands look at it. */
const NOTES = 'dist/spec-notes.json.br';
type Notes = Pick<RuntimeSpec, 'homepage' | 'limits' | 'evidence'>;

/** Gives the specs of the build their notes back, read when one is looked at first. */
function withNotes(specs: Record<RuntimeId, RuntimeSpec>, read: () => Record<RuntimeId, Notes>): void {
  let notes: Record<RuntimeId, Notes> | undefined;
  for (const [id, spec] of Object.entries(specs)) {
    for (const [name, none] of [
      ['homepage', ''],
      ['limits', []],
      ['evidence', []],
    ] as const) {
      if (Object.hasOwn(spec, name)) continue;
      Object.defineProperty(spec, name, {
        enumerable: true,
        get: () => {
          notes ??= read();
          return notes[id]?.[name] ?? none;
        },
      });
    }
  }
}

/** The hashes of files that were validated when the package was built; empty in a source tree. */
export function readIndex(reader: Reader, packageDir: AbsPath): Readonly<Record<string, string>> {
  const bytes = reader.readFile(join(packageDir, 'dist', 'data-index.json'));
  if (bytes === undefined) return {};
  return parse('dist/data-index.json', bytes) as Record<string, string>;
}

/** `sha256:` and 64 hex digits of a file's bytes, as the index holds them. */
export const sha256 = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The runtime that a user names by id or alias. */
export function findSpec(specs: ReadonlyMap<RuntimeId, RuntimeSpec>, name: string): RuntimeSpec | undefined {
  return specs.get(name) ?? [...specs.values()].find((spec) => spec.aliases.includes(name));
}

function byId(specs: readonly RuntimeSpec[]): ReadonlyMap<RuntimeId, RuntimeSpec> {
  const sorted = [...specs].sort((a, b) => (a.id < b.id ? -1 : 1));
  const names = new Map<string, string>();
  for (const spec of sorted) {
    for (const name of [spec.id, ...spec.aliases]) {
      const other = names.get(name);
      if (other !== undefined)
        throw invalid(`specs/${spec.id}.json`, `the name ${name} belongs to ${other} too`);
      names.set(name, spec.id);
    }
  }
  return new Map(sorted.map((spec) => [spec.id, spec]));
}

function parse(path: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : 'no JSON');
  }
}

async function validate(path: string, value: unknown): Promise<RuntimeSpec> {
  const { checkSpec } = await import('./check.ts');
  const checked = checkSpec(value, path);
  if (checked.spec === undefined) throw invalid(path, checked.problems.join('; '));
  return checked.spec;
}

function invalid(path: string, message: string): TenonError {
  return new TenonError('runtime/spec-invalid', `${path}: ${message}`, {
    exit: 2,
    remedy: { text: 'correct the file, or take it out of the package' },
  });
}
