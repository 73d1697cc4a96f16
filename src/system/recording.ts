import { dirname } from 'node:path';
import { tellsChanges } from './file-systems.ts';
import type { AbsPath, Host, Reader, System } from './ports.ts';
import { realExec } from './real-exec.ts';
import { factsNow, hasFineClock, type Inputs, isSame, isSettled, type Seen, type Told } from './unchanged.ts';

/** A machine that notes what is asked of it. */
export interface Recording {
  readonly system: System;
  /** Variables that were looked at, with their values. */
  readonly env: ReadonlyMap<string, string | undefined>;
  /** The day or time was asked for. */
  readonly askedTime: () => boolean;
  /**
   * The paths that were looked at, as they are now. Undefined where what was read may differ from it, or where a later
   * change might not show: a read that failed, a path that changed since it was looked at first, a file that changed less
   * than a step of its clock before `since`, a special file, a file system that does not tell, an attempt to write.
   */
  readonly inputs: (since: number) => Inputs | undefined;
}

/** Folders whose files change without a change of their times. */
const WITHOUT_TIMES = /^\/(?:(?:proc|sys)(?:\/|$)|dev(?!\/shm\/))/;

/** The same machine for runs that only read; writing throws. */
export function record(real: System): Recording {
  const paths = new Map<AbsPath, { listed: boolean; isThere: boolean }>();
  // Facts before the first look, of the path alone and with its names: the clock of its disk need not be ours.
  const first = { alone: new Map<AbsPath, Told | undefined>(), listed: new Map<AbsPath, Told | undefined>() };
  const resolved = new Map<AbsPath, AbsPath>();
  const env = new Map<string, string | undefined>();
  let isSound = true;
  let askedTime = false;

  const note = (path: AbsPath, isThere: boolean, listed = false): void => {
    const before = paths.get(path);
    // There for one question and not for the next.
    if (before !== undefined && before.isThere !== isThere) isSound = false;
    if (WITHOUT_TIMES.test(path)) isSound = false;
    paths.set(path, { listed: listed || before?.listed === true, isThere });
  };
  const watched =
    <T, A extends readonly unknown[]>(
      ask: (path: AbsPath, ...rest: A) => T | undefined,
      then: (path: AbsPath, answer: T | undefined) => void,
      listed = false,
    ) =>
    (path: AbsPath, ...rest: A): T | undefined => {
      const known = first[listed ? 'listed' : 'alone'];
      if (!known.has(path)) known.set(path, factsNow(path, listed));
      try {
        const answer = ask(path, ...rest);
        then(path, answer);
        return answer;
      } catch (error) {
        // A refused read, or a file over a limit: what it depends on is not all in the facts of the path.
        isSound = false;
        throw error;
      }
    };

  const { reader } = real;
  // Whether a path is there is asked of the path itself: a link that leads nowhere is there, and what it leads to is not.
  const seenItself = (path: AbsPath): void => note(path, reader.lstat(path) !== undefined);
  const recorded: Reader = {
    readFile: watched(reader.readFile, seenItself),
    lstat: watched(reader.lstat, (path, stat) => note(path, stat !== undefined)),
    stat: watched(reader.stat, (path, stat) => (stat === undefined ? seenItself(path) : note(path, true))),
    list: watched(
      reader.list,
      (path, names) => (names === undefined ? seenItself(path) : note(path, true, true)),
      true,
    ),
    readLink: watched(reader.readLink, seenItself),
    realpath: watched(reader.realpath, (path, answer) => {
      if (answer === undefined) seenItself(path);
      else if (resolved.has(path) && resolved.get(path) !== answer) isSound = false;
      else resolved.set(path, answer);
    }),
  };

  const value = (name: string | symbol): string | undefined => {
    if (typeof name !== 'string') return undefined;
    const found = real.host.env[name];
    env.set(name, found);
    return found;
  };
  const variables = new Proxy(real.host.env, {
    get: (_, name) => value(name),
    has: (_, name) => value(name) !== undefined,
    getOwnPropertyDescriptor: (target, name) => {
      value(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys: (target) => {
      // All of them were looked at, and a further one would be.
      isSound = false;
      return Reflect.ownKeys(target);
    },
  });
  const host: Host = { ...real.host, env: variables };
  const refuse = (): never => {
    isSound = false;
    throw new Error('a run whose answer is kept tried to write');
  };
  const system: System = {
    ...real,
    reader: recorded,
    writer: {
      createExclusive: refuse,
      rename: refuse,
      writeInPlace: refuse,
      remove: refuse,
      makeDir: refuse,
      removeDir: refuse,
      chmod: refuse,
      chown: refuse,
      syncDir: refuse,
    },
    exec: realExec(host, recorded),
    clock: {
      now: () => {
        askedTime = true;
        return real.clock.now();
      },
      sleep: real.clock.sleep,
    },
    host,
  };

  const isSteady = (path: AbsPath): boolean =>
    (['alone', 'listed'] as const).every(
      (look) => !first[look].has(path) || isSame(first[look].get(path), factsNow(path, look === 'listed')),
    );
  const disks = new Map<number, boolean>();
  /** `on`: a path on the disk; asked once for each. */
  const isOnTelling = ([kind, disk]: Told['facts'], on: AbsPath): boolean => {
    if (kind === 0 || disk === undefined) return true;
    const known = disks.get(disk) ?? tellsChanges(on);
    disks.set(disk, known);
    return known;
  };
  const inputs = (since: number): Inputs | undefined => {
    if (!isSound) return undefined;
    const seen: Seen[] = [];
    for (const [path, { listed, isThere }] of paths) {
      const now = factsNow(path, listed);
      if (now === undefined || now.facts.length > 1 !== isThere || !isSteady(path)) return undefined;
      const { facts, target } = now;
      if (!isSettled(facts, since, () => hasFineClock(path, false))) return undefined;
      if (!isSettled(target ?? [], since, () => hasFineClock(path, true))) return undefined;
      // The disk of a link is that of its folder.
      const on = target === undefined ? path : dirname(path);
      if (!isOnTelling(facts, on) || (target !== undefined && !isOnTelling(target, path))) return undefined;
      seen.push({ path, listed, ...now });
    }
    return { seen, real: [...resolved] };
  };
  return { system, env, askedTime: () => askedTime, inputs };
}
