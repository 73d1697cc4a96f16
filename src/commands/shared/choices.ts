import type { GlobalOptions } from '../../cli/context.ts';
import type { Choices } from '../../engine/plan-request.ts';

/**
 * Answers from flags. A typed address counts for the address itself and, when it is a prefix, for every address that
 * begins with it; `unmatched` later tells which typed ones met nothing.
 */
export interface FlagChoices extends Choices {
  readonly unmatched: () => string[];
}

export function choicesFrom(
  options: GlobalOptions,
  restore: readonly string[] = [],
  restoreAll = false,
): FlagChoices {
  const used = new Set<string>();
  const typed = [...Object.keys(options.resolve), ...options.force, ...restore];
  const match = (given: string, address: string): boolean => {
    const matches = address === given || address.startsWith(given);
    if (matches) used.add(given);
    return matches;
  };
  return {
    resolve: (address) => {
      const exact = Object.hasOwn(options.resolve, address) ? address : undefined;
      const key = exact ?? Object.keys(options.resolve).find((given) => match(given, address));
      if (key === undefined) return undefined;
      used.add(key);
      return options.resolve[key];
    },
    force: (address) => options.force.some((given) => match(given, address)),
    restore: (address) => restoreAll || restore.some((given) => match(given, address)),
    unmatched: () => typed.filter((given) => !used.has(given)),
  };
}

/** The one answer that counts where nothing is decided yet: which links a run is told to follow. */
export function followingOnly(options: GlobalOptions): Choices {
  const { resolve } = choicesFrom(options);
  return {
    resolve: (address) => (resolve(address) === 'follow' ? 'follow' : undefined),
    force: () => false,
    restore: () => false,
  };
}

/** Adds the answers given at a terminal to those of the flags. */
export function withAnswers(
  choices: FlagChoices,
  answers: {
    readonly resolve: ReadonlyMap<string, 'keep' | 'replace' | 'follow'>;
    readonly restore: ReadonlySet<string>;
  },
): FlagChoices {
  return {
    ...choices,
    resolve: (address) => answers.resolve.get(address) ?? choices.resolve(address),
    restore: (address) => answers.restore.has(address) || choices.restore(address),
  };
}
