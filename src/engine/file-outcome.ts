import type { Finding } from '../errors/error.ts';
import type { Container } from '../formats/format.ts';
import type { Judgement, Slot } from './judgement.ts';
import type { Replacement } from './plan-request.ts';
import type { Conflict, FileFacts, FilePlan, FileRecord, LedgerRecord, Op } from './types.ts';

/** Everything that concerns one real file. */
export interface FileGroup {
  readonly facts: FileFacts;
  readonly slots: readonly Slot[];
  readonly record: FileRecord | undefined;
  /** Entries of other roots of this host stand in it too (a file in the home folder): it is not ours alone. */
  readonly isShared: boolean;
  /** What its file record says of links afterwards ({@link FileRecord.follows}). */
  readonly follows: FileRecord['follows'];
}

/** What the plan does to one file. Operations have no number yet. */
export interface FileOutcome {
  readonly group: FileGroup;
  readonly plan: Omit<FilePlan, 'ops' | 'makeDirs' | 'removeDirs'> | undefined;
  readonly ops: readonly Omit<Op, 'id'>[];
  readonly conflicts: readonly Conflict[];
  readonly findings: readonly Finding[];
  readonly judgements: readonly Judgement[];
  /** The file's records afterwards; none = the file record goes too. */
  readonly records: readonly LedgerRecord[];
  /** Set where an edit happened; `before` and `createdDirs` are filled in by the caller. */
  readonly containers: readonly Container[];
  readonly replacements: readonly Replacement[];
  /** Left out because it cannot be read or edited (tolerant plans). */
  readonly skipped: boolean;
}
