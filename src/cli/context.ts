import type { Scope } from '../engine/types.ts';
import type { Prompter, Reporter } from '../reporting/types.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { Lock } from '../state/lock.ts';
import type { AbsPath, System } from '../system/ports.ts';
import type { Interruption } from './interrupt.ts';
import type { OpenLanes } from './lanes.ts';

/** Flags that every command knows (contract, section 3). */
export interface GlobalOptions {
  readonly cwd?: string;
  readonly root?: string;
  readonly allRoots: boolean;
  readonly runtimes: readonly string[];
  readonly scope: Scope;
  readonly set: Readonly<Record<string, string>>;
  readonly without: readonly string[];
  readonly dryRun: boolean;
  /** The scope that was named on the command line; absent = none was. */
  readonly askedScope?: Scope;
  readonly yes: boolean;
  readonly approve?: string;
  readonly allow: readonly string[];
  /** address -> choice, split at the last `=` */
  readonly resolve: Readonly<Record<string, 'keep' | 'replace' | 'follow'>>;
  readonly force: readonly string[];
  readonly json: boolean;
  readonly format: 'text' | 'json' | 'sarif' | 'junit' | 'github' | 'html';
  readonly offline: boolean;
  readonly online: boolean;
  readonly live: boolean;
  readonly clients: boolean;
  readonly timeoutMs: number;
  readonly strict: boolean;
  readonly noInput: boolean;
  readonly showPaths: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
}

/** Everything a command gets. Nothing is global. */
export interface Context {
  readonly system: System;
  readonly options: GlobalOptions;
  /** The words after `tenon` as they were typed, for remedies that repeat them; absent outside the command line. */
  readonly argv?: readonly string[];
  /** Folder of the installed package: holds `specs/`, `templates/`. */
  readonly packageDir: AbsPath;
  readonly version: string;
  /** Every runtime of the package, where it was loaded already for another root. */
  readonly specs?: ReadonlyMap<string, RuntimeSpec>;
  readonly reporter: Reporter;
  readonly prompter: Prompter;
  /** Present where a writing command has to hold its locks from its beginning; it puts them in here. */
  readonly held?: Lock[];
  /** Opens further threads for so many roots; absent where this thread is to do it all. */
  readonly lanes?: (roots: number) => Promise<OpenLanes | undefined>;
  /** Ctrl-C while a plan is applied; absent where nobody listens for it. */
  readonly interruption?: Interruption;
  /** The one gate: a person can be asked here (terminal on both ends, no CI, no --json, no --no-input). */
  readonly interactive: boolean;
  /** Name of the coding agent whose session signals this terminal carries; consent is refused then. */
  readonly agentSession: string | undefined;
}
