import { posix } from 'node:path';
import { TenonError } from '../errors/error.ts';
import { isObject, type JsonPath } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { readIndex, sha256 } from '../runtimes/load.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import { checkDefinition } from './check-definition.ts';
import { readFolder } from './folder.ts';
import { asInstance } from './instance.ts';
import { locateMember, locateSyntaxError } from './locate.ts';
import { bundledIds, type ResolvedFolder, resolveIntegration } from './resolve.ts';
import type { Integration } from './schema.ts';
import type { LoadedIntegration } from './types.ts';

const MANIFEST = 'integration.json';
/** The newest `schemaVersion` of integration.json that this program knows. */
export const KNOWN_SCHEMA_VERSION = 1;

/**
 * Reads the definition that `ref` names (see {@link resolveIntegration}) with every file of its folder, and checks it.
 * Nothing is executed and nothing else is read. Errors, all with exit 4 unless said: `integration/unknown` (2),
 * `integration/outside`, `integration/invalid`, `integration/unknown-placeholder`, `secret/literal` (each with
 * file:line:column and field), `integration/unsupported-version`. Further problems of one definition are findings.
 */
export async function loadIntegration(
  reader: Reader,
  packageDir: AbsPath,
  root: AbsPath,
  ref: string,
): Promise<LoadedIntegration> {
  return loadFolder(reader, packageDir, resolveIntegration(reader, packageDir, root, ref));
}

/**
 * The definition that `of` names, as the instance `name`. Errors as {@link loadIntegration}, and `integration/invalid`
 * for the name of a bundled integration, which always means the bundled one.
 */
export async function loadInstance(
  reader: Reader,
  packageDir: AbsPath,
  root: AbsPath,
  name: string,
  of: string,
): Promise<LoadedIntegration> {
  if (bundledIds(reader, packageDir).includes(name)) {
    throw refuse(
      'integration/invalid',
      `"${name}" is the id of a bundled integration`,
      [],
      'Choose another name',
    );
  }
  return asInstance(await loadIntegration(reader, packageDir, root, of), name);
}

/** Reads and checks the definition in a folder (also for `tenon validate`). Errors as {@link loadIntegration}. */
export async function loadFolder(
  reader: Reader,
  packageDir: AbsPath,
  where: ResolvedFolder,
): Promise<LoadedIntegration> {
  const files = readFolder(reader, where.folder, where.shown);
  const bytes = files.get(MANIFEST);
  const shown = printable(posix.join(where.shown, MANIFEST));
  if (bytes === undefined) {
    throw refuse(
      'integration/invalid',
      `${shown} does not exist`,
      [],
      'Name the folder that holds integration.json',
    );
  }
  const text = decode(bytes, shown);
  const raw = await parse(text, shown);
  checkVersion(raw, shown);
  const isForeign = where.source !== 'bundled';
  // A bundled manifest spells out every default, so one that was validated when the package was built is used as it is.
  const isIndexed = !isForeign && readIndex(reader, packageDir)[shown] === sha256(bytes);
  if (!isIndexed) await refuseTwice(text, shown);
  const manifest = isIndexed ? (raw as Integration) : await validate(raw, text, shown);
  if (isForeign && bundledIds(reader, packageDir).includes(manifest.id)) {
    throw refuse(
      'integration/invalid',
      `${await place(text, shown, ['id'])}: "${manifest.id}" is the id of a bundled integration`,
      [],
      'Choose another id',
    );
  }
  const problems = isIndexed ? [] : checkDefinition(manifest, files);
  const [first] = problems;
  if (first !== undefined) {
    const messages = await Promise.all(
      problems.map(async (one) => `${await place(text, shown, one.path)}: ${printable(one.message)}`),
    );
    throw refuse(first.code, messages[0] ?? '', messages.slice(1), 'Correct the definition');
  }
  return { ref: where.ref, source: where.source, manifest, folder: where.folder, files };
}

function decode(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('integration/invalid', `${shown} is not UTF-8`, [], 'Save the file as UTF-8');
  }
}

async function parse(text: string, shown: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const at = await locateSyntaxError(text);
    const where = at === undefined ? shown : `${shown}:${at.line}:${at.column}`;
    throw refuse(
      'integration/invalid',
      `${where}: this is not valid JSON`,
      [],
      'Correct the syntax; comments are not allowed',
    );
  }
}

/** Who reviews a definition may see the first of two equal names where this program reads the last. */
async function refuseTwice(text: string, shown: string): Promise<void> {
  const { duplicateKey } = await import('../formats/json.ts');
  const twice = duplicateKey(text);
  if (twice === undefined) return;
  const where = twice.at === undefined ? shown : `${shown}:${twice.at.line}:${twice.at.column}`;
  throw refuse('integration/invalid', `${where}: ${printable(twice.message)}`, [], 'Keep one of the two');
}

function checkVersion(raw: unknown, shown: string): void {
  const version = isObject(raw) ? raw['schemaVersion'] : undefined;
  if (typeof version !== 'number' || !Number.isInteger(version) || version <= KNOWN_SCHEMA_VERSION) return;
  throw refuse(
    'integration/unsupported-version',
    `${shown} has schemaVersion ${version}; this program knows ${KNOWN_SCHEMA_VERSION}`,
    [],
    'Install a newer version of tenon',
  );
}

async function validate(raw: unknown, text: string, shown: string): Promise<Integration> {
  const { IntegrationSchema } = await import('./schema.ts');
  const result = IntegrationSchema.safeParse(raw);
  if (result.success) return result.data;
  const messages: string[] = [];
  for (const issue of result.error.issues.slice(0, 20)) {
    const path = issue.path.map(String);
    const field = path.length === 0 ? '' : `${printable(path.join('.'))}: `;
    messages.push(`${await place(text, shown, path)}: ${field}${printable(issue.message)}`);
  }
  throw refuse('integration/invalid', messages[0] ?? shown, messages.slice(1), 'Correct the definition');
}

async function place(text: string, shown: string, path: JsonPath): Promise<string> {
  if (path.length === 0) return shown;
  const at = await locateMember(text, path);
  return `${shown}:${at.line}:${at.column}`;
}

function refuse(
  code:
    | 'integration/invalid'
    | 'integration/unsupported-version'
    | 'integration/unknown-placeholder'
    | 'secret/literal',
  message: string,
  further: readonly string[],
  remedy: string,
): TenonError {
  return new TenonError(code, `${message.replace(/\.$/, '')}.`, {
    exit: 4,
    remedy: { text: remedy },
    findings: further.map((one) => ({ code, severity: 'error', subject: MANIFEST, message: one })),
  });
}
