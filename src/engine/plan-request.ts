import type { Finding } from '../errors/error.ts';
import type { FormatId } from '../formats/format.ts';
import type { Json, JsonPath } from '../lib/json.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import type { LeafChange } from './decide.ts';
import type { DisplayPath, FileRules, Ledger, LedgerRecord } from './types.ts';
import type { Wish, WishProblem } from './wishes.ts';

/** Answers and flags that the decisions ask for; addresses are exact, expanded from the prefixes a user typed. */
export interface Choices {
  /** `--resolve ADDRESS=…` or the answer to a conflict. */
  readonly resolve: (address: string) => 'keep' | 'replace' | 'follow' | undefined;
  /** `--force ADDRESS` (also a file, for a hard-linked one). */
  readonly force: (address: string) => boolean;
  /** `--restore ADDRESS` or the answer at a terminal. */
  readonly restore: (address: string) => boolean;
}

/** Deliberate facts about addresses that the manifest or an enrolment carries. */
export interface Known {
  /** Was there before with an equal value: never ours. */
  readonly external: ReadonlySet<string>;
  /** Left out on purpose. */
  readonly excluded: ReadonlySet<string>;
  /**
   * What is set up here (see `enrolmentKey`): equal entries of it without a record are adoptable, and its records
   * without an entry were removed by hand; those of anything else belong to another branch.
   */
  readonly listed: ReadonlySet<string>;
}

/** An address with the integration that wanted something there. */
export interface OwnedAddress {
  readonly address: string;
  readonly integration: string;
}

/** What the plan found out that the manifest must say. */
export interface PlanFacts {
  readonly external: readonly OwnedAddress[];
  readonly excluded: readonly OwnedAddress[];
  /** Addresses that are recorded as ours from now on: whatever the manifest said of them, they are not external. */
  readonly owned: ReadonlySet<string>;
  /** Integrations of which at least one record, adoptable entry or reuse is left. */
  readonly remaining: ReadonlySet<string>;
}

export interface PlanRequest {
  readonly command: string;
  readonly root: AbsPath;
  readonly home: AbsPath;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly reader: Reader;
  readonly ledgers: { readonly root: Ledger; readonly user: Ledger };
  readonly wishes: readonly Wish[];
  readonly problems: readonly WishProblem[];
  readonly findings: readonly Finding[];
  readonly known: Known;
  readonly choices: Choices;
  /**
   * Show what is not trusted as if it were (`setup` and `plan`, which then refuse to apply it) instead of leaving it out
   * (`sync`): trust gates writing, not computing (contract, section 6).
   */
  readonly showUntrusted: boolean;
  /**
   * What happens to records that no wish covers: `remove` takes them out, `drop-owner` only ends the ownership of the
   * named integrations where others share the entry, `forget` gives the entry to the user as it is, `stale` reports,
   * `leave` says nothing.
   */
  readonly uncovered: (record: LedgerRecord) => Uncovered;
  /** Leave files that cannot be read or edited out of the plan (`sync`) instead of refusing everything (`setup`). */
  readonly tolerant: boolean;
  /** Reads a backup of replaced content (`LedgerRecord.replaced`). */
  readonly readReplaced: (id: string) => Uint8Array | undefined;
  /** The manifest's next text, from the facts; undefined = no manifest file afterwards. Absent = not touched. */
  readonly manifest?: (facts: PlanFacts) => string | undefined;
  /** The enrolments of the ledgers after the apply. */
  readonly enrol?: (ledger: Ledger, facts: PlanFacts) => Ledger;
  /** Strictness of a client's parser: what it does with this text, or undefined when it reads it. */
  readonly refusedByClient: (text: string, bom: boolean, rules: FileRules) => string | undefined;
  /**
   * What the clients of these wishes make of the content of a file as it would be written; `data.dropsFile` where one then
   * refuses the whole file, `config/rule-order` where a rule of it takes the effect of ours. Absent = nothing is known of any.
   */
  readonly contentFindings?: (
    path: DisplayPath,
    text: string,
    format: FormatId,
    wishes: readonly Wish[],
  ) => readonly Finding[];
  /** A server of somebody else in the same file that already is what a new entry would be. */
  readonly duplicateOf: (wish: Wish) => Duplicate | undefined;
  /** `adopt`: an adoptable entry at this address becomes ours, without a byte being written. */
  readonly adopts?: (address: string) => boolean;
  /**
   * `disable` and `enable`: the change of the client's own switch in an entry of ours, undefined where it stands right.
   * The switch is the user's, so no record changes. With it nothing else is planned.
   */
  readonly flip?: (record: LedgerRecord, observed: Json) => LeafChange | undefined;
  /** Mask of new files, e.g. 0o022. */
  readonly umask: number;
  /** Folders that no link may lead into. */
  readonly protectedDirs: readonly AbsPath[];
  /** The real file behind a link that leaves the root or home, as an earlier run was told to follow it. */
  readonly followed?: (path: DisplayPath) => AbsPath | undefined;
  /** Why a file outside the root belongs to a dotfile manager, whose source should be changed instead. */
  readonly managedElsewhere?: (path: DisplayPath, abs: AbsPath) => Finding | undefined;
}

export interface Duplicate {
  readonly name: string;
  readonly path: JsonPath;
}

export type Uncovered =
  | 'remove'
  | 'stale'
  | 'leave'
  | 'forget'
  /** It stays for these owners, and for these coding tools where some of its own go. */
  | { readonly keepOwners: LedgerRecord['owners']; readonly keepRuntimes?: LedgerRecord['runtimes'] };

/** A piece of user content that `replace` puts aside; written to the state folder before the first rename. */
export interface Replacement {
  readonly path: DisplayPath;
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** What a backup of replaced content holds: the old value, and the whole file for an exact return. */
export interface ReplacedContent {
  readonly value: Json;
  readonly file: string;
}
