import { observeFile } from '../engine/observe-file.ts';
import type { DisplayPath, FileFacts } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { Fault, FormatId, Position } from '../formats/format.ts';
import { formatOf } from '../formats/index.ts';
import type { Json, JsonPath } from '../lib/json.ts';
import type { PathBase } from '../runtimes/paths.ts';
import type { AbsPath } from '../system/ports.ts';

/** One file, read once. */
export interface Document {
  readonly path: DisplayPath;
  readonly abs: AbsPath;
  readonly format: FormatId;
  /** `blocked`: it is there (or is a link) and its text was not read; `problem` says why. */
  readonly state: 'absent' | 'blocked' | 'malformed' | 'parsed';
  readonly text: string;
  readonly bom: boolean;
  readonly mode: number | undefined;
  readonly value: Json | undefined;
  readonly fault?: Fault;
  readonly problem?: Finding;
  locate(path: JsonPath): Position | undefined;
}

/** The files of one run. Formats must be loaded (`formats/index.ts`). */
export interface Documents {
  get(place: { readonly display: DisplayPath; readonly abs: AbsPath }, format: FormatId): Document;
}

/** A cache over the reader: every file is read and parsed at most once in a run. */
export function openDocuments(base: PathBase): Documents {
  const seen = new Map<string, Document>();
  return {
    get(place, format) {
      const key = `${format}\0${place.abs}`;
      const known = seen.get(key);
      if (known !== undefined) return known;
      const made = read(base, place, format);
      seen.set(key, made);
      return made;
    },
  };
}

function read(
  base: PathBase,
  place: { readonly display: DisplayPath; readonly abs: AbsPath },
  format: FormatId,
): Document {
  const { root, home, platform, reader } = base;
  const facts = observeFile(reader, { root, home, platform, display: place.display, abs: place.abs });
  const common = {
    path: place.display,
    abs: place.abs,
    format,
    text: facts.text ?? '',
    bom: facts.bom,
    mode: facts.mode,
    value: undefined,
    locate: () => undefined,
  };
  // Whether a file could be written (hard links, read-only) is no matter of reading it.
  if (facts.text === undefined) return { ...common, ...unread(facts) };
  const { text } = facts;
  const parsed = formatOf(format).parse(text);
  if (!parsed.ok) return { ...common, state: 'malformed', fault: parsed.fault };
  return {
    ...common,
    state: 'parsed',
    value: parsed.value,
    locate: (path) => formatOf(format).locate(text, path),
  };
}

function unread(facts: FileFacts): Pick<Document, 'state' | 'problem'> {
  const { problem } = facts;
  const isAbsent = problem === undefined || (!facts.exists && problem.code === 'file/read-only');
  return isAbsent ? { state: 'absent' } : { state: 'blocked', problem };
}

/** A finding's data that says where: file, and line and column from 1. For SARIF and annotations. */
export function whereOf(document: Document, at: JsonPath | Position | undefined): Record<string, Json> {
  const position = at === undefined ? undefined : 'line' in at ? at : document.locate(at);
  return {
    file: document.path,
    ...(position === undefined ? {} : { line: position.line, column: position.column }),
  };
}
