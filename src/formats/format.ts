import type { ErrorCode } from '../errors/error.ts';
import type { Json, JsonPath } from '../lib/json.ts';

/**
 * The formats edit text and know nothing of files, runtimes or ownership. Input and output are the decoded text
 * of a file WITHOUT its byte-order mark (`text-style.ts` splits and restores it); offsets are UTF-16 units.
 */
export type FormatId = 'json' | 'toml' | 'markdown' | 'lines' | 'whole';

/** Where a thing stands inside a file. */
export type Place =
  /** the whole file (format `whole`) */
  | { readonly kind: 'file' }
  /** a member of an object or table; `path` includes the member's own name */
  | { readonly kind: 'key'; readonly path: JsonPath }
  /**
   * one element of the array at `path`, known by its value. `tag` is a text that marks an element of ours even when
   * its value was edited (the script that a hook calls): several equal elements -> the last one.
   */
  | { readonly kind: 'item'; readonly path: JsonPath; readonly value: Json; readonly tag?: string }
  /** a block between marker lines (format `markdown`) */
  | { readonly kind: 'block'; readonly id: string }
  /** one whole line (format `lines`) */
  | { readonly kind: 'line'; readonly line: string };

/** Line and column of a text, both from 1; columns count UTF-16 units. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** Why a text is refused. `message` is a full sentence without file name and position, which the caller adds. */
export interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly at?: Position;
  /** e.g. how to spell a Windows path in TOML */
  readonly hint?: string;
}

export interface ReadOptions {
  /** Upper bounds in bytes come from the caller; depth is checked by the format. */
  readonly maxDepth?: number;
}

/** What stands at a place. */
export type Reading =
  | { readonly state: 'absent' }
  /** `value` is the parsed value (key, item), or the text with LF ends (file, block, line). */
  | {
      readonly state: 'present';
      readonly value: Json;
      readonly at: Position;
      /** Only items: found by its tag, not by its value. */
      readonly byTag?: true;
    };

/** A container (object, table, array) that tenon itself created in a file, outermost first. */
export interface Container {
  readonly path: JsonPath;
  readonly kind: 'object' | 'array';
  /** Format-private facts that removal needs (inserted white space around it). Only strings, numbers, booleans. */
  readonly trace: Trace;
}

/** Format-private memory of one insertion, kept in the ledger; never bytes of the user. */
export interface Trace {
  readonly [key: string]: string | number | boolean;
}

/** The result of an edit: the new text and what to remember of it. */
export interface Edit {
  readonly text: string;
  /** Memory of what was inserted at this place; for `remove` empty. */
  readonly trace: Trace;
  /** `insert`: containers created on the way, outermost first. `remove`: what is left of the given ones. */
  readonly containers: readonly Container[];
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

export interface InsertContext {
  /** Members that a newly created document gets first, e.g. `{"$schema": "…"}`; only used for an empty file. */
  readonly skeleton?: Json;
  /** Line end for a file that has none yet. */
  readonly eol?: '\n' | '\r\n';
}

export interface RemoveContext {
  /** What `insert` remembered; absent when the record is lost: then the structural way is taken. */
  readonly trace?: Trace;
  /** Containers of this file that tenon created and that still stand in the ledger. */
  readonly containers: readonly Container[];
  /** Forced by the operator: a comment of the user on a line of ours (`edit/user-comment`) does not stop the edit. */
  readonly force?: boolean;
}

/**
 * One format. Every function is pure. Every returned edit has been proved inside the format: bytes outside the owned
 * span are identical, the re-parsed value equals the value before ± the owned change, the comments are the same.
 * What cannot be proved is a fault with code `edit/unprovable`.
 *
 * Faults: `config/malformed`, `config/merge-conflict`, `config/duplicate-key`, `config/shape`, `config/too-deep`,
 * `config/line-ends` (lone CR), `edit/unsupported` (a legal shape that the editor does not edit), `edit/unprovable`,
 * `edit/user-comment` (a comment of the user on a line of ours), `block/damaged` (marker lines that are no pair),
 * `lines/negated` (a later line takes the pattern back).
 */
export interface Format {
  readonly id: FormatId;
  /** Whole-document check and value; `undefined` for an empty or comment-only document. */
  parse(text: string, options?: ReadOptions): Result<Json | undefined>;
  /** What stands at a place. A duplicate key on the path or a container of another type is a fault. */
  read(text: string, place: Place): Result<Reading>;
  /** Adds a value at a place that is absent. Missing containers are created. */
  insert(text: string, place: Place, value: Json, context: InsertContext): Result<Edit>;
  /**
   * Changes leaves of an owned entry in place: `set` gives pointer -> new value relative to the entry (new or changed),
   * `unset` the pointers to take out. For a scalar, item, block, line or file the one pointer is `''`.
   * Leaves not named keep their bytes.
   */
  update(
    text: string,
    place: Place,
    change: { readonly set: ReadonlyMap<string, Json>; readonly unset: readonly string[] },
    context: RemoveContext & InsertContext,
  ): Result<Edit>;
  /** Takes the entry out, with the containers of ours that become empty by it. */
  remove(text: string, place: Place, context: RemoveContext): Result<Edit>;
  /** The text a person would paste to get `value` at `place` (for refusals). */
  snippet(place: Place, value: Json): string;
  /** Positions of members for findings about foreign content; undefined when the path is absent. */
  locate(text: string, path: JsonPath): Position | undefined;
}
