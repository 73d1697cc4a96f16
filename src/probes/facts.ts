import type { TierHere } from '../certify/here.ts';
import type { GlobalOptions } from '../cli/context.ts';
import type { Inspection } from '../commands/shared/inspect.ts';
import type { Enrolment, Ledger, RuntimeId } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { PathBase } from '../runtimes/paths.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { StateFolder } from '../state/folder.ts';
import type { GitAnswer, IgnoredBy } from '../system/git.ts';
import type { AbsPath, System } from '../system/ports.ts';
import type { RepoRoot } from '../system/root.ts';
import type { ClientFacts } from './client-facts.ts';
import type { Documents } from './documents.ts';
import type { Examined } from './examined.ts';
import type { Suppression } from './suppressions.ts';

/** Questions to git, each asked at most once in a run and only when a probe needs the answer. */
export interface GitFacts {
  /** Which of the paths are in the index, as committed or as staged. */
  tracked(): Promise<GitAnswer<ReadonlySet<string>>>;
  ignored(): Promise<GitAnswer<ReadonlyMap<string, IgnoredBy>>>;
}

/** What a run of doctor knows; gathered once, shared by all probes. */
export interface Facts {
  readonly system: System;
  readonly options: Pick<GlobalOptions, 'offline' | 'online' | 'clients' | 'live' | 'timeoutMs'>;
  readonly base: PathBase;
  readonly repo: RepoRoot;
  /** A file or folder as a word for a shell, in a command that is there to be copied. */
  readonly wordFor: (path: AbsPath) => string;
  readonly specs: ReadonlyMap<string, RuntimeSpec>;
  readonly examined: readonly Examined[];
  readonly documents: Documents;
  readonly enrolments: readonly Enrolment[];
  readonly ledgers: { readonly root: Ledger; readonly user: Ledger };
  /** What is set up compared with disk and records; a finding when that could not be computed. */
  readonly inspection: Inspection | Finding;
  /** What was wrong with the manifest; the rest of the run goes on as if there were none. */
  readonly manifestProblem: Finding | undefined;
  readonly suppressions: readonly Suppression[];
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
  /** An interrupted apply of this root. */
  readonly pending: Finding | undefined;
  readonly state: StateFolder;
  readonly git: GitFacts;
  /** What the coding tools themselves said in this run; nothing is started without `--clients`. */
  readonly clients: ClientFacts;
  /** Folder of the installed package. */
  readonly packageDir: AbsPath;
  /** How far each coding tool is usable here; filled by the last probe. */
  readonly tiers: Map<RuntimeId, TierHere>;
  /** What was computed once, by the function that did; goes with the facts ({@link oncePerRoot}). */
  readonly known: Map<unknown, unknown>;
}

export const isInspection = (one: Facts['inspection']): one is Inspection => 'standings' in one;

/** Makes a function that computes its value once for what one run knows of a root: several probes ask for it. */
export function oncePerRoot<T>(make: (facts: Facts) => T): (facts: Facts) => T {
  return (facts) => {
    // What stands under this function was put there by the line below.
    let made = facts.known.get(make) as { readonly value: T } | undefined;
    if (made === undefined) {
      made = { value: make(facts) };
      facts.known.set(make, made);
    }
    return made.value;
  };
}

/** The same for each of several things of a root, by their identity. */
export function oncePer<K extends object, T>(make: (key: K, facts: Facts) => T): (key: K, facts: Facts) => T {
  const ofRoot = oncePerRoot(() => new Map<K, { readonly value: T }>());
  return (key, facts) => {
    const known = ofRoot(facts);
    let made = known.get(key);
    if (made === undefined) {
      made = { value: make(key, facts) };
      known.set(key, made);
    }
    return made.value;
  };
}

/** Makes a function that computes its value once. */
export function memo<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
