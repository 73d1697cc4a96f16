import { observeFile } from '../engine/observe-file.ts';
import type { DisplayPath, FileFacts } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { Fault, FormatId, Position } from '../formats/format.ts';
import { formatOf } from '../formats/index.ts';
import type { Json, JsonPath } from '../lib/json.ts';
import type { PathBase } from '../runtimes/paths.ts';
import { isOutside, isWithin } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import { sharedPart } from '../system/remembering-reader.ts';

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

/** A cache over the reader: every file is read and parsed at most once in a run, one outside of the roots once for all. `followed`: see `Workspace`. */
export function openDocuments(
  base: PathBase,
  followed: (path: DisplayPath) => AbsPath | undefined = () => undefined,
): Documents {
  const seen = new Map<string, Document>();
  const shared = sharedDocuments(base);
  return {
    get(place, format) {
      const key = `${format}\0${place.abs}`;
      const known = seen.get(key);
      if (known !== undefined) return known;
      const outside = `${key}\0${place.display}`;
      const made = shared?.get(outside) ?? read(base, place, format, followed(place.display));
      seen.set(key, made);
      if (shared !== undefined && isShared(made, base)) shared.set(outside, made);
      return made;
    },
  };
}

const ofReader = new WeakMap<Reader, Map<string, Document>>();

/** What the roots of one run have in common; undefined for a run of one root. */
function sharedDocuments({ reader }: PathBase): Map<string, Document> | undefined {
  const part = sharedPart(reader);
  if (part === undefined) return undefined;
  const documents = ofReader.get(part) ?? new Map<string, Document>();
  ofReader.set(part, documents);
  return documents;
}

/**
 * Whether a document is the same for every root: it lies outside of this one, and is reached without a link and without a
 * problem, of which the root could be a part.
 */
const isShared = ({ abs, path, problem, state }: Document, { reader, root, platform }: PathBase): boolean =>
  isOutside(path) &&
  problem === undefined &&
  !isWithin(root, abs, platform) &&
  (state === 'absent' || reader.realpath(abs) === abs);

function read(
  base: PathBase,
  place: { readonly display: DisplayPath; readonly abs: AbsPath },
  format: FormatId,
  followed: AbsPath | undefined,
): Document {
  const { root, home, platform, reader } = base;
  const { display, abs } = place;
  const facts = observeFile(reader, { root, home, platform, display, abs }, { followed });
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
