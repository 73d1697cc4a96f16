import type { RuntimeId, Scope } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { type Detected, detectedBy } from './detect.ts';
import { findSpec } from './load.ts';
import type { RuntimeSpec } from './schema.ts';
import { scopesOf } from './scopes.ts';

export interface ChooseInput {
  readonly specs: ReadonlyMap<RuntimeId, RuntimeSpec>;
  readonly detected: readonly Detected[];
  /** What `--runtime` says: ids, aliases, or `all`. */
  readonly requested: readonly string[];
  /** Runtimes of the manifest; empty when there is none. */
  readonly manifest: readonly RuntimeId[];
  readonly scope: Scope;
}

/** A runtime that a person may choose, with what speaks for it. */
export interface Candidate {
  readonly id: RuntimeId;
  readonly title: string;
  readonly hint: string;
  readonly isLikely: boolean;
}

export type Choice =
  | {
      readonly kind: 'chosen';
      readonly runtimes: readonly RuntimeId[];
      readonly reason: string;
      /** What `all` found and cannot take, with the reason. */
      readonly leftOut?: readonly string[];
    }
  | {
      readonly kind: 'ask';
      readonly candidates: readonly Candidate[];
      /** Why nothing was chosen, where something was named. */
      readonly why?: string;
    };

/**
 * Which runtimes a command is for (contract, section 3): `--runtime`; else the host of this session; else the
 * manifest's; else the only one with files in the repository; else a person chooses ({@link chooseError} when none can
 * be asked). Throws `usage/unknown-runtime`, exit 2.
 */
export function chooseRuntimes(input: ChooseInput): Choice {
  if (input.requested.length > 0) return requested(input);
  const hosts = detectedBy(input.detected, 'session');
  if (hosts.length === 1 && hosts[0] !== undefined) {
    return { kind: 'chosen', runtimes: [hosts[0].id], reason: `this is a session of ${hosts[0].title}` };
  }
  if (hosts.length === 0 && input.manifest.length > 0) {
    return { kind: 'chosen', runtimes: input.manifest, reason: 'the manifest names them' };
  }
  const [only, ...others] = hosts.length > 1 ? [] : detectedBy(input.detected, 'project');
  if (only !== undefined && others.length === 0) {
    const files = only.signals.flatMap(({ kind, value }) => (kind === 'project' ? [value] : []));
    return { kind: 'chosen', runtimes: [only.id], reason: `only its files are here (${files.join(', ')})` };
  }
  return { kind: 'ask', candidates: candidatesOf(input) };
}

/** The error of a command that must choose and cannot ask: `runtime/choose`, exit 4, with the candidates. */
export function chooseError(
  candidates: readonly Candidate[],
  why = 'which coding tools to set up is not certain',
): TenonError {
  const likely = candidates.filter(({ isLikely }) => isLikely);
  const names = (likely.length > 0 ? likely : candidates).map(({ id, hint }) =>
    hint === '' ? id : `${id} (${hint})`,
  );
  const first = likely[0]?.id ?? candidates[0]?.id ?? 'ID';
  return new TenonError('runtime/choose', `${why}; candidates: ${names.join(', ')}`, {
    exit: 4,
    remedy: { text: `name them, e.g. --runtime ${first}; tenon runtimes lists all` },
    data: { candidates: candidates.map(({ id, title, hint }) => ({ id, title, hint })) },
  });
}

function requested(input: ChooseInput): Choice {
  const { specs } = input;
  const ids = new Set<RuntimeId>();
  for (const name of input.requested) {
    if (name === 'all') {
      for (const { id } of candidatesOf(input).filter(({ isLikely }) => isLikely)) ids.add(id);
      continue;
    }
    const spec = findSpec(specs, name);
    if (spec === undefined) throw unknown(name, specs);
    ids.add(spec.id);
  }
  const leftOut = input.requested.includes('all') ? unfit(input, ids) : [];
  if (ids.size === 0) {
    const found =
      leftOut.length === 0 ? 'none is found' : `none of them can be set up: ${leftOut.join('; ')}`;
    const why = `--runtime all takes the coding tools that are found here or on this machine, and ${found}`;
    return { kind: 'ask', candidates: candidatesOf(input), why };
  }
  return { kind: 'chosen', runtimes: [...ids], reason: 'you named them', leftOut };
}

/** Those that are found but cannot be set up in this scope. */
const unfit = ({ specs, detected, scope }: ChooseInput, ids: ReadonlySet<RuntimeId>): string[] =>
  detected
    .filter(({ id, signals }) => signals.length > 0 && !ids.has(id) && specs.has(id))
    .map(({ id }) =>
      specs.get(id)?.support === 'none'
        ? `${id} is not supported`
        : `${id} takes no server in ${scope} scope`,
    );

/** Throws `usage/unknown-runtime`, exit 2, when a name is that of no runtime; `all` stands for several. */
export function requireKnownRuntimes(
  names: readonly string[],
  specs: ReadonlyMap<RuntimeId, RuntimeSpec>,
): void {
  for (const name of names) {
    if (name !== 'all' && findSpec(specs, name) === undefined) throw unknown(name, specs);
  }
}

function candidatesOf({ specs, detected, scope }: ChooseInput): Candidate[] {
  return detected.flatMap(({ id, title, signals }) => {
    const spec = specs.get(id);
    if (spec === undefined || spec.support === 'none' || !scopesOf(spec).includes(scope)) return [];
    const hint = signals.map(({ value }) => value).join(', ');
    return [{ id, title, hint, isLikely: signals.length > 0 }];
  });
}

function unknown(name: string, specs: ReadonlyMap<RuntimeId, RuntimeSpec>): TenonError {
  const names = [...specs.values()].flatMap(({ id, aliases }) => [id, ...aliases]);
  const near = closest(name, names);
  return new TenonError('usage/unknown-runtime', `there is no runtime ${JSON.stringify(name)}`, {
    exit: 2,
    remedy: {
      text:
        near === undefined ? 'tenon runtimes lists them' : `did you mean ${near}? tenon runtimes lists all`,
    },
  });
}
