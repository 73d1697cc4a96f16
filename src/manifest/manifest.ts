import { MANIFEST_PATH } from '../engine/plan-manifest.ts';
import type { Enrolment } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { duplicateKey, jsonFormat } from '../formats/json.ts';
import { type JsonObject, type JsonPath, setOwn } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { MANIFEST_MIGRATIONS, migrated, migrationProblem } from '../state/migrate.ts';
import { isWithin } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import { manifestProblem } from './check.ts';
import type { Manifest } from './schema.ts';

/** An own file of at most this many bytes; a larger one is refused unread. */
const MAX_BYTES = 1024 * 1024;

const EMPTY: Manifest = { schemaVersion: 1, integrations: {}, servers: {}, suppressions: [] };

/**
 * Reads `.tenon/manifest.json`; undefined when there is none. It is repository content: strict schema, bounded size,
 * an error with line and field path for everything else. Throws `manifest/malformed`, `manifest/invalid`,
 * `manifest/unsupported-version`.
 */
export async function loadManifest(reader: Reader, root: AbsPath): Promise<Manifest | undefined> {
  const bytes = readManifest(reader, root);
  return bytes === undefined ? undefined : parseManifest(decode(bytes));
}

/** The bytes; another repository's manifest, behind a link, speaks for that one. */
function readManifest(reader: Reader, root: AbsPath): Uint8Array | undefined {
  try {
    const real = reader.realpath(`${root}/${MANIFEST_PATH}`);
    if (real === undefined) return undefined;
    if (!isWithin(root, real, process.platform)) {
      throw fault(
        'manifest/invalid',
        `${MANIFEST_PATH} is reached through a link that leaves the repository`,
      );
    }
    const stat = reader.stat(real);
    if (stat?.kind !== 'file' || stat.size > MAX_BYTES) {
      throw fault('manifest/invalid', `${MANIFEST_PATH} is no file of at most 1 MB`);
    }
    return reader.readFile(real, MAX_BYTES);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (error instanceof TenonError || !/^E[A-Z]+$/.test(code)) throw error;
    const why = code === 'ELOOP' ? 'is reached through a circle of links' : `cannot be read (${code})`;
    const isDenied = code === 'EACCES' || code === 'EPERM';
    throw fault(
      'manifest/invalid',
      `${MANIFEST_PATH} ${why}`,
      isDenied ? 'Correct its access rights' : undefined,
    );
  }
}

/** The manifest of a text. `where` names the file in messages. */
export async function parseManifest(text: string, where: string = MANIFEST_PATH): Promise<Manifest> {
  const parsed = jsonFormat.parse(text);
  if (!parsed.ok) {
    const at = parsed.fault.at;
    const place = at === undefined ? where : `${where}:${at.line}:${at.column}`;
    throw fault('manifest/malformed', `${place} ${parsed.fault.message}`);
  }
  // Who reviews a manifest may see the first of two equal names where programs read the last.
  const twice = duplicateKey(text);
  if (twice !== undefined) {
    const place = twice.at === undefined ? where : `${where}:${twice.at.line}:${twice.at.column}`;
    throw fault('manifest/malformed', `${place} ${printable(twice.message)}`);
  }
  const brought = migrated(parsed.value ?? {}, 1, MANIFEST_MIGRATIONS);
  if (!brought.ok && brought.why !== 'gap') {
    const text = `${where}: ${migrationProblem(brought, 1)}`;
    throw fault('manifest/unsupported-version', text, 'Update tenon');
  }
  const value = brought.ok ? brought.value : (parsed.value ?? {});
  const problem = manifestProblem(value);
  if (problem === undefined) return withDefaults(value as JsonObject);
  const at = nearest(text, problem.path);
  const place = at === undefined ? where : `${where}:${at.line}:${at.column}`;
  const field = printable(problem.path.join('.') || 'the document');
  throw fault('manifest/invalid', `${place} ${field}: ${problem.message}`);
}

/** Where a member stands; of a missing one, where it is missing. */
function nearest(text: string, path: JsonPath): ReturnType<typeof jsonFormat.locate> {
  for (let length = path.length; length > 0; length -= 1) {
    const at = jsonFormat.locate(text, path.slice(0, length));
    if (at !== undefined) return at;
  }
  return jsonFormat.locate(text, []);
}

/** A checked manifest with the members that were left out. */
function withDefaults(value: JsonObject): Manifest {
  const lists = { without: [], external: [], excluded: [] };
  const each = (member: string, more: object): object =>
    Object.fromEntries(
      Object.entries((value[member] ?? {}) as JsonObject).map(([name, entry]) => [
        name,
        { ...lists, ...more, ...(entry as JsonObject) },
      ]),
    );
  return {
    ...EMPTY,
    ...value,
    integrations: each('integrations', { inputs: {}, overrides: {} }),
    servers: each('servers', {}),
  } as Manifest;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('manifest/malformed', `${MANIFEST_PATH} is not valid UTF-8`);
  }
}

function fault(
  code: `manifest/${string}`,
  message: string,
  remedy = 'Mend the manifest by hand, or take it back from git',
): TenonError {
  return new TenonError(code, message, { exit: 4, remedy: { text: remedy } });
}

/** What the manifest has set up, inline servers as `add:<name>`. */
export function enrolmentsOf(manifest: Manifest | undefined): Enrolment[] {
  if (manifest === undefined) return [];
  const integrations = Object.entries(manifest.integrations).map(
    ([integration, entry]): Enrolment => ({
      integration,
      ...(entry.integration === undefined ? {} : { of: entry.integration }),
      version: entry.version,
      scope: 'project',
      runtimes: entry.runtimes,
      inputs: entry.inputs,
      overrides: entry.overrides as JsonObject,
      without: entry.without,
      server: null,
      external: entry.external,
      excluded: entry.excluded,
    }),
  );
  const servers = Object.entries(manifest.servers).map(([name, entry]): Enrolment => {
    const { runtimes, without, external, excluded, ...server } = entry;
    return {
      integration: `add:${name}`,
      version: '1.0.0',
      scope: 'project',
      runtimes,
      inputs: {},
      overrides: {},
      without,
      server: server as JsonObject,
      external,
      excluded,
    };
  });
  return [...integrations, ...servers];
}

/**
 * The manifest's text with one set of project enrolments; undefined when none is left and nothing else stands in it.
 * Canonical: two spaces, LF, members in the schema's order, names sorted, empty members left out.
 */
export function renderManifest(
  before: Manifest | undefined,
  enrolments: readonly Enrolment[],
): string | undefined {
  const base = before ?? EMPTY;
  const project = enrolments.filter(({ scope }) => scope === 'project');
  if (project.length === 0 && base.suppressions.length === 0 && base.minimumVersion === undefined)
    return undefined;
  const integrations: Record<string, unknown> = {};
  const servers: Record<string, unknown> = {};
  for (const one of [...project].sort((a, b) => (a.integration < b.integration ? -1 : 1))) {
    const lists = {
      runtimes: [...one.runtimes].sort(),
      without: some([...one.without].sort()),
      external: some([...one.external].sort()),
      excluded: some([...one.excluded].sort()),
    };
    if (one.integration.startsWith('add:')) {
      setOwn(servers, one.integration.slice('add:'.length), { ...(one.server as object), ...lists });
    } else {
      setOwn(integrations, one.integration, {
        integration: one.of,
        version: one.version,
        runtimes: lists.runtimes,
        inputs: some(sorted(one.inputs)),
        overrides: some(sorted(one.overrides)),
        without: lists.without,
        external: lists.external,
        excluded: lists.excluded,
      });
    }
  }
  const document = {
    $schema: base.$schema,
    schemaVersion: 1,
    minimumVersion: base.minimumVersion,
    integrations: some(integrations),
    servers: some(servers),
    suppressions: some(base.suppressions),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const some = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

const sorted = <T>(value: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
