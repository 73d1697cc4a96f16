import type { System, Writer } from './ports.ts';

type WriterCall = keyof Writer;

export interface FaultPlan {
  /** Which writer call fails, from 1; 0 = none, for counting. */
  readonly at: number;
  /** The system's code of the failure; default EIO. */
  readonly code?: string;
  /** `once`: later calls work again. `forever`: they fail too, as for a process that has ended or a full disk. */
  readonly lasts?: 'once' | 'forever';
  /** The failing call writes half of its bytes first. */
  readonly torn?: boolean;
  /** Count these calls alone. */
  readonly calls?: readonly WriterCall[];
}

export interface FaultSystem extends System {
  /** Counted writer calls so far, the failed one included. */
  count(): number;
}

/** Lets the n-th writer call of a System fail. Reads always work. */
export function faultSystem(inner: System, plan: FaultPlan): FaultSystem {
  let count = 0;
  const watch = <A extends unknown[]>(name: WriterCall, call: (...args: A) => void) => {
    return (...args: A): void => {
      const counted = plan.calls === undefined || plan.calls.includes(name);
      if (counted) count += 1;
      const over = plan.at > 0 && count >= plan.at && plan.lasts === 'forever';
      if (!over && !(counted && count === plan.at)) {
        call(...args);
        return;
      }
      if (plan.torn === true && counted && count === plan.at) {
        const [path, bytes, mode] = args;
        if (typeof path === 'string' && bytes instanceof Uint8Array) {
          const half = bytes.slice(0, Math.floor(bytes.length / 2));
          if (name === 'createExclusive' && typeof mode === 'number')
            inner.writer.createExclusive(path, half, mode);
          if (name === 'writeInPlace') {
            const rest = inner.reader.readFile(path)?.slice(half.length) ?? new Uint8Array();
            inner.writer.writeInPlace(path, new Uint8Array([...half, ...rest]));
          }
        }
      }
      const code = plan.code ?? 'EIO';
      throw Object.assign(new Error(`${code}: injected fault in ${name}`), { code });
    };
  };
  const { writer } = inner;
  return {
    ...inner,
    writer: {
      createExclusive: watch('createExclusive', writer.createExclusive),
      rename: watch('rename', writer.rename),
      writeInPlace: watch('writeInPlace', writer.writeInPlace),
      remove: watch('remove', writer.remove),
      makeDir: watch('makeDir', writer.makeDir),
      removeDir: watch('removeDir', writer.removeDir),
      chmod: watch('chmod', writer.chmod),
      chown: watch('chown', writer.chown),
      syncDir: watch('syncDir', writer.syncDir),
    },
    count: () => count,
  };
}
