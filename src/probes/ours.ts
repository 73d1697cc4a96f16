import type { Judgement } from '../engine/judgement.ts';
import type { RuntimeId, Scope, Target } from '../engine/types.ts';
import { type JsonPath, toPointer } from '../lib/json.ts';
import type { ResolvedPath } from '../system/path-template.ts';
import { fromDisplay } from '../system/paths.ts';
import type { Document } from './documents.ts';
import { type Facts, isInspection, oncePerRoot } from './facts.ts';

/** One thing that tenon wants, or wrote, at an address of this root. */
export interface Ours {
  readonly address: string;
  readonly judgement: Judgement;
  readonly target: Target;
  readonly scope: Scope;
  readonly runtimes: readonly RuntimeId[];
  /** It stands there: as written, edited, or equal without being owned. */
  readonly isThere: boolean;
  /** Recorded on this host and exactly as recorded. */
  readonly isUntouched: boolean;
}

const THERE = new Set(['managed', 'drifted', 'stale', 'external', 'adoptable']);

/** Everything of ours that concerns this root; empty when it could not be computed. */
export const oursOf: (facts: Facts) => readonly Ours[] = oncePerRoot((facts) => {
  if (!isInspection(facts.inspection)) return [];
  return facts.inspection.result.judgements.flatMap((judgement): Ours[] => {
    const { slot, standing, address } = judgement;
    const { wish, record } = slot;
    const target = wish?.target ?? record;
    if (target === undefined || standing === 'dormant') return [];
    return [
      {
        address,
        judgement,
        target: { path: target.path, format: target.format, place: target.place },
        scope: wish?.main.scope ?? record?.scope ?? 'project',
        runtimes: wish?.runtimes ?? record?.runtimes ?? [],
        isThere: THERE.has(standing),
        isUntouched: record !== undefined && standing === 'managed',
      },
    ];
  });
});

/** Its content is bundled, granted on this host, or its operator's own; what only a record speaks of is not. */
export const isTrusted = ({ judgement: { slot } }: Ours): boolean =>
  slot.wish !== undefined && slot.wish.main.trust !== 'untrusted';

/** The document that holds a thing of ours; undefined for plain files and lines. */
export function documentOf(facts: Facts, target: Target): Document | undefined {
  if (target.format !== 'json' && target.format !== 'toml') return undefined;
  return facts.documents.get(placeOf(facts, target.path), target.format);
}

export const placeOf = (facts: Facts, display: string): ResolvedPath => ({
  display,
  abs: fromDisplay(display, facts.base),
});

/** A server's name where a thing of ours is the entry of one in this runtime: the last member of its path. */
export function serverOf(one: Ours): { readonly name: string; readonly path: JsonPath } | undefined {
  const { place } = one.target;
  const wish = one.judgement.slot.wish;
  const classes = wish?.classes ?? one.judgement.slot.record?.classes ?? [];
  const isServer = place.kind === 'key' && (classes.includes('connects') || classes.includes('executes'));
  const name = place.kind === 'key' ? place.path.at(-1) : undefined;
  return isServer && name !== undefined && place.kind === 'key' ? { name, path: place.path } : undefined;
}

/** Address of a member, as users see it. */
export const addressOf = (document: Pick<Document, 'path'>, path: JsonPath): string =>
  `${document.path}#${toPointer(path)}`;
