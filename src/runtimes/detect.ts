import type { RuntimeId } from '../engine/types.ts';
import { glance } from '../system/paths.ts';
import type { Exec } from '../system/ports.ts';
import { type PathBase, resolvePath } from './paths.ts';
import type { RuntimeSpec } from './schema.ts';
import { sessionSignal } from './session.ts';

/** How strongly a sign speaks for a runtime; 1 is the strongest (requirement D-02). */
const RANK = { session: 1, project: 2, binary: 3, home: 4 } as const;

/** One sign that a runtime is used here. */
export interface Signal {
  readonly kind: keyof typeof RANK;
  readonly rank: 1 | 2 | 3 | 4;
  /** The variable, the path or the program. */
  readonly value: string;
}

export interface Detected {
  readonly id: RuntimeId;
  readonly title: string;
  /** Strongest first; empty when nothing speaks for it. */
  readonly signals: readonly Signal[];
}

/**
 * What speaks for each runtime: its session, its files in the repository, its programs on PATH, its home folders. The
 * strongest first, then by id. Starts nothing.
 */
export function detectRuntimes(
  specs: Iterable<RuntimeSpec>,
  base: PathBase,
  exec: Pick<Exec, 'which'>,
): Detected[] {
  const found = [...specs].map((spec) => ({
    id: spec.id,
    title: spec.title,
    signals: signalsOf(spec, base, exec),
  }));
  return found.sort((a, b) => strength(a) - strength(b) || (a.id < b.id ? -1 : 1));
}

/** Runtimes that have a sign of this kind. */
export const detectedBy = (detected: readonly Detected[], kind: Signal['kind']): Detected[] =>
  detected.filter(({ signals }) => signals.some((signal) => signal.kind === kind));

const strength = ({ signals }: Detected): number => signals[0]?.rank ?? 5;

function signalsOf(spec: RuntimeSpec, base: PathBase, exec: Pick<Exec, 'which'>): Signal[] {
  const signals: Signal[] = [];
  const add = (kind: Signal['kind'], value: string): void => {
    signals.push({ kind, rank: RANK[kind], value });
  };
  const variable = sessionSignal(spec, base.env);
  if (variable !== undefined) add('session', variable);
  const exists = (path: string): boolean => glance(base.reader, resolvePath(path, base).abs) !== undefined;
  for (const path of spec.detect.project) if (exists(path)) add('project', path);
  for (const name of spec.detect.binaries) if (exec.which(name) !== undefined) add('binary', name);
  for (const path of spec.detect.home) {
    if (exists(path)) add('home', resolvePath(path, base).display);
  }
  return signals;
}
