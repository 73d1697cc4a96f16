import fs from 'node:fs';

/**
 * What tells whether a path is as it was: kind, device, inode, mode, size and times of change. The time of change of an
 * inode (`ctime`) cannot be set by a program, so equal facts mean that nothing was written since; git trusts the same facts
 * (gitformat-index, "racy git"). A folder whose names were not listed counts as itself alone, whatever changes in it.
 */
export type Facts = readonly number[];

const ABSENT: Facts = [0];
/** Number of facts of a file, of a link, and of a folder whose names were listed. */
export const ALL_FACTS = 8;

/** A path that was looked at. */
export interface Seen {
  readonly path: string;
  /** Its names were listed, so that its times count. */
  readonly listed: boolean;
  readonly facts: Facts;
  /** What a link led to. */
  readonly target?: Facts;
}

/** What the system tells of a path. */
export type Told = Pick<Seen, 'facts' | 'target'>;

export interface Inputs {
  readonly seen: readonly Seen[];
  /** A path and what it led to with every link resolved. */
  readonly real: readonly (readonly [path: string, real: string])[];
}

const IF_THERE = { throwIfNoEntry: false } as const;

function factsOf(stat: fs.Stats | undefined, listed: boolean): Facts {
  if (stat === undefined) return ABSENT;
  const { dev, ino, mode, uid } = stat;
  if (stat.isDirectory() && !listed) return [1, dev, ino, mode, uid];
  return [2, dev, ino, mode, uid, stat.size, stat.mtimeMs, stat.ctimeMs];
}

/** The facts of a path now; `undefined` where the system does not tell them, or where it is no file, folder or link. */
export function factsNow(path: string, listed: boolean): Told | undefined {
  try {
    const own = fs.lstatSync(path, IF_THERE);
    if (own === undefined || own.isFile() || own.isDirectory()) return { facts: factsOf(own, listed) };
    if (!own.isSymbolicLink()) return undefined;
    const target = fs.statSync(path, IF_THERE);
    if (target !== undefined && !target.isFile() && !target.isDirectory()) return undefined;
    return { facts: factsOf(own, false), target: factsOf(target, listed) };
  } catch {
    return undefined;
  }
}

const isEqual = (a: Facts, b: Facts): boolean => {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
};

/** Whether the system tells the same at two times; never where it tells nothing. */
export const isSame = (a: Told | undefined, b: Told | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  isEqual(a.facts, b.facts) &&
  (a.target === undefined ? b.target === undefined : isEqual(b.target ?? [], a.target));

/** Whether everything that was looked at is as it was. Never throws. */
export function isUnchanged({ seen, real }: Inputs): boolean {
  for (const one of seen) if (!isSame(one, factsNow(one.path, one.listed))) return false;
  return real.every(([path, before]) => {
    try {
      return fs.realpathSync.native(path) === before;
    } catch {
      return false;
    }
  });
}

/** Steps of the clocks of file systems: finer ones show fractions of a millisecond, coarse ones step by up to two seconds. */
const FINE_STEP_MS = 20;
const COARSE_STEP_MS = 2500;

const NS_PER_MS = 1_000_000n;

/**
 * Whether the file system of a path writes times finer than milliseconds. A time in milliseconds cannot tell: of one in
 * doubles every four-thousandth of a fine clock has no fraction.
 */
export function hasFineClock(path: string, follow: boolean): boolean {
  const look = follow ? fs.statSync : fs.lstatSync;
  const stat = look(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && stat.ctimeNs % NS_PER_MS !== 0n;
}

/**
 * Whether a later change would surely show in these facts, if the content was read after `since` (milliseconds since the
 * epoch): one that comes within the same step of the file system's clock would not. `isFine`: {@link hasFineClock} of the
 * path, asked where the facts alone do not tell.
 */
export const isSettled = (facts: Facts, since: number, isFine: () => boolean): boolean =>
  facts.length < ALL_FACTS ||
  [facts[6] ?? Number.NaN, facts[7] ?? Number.NaN].every(
    (time) =>
      time < since - COARSE_STEP_MS || (time < since - FINE_STEP_MS && (!Number.isInteger(time) || isFine())),
  );
