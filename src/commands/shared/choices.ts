import type { GlobalOptions } from '../../cli/context.ts';
import type { Choices } from '../../engine/plan-request.ts';

/**
 * Answers from flags. A typed address counts for the address itself and for everything below it, as a file for its entries;
 * `unmatched` later tells which typed ones met nothing. That a name begins like another one says nothing: `…/docs` is not
 * about `…/docs-old`. A beginning that only one address has is completed by `planWithFlags`.
 */
export interface FlagChoices extends Choices {
  readonly unmatched: () => string[];
}

export function choicesFrom(options: GlobalOptions, restore: readonly string[] = []): FlagChoices {
  const used = new Set<string>();
  const nearest = Object.keys(options.resolve).sort((a, b) => b.length - a.length);
  const typed = [...Object.keys(options.resolve), ...options.force, ...restore];
  const match = (given: string, address: string): boolean => {
    const matches = address === given || isBelow(given, address);
    if (matches) used.add(given);
    return matches;
  };
  return {
    resolve: (address) => {
      const exact = Object.hasOwn(options.resolve, address) ? address : undefined;
      const key = exact ?? nearest.find((given) => match(given, address));
      if (key === undefined) return undefined;
      used.add(key);
      return options.resolve[key];
    },
    force: (address) => options.force.some((given) => match(given, address)),
    restore: (address) => restore.some((given) => match(given, address)),
    unmatched: () => typed.filter((given) => !used.has(given)),
  };
}

/** `FILE` and `FILE#/container` stand for everything below them. */
export const isBelow = (text: string, address: string): boolean =>
  address.startsWith(text) && (/[#/]$/.test(text) || ['#', '/'].includes(address[text.length] ?? ''));

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
