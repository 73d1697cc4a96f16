import type { ErrorCode, Finding } from '../errors/error.ts';
import type { Container, FormatId, Place, Position, Trace } from '../formats/format.ts';
import type { Json } from '../lib/json.ts';
import type { AbsPath } from '../system/ports.ts';

export type RuntimeId = string;
export type Scope = 'project' | 'local' | 'user';
/** What approving an artifact allows: a network connection, text that steers, a program that runs, a permission. */
export type ArtifactClass = 'connects' | 'instructs' | 'executes' | 'grants';
/** `sha256:` and 64 hex digits. */
export type Fingerprint = `sha256:${string}`;

/**
 * A file as users see it: relative posix path below the root, or `~/…` in the home folder, or absolute for a folder
 * that an environment variable of the runtime names outside both.
 */
export type DisplayPath = string;

export interface Target {
  readonly path: DisplayPath;
  readonly format: FormatId;
  readonly place: Place;
}

/** How a client reads a file; decides what we may create and what doctor says. From the spec. */
export interface FileRules {
  /** `strict`: RFC 8259 only; `comments`: comments but no trailing comma; `jsonc`: both. TOML and text: `jsonc`. */
  readonly reads: 'strict' | 'comments' | 'jsonc';
  readonly bom: 'ok' | 'rejected';
  /** `warn`: the client then ignores only something of the user's; `refuse`: it would drop the whole file. */
  readonly skeleton?: Json;
  /** Mode of a newly created file; default 0644 less umask. */
  readonly private?: boolean;
}

/** Who wants a thing. `integration` is an id, a path (`./tools/x`) or `add:<name>` for an inline server. */
export interface Owner {
  readonly integration: string;
  readonly artifact: string;
  readonly version: string;
}

/** One thing that should exist at one address. */
export interface Desired {
  readonly owner: Owner;
  /** Every chosen runtime that reads it there; empty for files of no runtime. */
  readonly runtimes: readonly RuntimeId[];
  readonly scope: Scope;
  readonly target: Target;
  /** Parsed value; for file, block and line the text with LF ends. */
  readonly value: Json;
  readonly class: ArtifactClass;
  readonly rules: FileRules;
  /** Leaves (pointers) that a user may add or flip without it being drift. */
  readonly switches: readonly string[];
  /** Whole files only: executable bit. */
  readonly executable?: boolean;
  /** From the repository and not (yet) trusted: shown, never written. */
  readonly trust: 'bundled' | 'operator' | 'trusted' | 'untrusted';
  /** One line for the plan: what it starts, connects to or grants. */
  readonly summary: string;
  /** `early` files exist before the entries that call them are written, and go after them. */
  readonly order: 'early' | 'normal';
  /**
   * Only meaningful inside the entry at this path (an approval mode inside a server's table): left out where that entry
   * is neither there nor wanted.
   */
  readonly within?: readonly string[];
  /** Secret placeholders in `value` that are filled after approval; shown as their name. */
  readonly credential?: string;
}

/** What one whole file is on disk. */
export interface FileFacts {
  readonly path: DisplayPath;
  readonly abs: AbsPath;
  /** The real file behind links inside the root; where the write goes. */
  readonly real: AbsPath;
  readonly exists: boolean;
  /** Decoded text without BOM; undefined when absent or unreadable. */
  readonly text?: string;
  readonly bom: boolean;
  readonly size: number;
  readonly mode?: number;
  /** SHA-256 of the bytes, or `absent`. */
  readonly hash: Fingerprint | 'absent';
  /** Why this file cannot be edited (link that leaves, hard link, read-only, not UTF-8, too large, …). */
  readonly problem?: Finding;
  /** Hard-linked and forced: the write must go through the same inode. */
  readonly inPlace?: true;
  /**
   * Reached through a link that leaves its root or home, and followed: `answered` in this run, or `recorded` as the target
   * that an earlier run was told to follow.
   */
  readonly leaves?: 'answered' | 'recorded';
}

export interface Observed {
  readonly state: 'absent' | 'present' | 'unreadable';
  readonly value?: Json;
  readonly at?: Position;
  readonly byTag?: boolean;
  readonly problem?: Finding;
}

/** One recorded generation of a value that tenon wrote at an address. */
export interface Generation {
  readonly print: Fingerprint;
  /** Leaf pointer -> fingerprint. */
  readonly leaves: Readonly<Record<string, Fingerprint>>;
  /** Array items only: the value itself, which finds the item again. Items never hold credentials. */
  readonly value?: Json;
}

/** What tenon wrote at one address. Identity: path + container + artifact; never the position in an array. */
export interface LedgerRecord {
  readonly path: DisplayPath;
  readonly format: FormatId;
  readonly place: Place;
  readonly owners: readonly Owner[];
  readonly runtimes: readonly RuntimeId[];
  readonly scope: Scope;
  readonly classes: readonly ArtifactClass[];
  readonly switches: readonly string[];
  /** Oldest first, at most 20. */
  readonly generations: readonly Generation[];
  /** The formats' memory of the insertion. Holds no user bytes and no secret. */
  readonly trace: Trace;
  /** User content that `--resolve …=replace` put aside: id of a backup in the state folder. */
  readonly replaced?: { readonly backup: string; readonly whole: boolean };
  /** Records of files outside the root: the root that asked for them. */
  readonly root?: AbsPath;
  readonly order: 'early' | 'normal';
}

/** Per file: what tenon created around its entries, and the hashes that make an exact inverse provable. */
export interface FileRecord {
  readonly path: DisplayPath;
  readonly createdFile: boolean;
  /** Folders that did not exist before, outermost first, display paths. */
  readonly createdDirs: readonly DisplayPath[];
  readonly containers: readonly Container[];
  /** State before tenon's first entry; null once the file was edited by others between two of our writes. */
  readonly before: { readonly hash: Fingerprint | 'absent'; readonly size: number } | null;
  readonly after: { readonly hash: Fingerprint | 'absent'; readonly size: number };
  readonly bom: boolean;
  readonly eol: '\n' | '\r\n';
  /**
   * Paths that are or lie behind a link which leaves the root or home, with the real file that a person agreed to
   * (`--resolve PATH=follow`). A link that leads elsewhere since was not agreed to. Absent = none.
   */
  readonly follows?: Readonly<Record<DisplayPath, AbsPath>>;
}

export interface Ledger {
  readonly schemaVersion: 1;
  /** Canonical root, or `~` for the ledger of files outside every root. */
  readonly root: AbsPath | '~';
  /** Sorted by path. */
  readonly files: readonly FileRecord[];
  /** Sorted by address. */
  readonly records: readonly LedgerRecord[];
  /** Local and user enrolments; project ones stand in the manifest. */
  readonly enrolments: readonly Enrolment[];
  /** Of project enrolments, what a manifest that somebody else edits is compared with; absent = nothing. */
  readonly choices?: readonly RecordedChoices[];
}

/** Choices of a project enrolment that this host set up last: fixed inputs, and defaults with another value. No secret. */
export interface RecordedChoices {
  readonly integration: string;
  readonly fixed: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, Json>>;
}

/** What is set up: the choices that `sync` renders again. */
export interface Enrolment {
  readonly integration: string;
  /** An instance of its own name: the definition that it is of. */
  readonly of?: string;
  readonly version: string;
  readonly scope: Scope;
  readonly runtimes: readonly RuntimeId[];
  readonly inputs: Readonly<Record<string, string>>;
  /** Inputs of a project enrolment that this host keeps out of the manifest (`--local`); the ledger holds them. */
  readonly localInputs?: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, Json>>;
  readonly without: readonly string[];
  /** Definition of an `add:<name>` server; null for all others. */
  readonly server: Json;
  /** Addresses that were there before with an equal value; never ours. */
  readonly external: readonly string[];
  /** Addresses left out on purpose. */
  readonly excluded: readonly string[];
  /** User-scope enrolments stand in the ledger `~`; local ones name their root there. */
  readonly root?: AbsPath;
}

export type Action =
  | 'create'
  | 'update'
  | 'merge'
  | 'remove'
  | 'restore'
  | 'replace'
  | 'reuse'
  | 'refresh'
  | 'keep'
  | 'forget';

/** One change (or deliberate non-change) of the plan. */
export interface Op {
  /** Stable inside a plan: `op-001`, … in display order. */
  readonly id: string;
  readonly action: Action;
  readonly address: string;
  readonly target: Target;
  readonly owners: readonly Owner[];
  readonly runtimes: readonly RuntimeId[];
  readonly scope: Scope;
  readonly classes: readonly ArtifactClass[];
  readonly summary: string;
  /** Why this action: a short sentence. */
  readonly reason: string;
  readonly approval: 'project-files' | 'user-files' | 'none';
  readonly before?: Fingerprint;
  readonly after?: Fingerprint;
}

export type ConflictChoice = 'keep' | 'replace' | 'follow' | 'force';

export interface Conflict {
  readonly address: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly choices: readonly ConflictChoice[];
  /** Redacted values, for display. */
  readonly ours?: Json;
  readonly theirs?: Json;
  readonly remedy: string;
  readonly runtimes: readonly RuntimeId[];
  /** The text a person would paste. */
  readonly snippet?: string;
}

/** One file of the plan: base and result bytes and how to get from one to the other. */
export interface FilePlan {
  readonly path: DisplayPath;
  readonly abs: AbsPath;
  readonly real: AbsPath;
  readonly action: 'create' | 'edit' | 'delete';
  readonly order: 'early' | 'normal';
  /** Bytes before; undefined = absent. Kept in memory only. */
  readonly base: Uint8Array | undefined;
  readonly baseHash: Fingerprint | 'absent';
  /** Bytes after; undefined = deleted. */
  readonly result: Uint8Array | undefined;
  readonly resultHash: Fingerprint | 'absent';
  /** Mode of the result: the file's own, or that of a new file. */
  readonly mode: number;
  /** Write through the same inode (a hard-linked file with --force). */
  readonly inPlace: boolean;
  /** Folders to create first, outermost first / to remove afterwards when empty, innermost first. */
  readonly makeDirs: readonly AbsPath[];
  readonly removeDirs: readonly AbsPath[];
  readonly ops: readonly string[];
  /** Outside the root: needs `--allow user-files`, unless this run was told to follow the link there. */
  readonly outside: boolean;
  /** Reached through a link that leaves the root or home: the real file, as it is shown. */
  readonly leadsTo?: DisplayPath;
  /** `--resolve PATH=follow`, or the same answer at a terminal, was given in this run. */
  readonly isFollowed?: true;
}

export interface Plan {
  readonly schemaVersion: 1;
  readonly command: string;
  readonly root: AbsPath;
  readonly files: readonly FilePlan[];
  readonly ops: readonly Op[];
  readonly conflicts: readonly Conflict[];
  readonly findings: readonly Finding[];
  readonly isEmpty: boolean;
  readonly isApplicable: boolean;
  readonly digest: Fingerprint;
  /** The ledgers as they will be after the apply; written last. Keys: `root`, `user`. */
  readonly ledgers: { readonly root?: Ledger; readonly user?: Ledger };
  /** Files that stay as they are and for whose content the ledgers change; compared again by the apply. */
  readonly seen?: readonly Pick<FileFacts, 'path' | 'real' | 'hash'>[];
}

declare const approved: unique symbol;
/** Only `engine/approval.ts` makes one; `apply` takes nothing else. */
export type ApprovedPlan = Plan & { readonly [approved]: true };

export interface AppliedFile {
  readonly path: DisplayPath;
  readonly action: FilePlan['action'];
  readonly hash: Fingerprint | 'absent';
}

export interface ApplyResult {
  /** Read back from disk after the last rename. */
  readonly files: readonly AppliedFile[];
  readonly findings: readonly Finding[];
}
