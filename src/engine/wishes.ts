import type { ErrorCode, Finding } from '../errors/error.ts';
import { equalJson, getIn, isObject, type Json, type JsonPath, setOwn, toPointer } from '../lib/json.ts';
import { formatAddress, identityOf } from './address.ts';
import type { ArtifactClass, Desired, Owner, RuntimeId, Target } from './types.ts';

/** Everything that is wanted at one address, composed of one or more artifacts. */
export interface Wish {
  readonly identity: string;
  readonly address: string;
  readonly target: Target;
  readonly value: Json;
  readonly owners: readonly Owner[];
  readonly runtimes: readonly RuntimeId[];
  readonly classes: readonly ArtifactClass[];
  readonly switches: readonly string[];
  /** The artifact whose place this is; the others were composed into it. */
  readonly main: Desired;
}

export interface WishProblem {
  readonly code: ErrorCode;
  readonly address: string;
  readonly message: string;
  readonly runtimes: readonly RuntimeId[];
}

export interface Wishes {
  readonly wishes: readonly Wish[];
  readonly problems: readonly WishProblem[];
  readonly findings: readonly Finding[];
}

const union = <T>(...lists: (readonly T[])[]): T[] => [...new Set(lists.flat())];

/**
 * Composes artifacts into wishes, one per address (contract, section 4): equal wishes of several owners share an
 * address, artifacts of one integration inside another's entry become part of it, everything else that overlaps is a
 * conflict. `isThere` tells whether an entry that is not wanted here stands in the file already.
 */
export function composeWishes(
  desired: readonly Desired[],
  isThere: (target: Target, path: JsonPath) => boolean,
): Wishes {
  const problems: WishProblem[] = [];
  const findings: Finding[] = [];
  const byIdentity = new Map<string, Wish>();
  /** Identity of the wish for each key, by file and path. */
  const byKey = new Map<string, string>();
  for (const one of [...desired].sort(byDepth)) {
    const { path, place } = one.target;
    const parent = byIdentity.get(parentOf(one, byKey) ?? '');
    if (parent !== undefined) {
      const merged = nest(parent, one);
      if ('code' in merged) problems.push(merged);
      else byIdentity.set(merged.identity, merged);
      continue;
    }
    if (one.within !== undefined && !isThere(one.target, one.within)) {
      findings.push({
        code: 'render/entry-missing',
        severity: 'warning',
        subject: formatAddress(path, place),
        message: `left out: ${one.summary} belongs into an entry that is neither there nor wanted`,
      });
      continue;
    }
    const own = identityOf(path, place, one.owner);
    const known = byIdentity.get(own) ?? sharedItem(one, byIdentity.values());
    const identity = known?.identity ?? own;
    if (known === undefined) {
      byIdentity.set(identity, toWish(identity, one));
      if (place.kind === 'key') byKey.set(keyOf(path, place.path), identity);
    } else if (equalJson(known.value, one.value)) byIdentity.set(identity, share(known, one));
    else problems.push(clash(known, one));
  }
  return { wishes: [...byIdentity.values()], problems, findings };
}

/** An equal item for the same script that another owner wants: two instances of one integration share it. */
function sharedItem(one: Desired, wishes: Iterable<Wish>): Wish | undefined {
  const { path, place } = one.target;
  if (place.kind !== 'item' || place.tag === undefined) return undefined;
  return [...wishes].find(
    ({ target, value }) =>
      target.path === path &&
      target.place.kind === 'item' &&
      target.place.tag === place.tag &&
      toPointer(target.place.path) === toPointer(place.path) &&
      equalJson(value, one.value),
  );
}

const depth = (one: Desired): number => (one.target.place.kind === 'key' ? one.target.place.path.length : 0);
const byDepth = (a: Desired, b: Desired): number => depth(a) - depth(b);

function toWish(identity: string, one: Desired): Wish {
  return {
    identity,
    address: formatAddress(one.target.path, one.target.place),
    target: one.target,
    value: one.value,
    owners: [one.owner],
    runtimes: one.runtimes,
    classes: [one.class],
    switches: one.switches,
    main: one,
  };
}

function share(known: Wish, one: Desired): Wish {
  const isKnown = known.owners.some(
    (owner) => owner.integration === one.owner.integration && owner.artifact === one.owner.artifact,
  );
  return {
    ...known,
    owners: isKnown ? known.owners : [...known.owners, one.owner],
    runtimes: union(known.runtimes, one.runtimes),
    classes: union(known.classes, [one.class]),
    switches: union(known.switches, one.switches),
  };
}

const keyOf = (file: string, path: JsonPath): string => JSON.stringify([file, ...path]);

/** The identity of the wish whose entry encloses this key. */
function parentOf(
  { target: { path, place } }: Desired,
  byKey: ReadonlyMap<string, string>,
): string | undefined {
  if (place.kind !== 'key') return undefined;
  for (let length = 0; length < place.path.length; length += 1) {
    const identity = byKey.get(keyOf(path, place.path.slice(0, length)));
    if (identity !== undefined) return identity;
  }
  return undefined;
}

function nest(parent: Wish, one: Desired): Wish | WishProblem {
  const outer = parent.target.place.kind === 'key' ? parent.target.place.path : [];
  const inner = one.target.place.kind === 'key' ? one.target.place.path.slice(outer.length) : [];
  const sameIntegration = parent.owners.some((owner) => owner.integration === one.owner.integration);
  if (!sameIntegration) return clash(parent, one);
  const there = getIn(parent.value, inner);
  if (there !== undefined && !equalJson(there, one.value)) return clash(parent, one);
  return { ...share(parent, one), value: setIn(parent.value, inner, one.value) };
}

function clash(known: Wish, one: Desired): WishProblem {
  const others = known.owners.map((owner) => owner.integration).join(', ');
  return {
    code: 'ownership/overlap',
    address: formatAddress(one.target.path, one.target.place),
    message: `${one.owner.integration} and ${others} want different things at this address`,
    runtimes: union(known.runtimes, one.runtimes),
  };
}

/** A copy of a value with one member set, objects created on the way. */
function setIn(value: Json, path: JsonPath, leaf: Json): Json {
  const [head, ...rest] = path;
  if (head === undefined) return leaf;
  const copy: Record<string, Json> = {};
  const source = isObject(value) ? value : {};
  for (const [key, member] of Object.entries(source)) setOwn(copy, key, member);
  const inner = Object.hasOwn(source, head) ? (source[head] as Json) : {};
  setOwn(copy, head, setIn(inner, rest, leaf));
  return copy;
}
