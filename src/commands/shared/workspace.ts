import { relative, sep } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { DisplayPath, Enrolment, Ledger } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import { enrolmentsOf, loadManifest } from '../../manifest/manifest.ts';
import type { Manifest } from '../../manifest/schema.ts';
import { requireKnownRuntimes } from '../../runtimes/choose.ts';
import { loadSpecs } from '../../runtimes/load.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import { openState, type State } from '../../state/store.ts';
import type { AbsPath } from '../../system/ports.ts';
import { findRoot, type RepoRoot } from '../../system/root.ts';

/** Everything that a command knows of one root before it decides anything. */
export interface Workspace {
  readonly root: AbsPath;
  readonly facts: RepoRoot;
  readonly specs: ReadonlyMap<string, RuntimeSpec>;
  readonly manifest: Manifest | undefined;
  readonly state: State;
  readonly ledgers: { readonly root: Ledger; readonly user: Ledger };
  /** Project ones from the manifest, local and user ones from the ledgers. */
  readonly enrolments: readonly Enrolment[];
  /** The real file behind a link that leaves the root or home, as this host was told to follow it. */
  readonly followed: (path: DisplayPath) => AbsPath | undefined;
}

/**
 * Opens the root of this run. A name of `--runtime` that is none is a usage error (exit 2). A writing command refuses while an interrupted apply is pending (`recover/needed`, exit 5)
 * and below the manifest's minimum version.
 */
export async function openWorkspace(context: Context, use: 'reads' | 'writes'): Promise<Workspace> {
  const { system } = context;
  const facts = rootOf(context);
  const state = openState(system, facts.root);
  if (use === 'writes' && context.held !== undefined)
    context.held.push(...(await state.hold(context.options.allow.includes('user-files'))));
  const specs = context.specs ?? (await loadSpecs(system.reader, context.packageDir));
  requireKnownRuntimes(context.options.runtimes, specs);
  const manifest = await loadManifest(system.reader, facts.root);
  if (use === 'writes') {
    refuseBelowMinimum(manifest, context.version);
    if (state.pending() !== undefined) {
      throw new TenonError('recover/needed', 'an earlier apply was interrupted in this repository', {
        exit: 5,
        state: 'needs-recover',
        remedy: { text: 'Finish or undo it first', command: 'tenon recover' },
      });
    }
  }
  const ledgers = state.ledgers();
  const inLedgers = [
    ...ledgers.root.enrolments.filter(({ scope }) => scope !== 'project'),
    ...ledgers.user.enrolments.filter((one) => one.scope === 'user' || one.root === facts.root),
  ];
  return {
    root: facts.root,
    facts,
    specs,
    manifest,
    state,
    ledgers,
    enrolments: [
      ...enrolmentsOf(manifest).map((one) => withLocalInputs(one, ledgers.root.enrolments)),
      ...inLedgers,
    ],
    followed: followedIn(ledgers),
  };
}

/** What the ledgers say of links that leave the root or home. */
export function followedIn({ root, user }: Workspace['ledgers']): Workspace['followed'] {
  const follows = new Map(
    [...root.files, ...user.files].flatMap((file) => Object.entries(file.follows ?? {})),
  );
  return (path) => follows.get(path);
}

/** A project enrolment with the inputs that this host keeps for it out of the manifest. */
function withLocalInputs(enrolment: Enrolment, kept: readonly Enrolment[]): Enrolment {
  const own = kept.find(
    ({ scope, integration }) => scope === 'project' && integration === enrolment.integration,
  );
  return own === undefined ? enrolment : { ...enrolment, localInputs: own.inputs };
}

/** The root as seen from the folder of this run; undefined when it is that folder. */
export function rootAsSeen({ facts }: Workspace): string | undefined {
  const shown = relative(facts.cwd, facts.root).split(sep).join('/');
  return shown === '' ? undefined : shown;
}

/** The root of this run, by `--cwd` and `--root`. Throws as `findRoot`. */
export function rootOf({ system, options }: Context): RepoRoot {
  return findRoot(system, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
}

function refuseBelowMinimum(manifest: Manifest | undefined, version: string): void {
  const minimum = manifest?.minimumVersion;
  if (minimum === undefined || !isOlder(version, minimum)) return;
  throw new TenonError(
    'manifest/minimum-version',
    `this repository asks for tenon ${minimum} or newer; this is ${version}`,
    {
      exit: 4,
      remedy: { text: 'Update tenon' },
    },
  );
}

/** Whether version a comes before b; both are three numbers. */
export function isOlder(a: string, b: string): boolean {
  const parts = (version: string): number[] => version.split('.').map(Number);
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
