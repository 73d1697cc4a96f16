import type { Finding } from '../errors/error.ts';
import type { FormatId } from '../formats/format.ts';
import { formatOf } from '../formats/index.ts';
import { getIn, isObject, type Json } from '../lib/json.ts';
import type { ResolvedPath } from '../system/path-template.ts';
import { isThere, oneSpelling } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import { fillText, type Values } from './dialect.ts';
import { type PathBase, resolvePath } from './paths.ts';
import type { FileSpecData } from './schema.ts';

export interface PlaceInput extends PathBase {
  readonly parse?: ((format: FormatId, text: string) => Json | undefined) | undefined;
  /** Display paths of files that another runtime's entry creates. */
  readonly created?: ReadonlySet<string>;
}

/** The file that is used, and why it and not another one. */
export interface ChosenFile {
  readonly path: ResolvedPath;
  readonly findings: readonly Finding[];
}

interface Candidate {
  readonly path: ResolvedPath;
  readonly exists: boolean;
  readonly document: Json | undefined;
}

/** `paths` and `create` of a file on a platform. */
export function filesOn(
  file: FileSpecData,
  platform: NodeJS.Platform,
): Pick<FileSpecData, 'paths' | 'create'> {
  const own =
    platform === 'darwin' || platform === 'win32' || platform === 'linux' ? file.os?.[platform] : undefined;
  return own ?? file;
}

/**
 * Which of a runtime's files takes an entry (case H01). Merged files: the one that has the entry, else the one that has
 * its container (`at`'s first member), else the strongest that exists, else the one that is created. Files of which the
 * client reads one: the strongest that exists, else the one that is created. A variable that moves the file to an
 * uncertain place is a finding instead.
 */
export function chooseFile(
  file: FileSpecData,
  at: readonly string[],
  input: PlaceInput,
): ChosenFile | { readonly problem: Finding } {
  const { paths, create } = filesOn(file, input.platform);
  const candidates: Candidate[] = [];
  for (const template of paths) {
    const path = resolvePath(template, input);
    if (path.problem?.severity === 'error') return { problem: path.problem };
    const isMade = !file.merged && (input.created?.has(path.display) ?? false);
    const exists = isMade || isThere(input.reader, path.abs);
    candidates.push({ path, exists, document: undefined });
  }
  const created = resolvePath(create, input);
  const notes = created.problem === undefined ? [] : [created.problem];
  const existing = candidates.filter((one) => one.exists);
  const [strongest] = existing;
  if (strongest === undefined) return { path: created, findings: notes };
  if (existing.length === 1) {
    const isUsual = strongest.path.display === created.display;
    const why = `it is there; ${created.display} is not created`;
    return { path: strongest.path, findings: isUsual ? notes : [...notes, chosen(strongest.path, why)] };
  }
  const others = (one: Candidate): string =>
    existing.flatMap(({ path: { display } }) => (display === one.path.display ? [] : [display])).join(', ');
  if (!file.merged) {
    const why = `it is the one that is read; ${others(strongest)} is ignored`;
    return { path: strongest.path, findings: [...notes, chosen(strongest.path, why)] };
  }
  const read = existing.map((one) => ({ ...one, document: documentAt(one.path, file.format, input) }));
  const withEntry = read.filter((one) => getIn(one.document, at) !== undefined);
  const withContainer = read.filter((one) => getIn(one.document, at.slice(0, 1)) !== undefined);
  const pick = withEntry[0] ?? withContainer[0] ?? strongest;
  const findings: Finding[] = [...notes];
  if (withEntry.length > 1) {
    const names = withEntry.map((one) => one.path.display).join(' and ');
    const message = `${at.join('.')} stands in ${names}; ${pick.path.display} wins`;
    findings.push({ code: 'render/defined-twice', severity: 'warning', subject: pick.path.display, message });
  }
  const holds = withEntry.length > 0 ? at.join('.') : `${at[0]}`;
  const reason = withContainer.length > 0 ? `it holds ${holds}` : 'it is the strongest';
  findings.push(chosen(pick.path, `${reason}; ${others(pick)} is left alone`));
  return { path: pick.path, findings };
}

/** The parsed document of a file; undefined when it is absent, empty, malformed or unreadable: it is told elsewhere. */
export function documentAt(path: ResolvedPath, format: FormatId, input: PlaceInput): Json | undefined {
  const bytes = readable(input.reader, path.abs);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  return (input.parse ?? parseOnce)(format, text);
}

/** A file is asked about for each server that could stand in it: the last few are not read again. */
const parsed = new Map<string, { readonly value: Json | undefined }>();
const KEPT_DOCUMENTS = 8;

function parseOnce(format: FormatId, text: string): Json | undefined {
  const key = `${format} ${text}`;
  let known = parsed.get(key);
  if (known === undefined) {
    known = { value: parseWithFormat(format, text) };
    if (parsed.size >= KEPT_DOCUMENTS) parsed.clear();
    parsed.set(key, known);
  }
  return known.value;
}

/** What no editor takes any more is no configuration. */
const MAX_BYTES = 5_000_000;

/** No more than what an editor takes; behind a circle of links, or without permission, nothing. */
function readable(reader: PlaceInput['reader'], path: AbsPath): Uint8Array | undefined {
  try {
    return reader.readFile(path, MAX_BYTES);
  } catch {
    return undefined;
  }
}

function parseWithFormat(format: FormatId, text: string): Json | undefined {
  const reading = formatOf(format).parse(text);
  return reading.ok ? reading.value : undefined;
}

const chosen = (path: ResolvedPath, why: string): Finding => ({
  code: 'render/file-chosen',
  severity: 'info',
  subject: path.display,
  message: `${path.display} is used: ${why}`,
});

/**
 * The path of members that a spec's `at` means. A member `{root}` is the key under which a client keeps facts of one
 * folder; where the document has that folder under another spelling (drive letter, slashes; case I06), that key is used.
 */
export function memberPath(
  at: readonly string[],
  values: Values,
  root: string,
  platform: NodeJS.Platform,
  document: Json | undefined,
): string[] {
  const path: string[] = [];
  for (const part of at) {
    const known = part === '{root}' ? sameFolderKey(getIn(document, path), root, platform) : undefined;
    path.push(known ?? (part.includes('{') ? fillText(part, { ...values, root }) : part));
  }
  return path;
}

/** The first key of each folder in records of a client, which may have one for every folder that it ever ran in. */
const foldersOf = new WeakMap<object, Map<string, string>>();

function sameFolderKey(
  records: Json | undefined,
  root: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (!isObject(records)) return undefined;
  if (Object.hasOwn(records, root)) return root;
  let folders = foldersOf.get(records);
  if (folders === undefined) {
    folders = new Map();
    for (const key of Object.keys(records)) {
      const folder = oneSpelling(key, platform);
      if (!folders.has(folder)) folders.set(folder, key);
    }
    foldersOf.set(records, folders);
  }
  return folders.get(oneSpelling(root, platform));
}
