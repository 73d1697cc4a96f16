import { createHash } from 'node:crypto';
import type { Context } from '../cli/context.ts';
import { scratchOptions } from '../cli/options.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import type { Integration } from '../integrations/schema.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { type MemoryEntry, type MemorySystem, memorySystem } from '../system/memory.ts';
import { type Sample, samplesFor } from './samples.ts';

/** What one coding tool would get of an integration. */
export interface Rehearsal {
  readonly runtime: string;
  /** `refused`: setup gives the reason; nothing would be written. */
  readonly status: 'ok' | 'refused' | 'broken';
  /** In an empty repository: path -> SHA-256 of what would stand there, tenon's own manifest left out. */
  readonly files: Readonly<Record<string, string>>;
  /** What setup says about it: parts that are left out, warnings. */
  readonly notes: readonly Finding[];
  /** `refused`: the reason. `broken`: what was not put back, and in which sample. */
  readonly problem?: string;
}

export interface Definition {
  readonly id: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly inputs: Integration['inputs'];
}

/**
 * Sets an integration up and takes it out again for one coding tool, with the very commands, in repositories that exist
 * in memory alone. Nothing is read of the user's repository, nothing is written, contacted or started.
 */
export async function rehearse(
  context: Context,
  spec: RuntimeSpec,
  definition: Definition,
): Promise<Rehearsal> {
  let files: Record<string, string> = {};
  let notes: readonly Finding[] = [];
  for (const [name, sample] of Object.entries(samplesFor(spec))) {
    const system = world(spec, definition, sample);
    const before = repositoryOf(system);
    try {
      notes = await setUp(context, system, spec, definition);
    } catch (error) {
      if (!(error instanceof TenonError) || error.code === 'internal/bug') throw error;
      return {
        runtime: spec.id,
        status: 'refused',
        files: {},
        notes: error.findings,
        problem: error.message,
      };
    }
    if (name === 'empty') files = writtenBy(system);
    await takeOut(context, system, definition);
    const left = difference(before, repositoryOf(system));
    if (left.length > 0) {
      const problem = `in the sample "${name}" uninstall does not give back ${left.join(', ')}`;
      return { runtime: spec.id, status: 'broken', files, notes, problem };
    }
  }
  return { runtime: spec.id, status: 'ok', files, notes };
}

const REPO = '/repo';
const PACKAGE = '/package';

/** A machine in memory: a package that holds this spec and this integration alone, and one repository. */
function world(spec: RuntimeSpec, { id, files }: Definition, sample: Sample): MemorySystem {
  const entries: Record<string, MemoryEntry> = {
    [`${PACKAGE}/specs/${spec.id}.json`]: JSON.stringify(spec),
    [`${REPO}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [`${REPO}/.git/config`]: '[core]\n\tbare = false\n',
    [`${REPO}/.git/objects`]: { directory: true },
    [`${REPO}/.git/refs`]: { directory: true },
    [`${REPO}/.git/info/exclude`]: '',
  };
  for (const [path, bytes] of files) entries[`${PACKAGE}/templates/${id}/${path}`] = bytes;
  for (const [path, text] of Object.entries(sample)) entries[`${REPO}/${path}`] = text;
  const system = memorySystem(entries, { cwd: REPO });
  // Interpreters are taken as present: what is rehearsed is the definition, not this machine.
  return { ...system, exec: { ...system.exec, which: (name) => `/usr/bin/${name}` } };
}

function contextIn(context: Context, system: MemorySystem, change: Partial<Context['options']>): Context {
  return {
    ...context,
    system,
    packageDir: PACKAGE,
    interactive: false,
    reporter: { ...context.reporter, note: () => {}, progress: (_label, work) => work() },
    options: scratchOptions(context.options, { offline: true, ...change }),
  };
}

async function setUp(
  context: Context,
  system: MemorySystem,
  spec: RuntimeSpec,
  { id, inputs }: Definition,
): Promise<readonly Finding[]> {
  const { run } = await import('../commands/setup.ts');
  const inner = contextIn(context, system, { runtimes: [spec.id], set: exampleInputs(inputs) });
  const outcome = await run(inner, { positionals: [id], flags: {} });
  return outcome.findings;
}

async function takeOut(context: Context, system: MemorySystem, { id }: Definition): Promise<void> {
  const { run } = await import('../commands/uninstall.ts');
  await run(contextIn(context, system, {}), { positionals: [id], flags: {} });
}

/** A value for every input that must have one; the same on every machine. */
export function exampleInputs(inputs: Integration['inputs']): Record<string, string> {
  return Object.fromEntries(
    inputs
      .filter((input) => input.required && input.default === undefined)
      .map((input) => [input.name, exampleOf(input)]),
  );
}

function exampleOf(input: Integration['inputs'][number]): string {
  switch (input.type) {
    case 'url':
      return `https://example.com${input.pathEndsWith ?? ''}`;
    case 'choice':
      return input.choices?.[0] ?? '';
    case 'boolean':
      return 'false';
    case 'variable':
      return 'EXAMPLE_VARIABLE';
    case 'string':
      return 'example'.slice(0, input.maxLength);
  }
}

const isGit = (path: string): boolean => path === `${REPO}/.git` || path.startsWith(`${REPO}/.git/`);

const repositoryOf = (system: MemorySystem): Record<string, string> =>
  Object.fromEntries(Object.entries(system.snapshot(REPO)).filter(([path]) => !isGit(path)));

function writtenBy(system: MemorySystem): Record<string, string> {
  const files: Record<string, string> = {};
  for (const path of Object.keys(repositoryOf(system))) {
    const bytes = system.reader.lstat(path)?.kind === 'file' ? system.reader.readFile(path) : undefined;
    const shown = path.slice(REPO.length + 1);
    if (bytes === undefined || shown.startsWith('.tenon/')) continue;
    files[shown] = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  }
  return files;
}

function difference(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).map((path) => path.slice(REPO.length + 1));
}
