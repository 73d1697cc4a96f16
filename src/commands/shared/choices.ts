import type { GlobalOptions } from '../../cli/context.ts';
import type { Choices } from '../../engine/plan-request.ts';
import { TenonError } from '../../errors/error.ts';
import { closest } from '../../lib/closest.ts';
import { printable } from '../../lib/printable.ts';
import { ambiguousAddress, isBelow } from './chosen-addresses.ts';

/**
 * Answers from flags. A typed address counts for the address itself and for everything below it, as a file for its entries;
 * `unmatched` later tells which typed ones met nothing. That a name begins like another one says nothing: `…/docs` is not
 * about `…/docs-old`. A beginning that only one address has is completed by {@link planWithFlags}.
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
    restore: (address) => restoreAll || restore.some((given) => match(given, address)),
    unmatched: () => typed.filter((given) => !used.has(given)),
  };
}

interface Judged {
  readonly judgements: readonly { readonly address: string }[];
}

/**
 * A plan with the answers of the flags. What was typed and is neither an address nor a file or container of some is taken
 * as a beginning, if it is that of one address only (contract, section 3). Throws `usage/unknown-address` and
 * `usage/ambiguous-address` (exit 2).
 */
export async function planWithFlags<T extends Judged>(
  options: GlobalOptions,
  restore: readonly string[],
  make: (choices: FlagChoices) => Promise<T>,
): Promise<{ readonly flags: FlagChoices; readonly result: T }> {
  const flags = choicesFrom(options, restore);
  const result = await make(flags);
  const known = [...new Set(result.judgements.map(({ address }) => address))];
  const whole = new Map(
    flags.unmatched().flatMap((typed) => {
      const address = completed(typed, known);
      return address === undefined ? [] : [[typed, address] as const];
    }),
  );
  if (whole.size === 0) return { flags, result };
  const full = (typed: string): string => whole.get(typed) ?? typed;
  const resolve = Object.fromEntries(
    Object.entries(options.resolve).map(([typed, choice]) => [full(typed), choice]),
  );
  const again = choicesFrom({ ...options, resolve, force: options.force.map(full) }, restore.map(full));
  return { flags: again, result: await make(again) };
}

/** The one address that begins so; undefined for what an earlier run settled, so that it raises no question any more. */
function completed(typed: string, known: readonly string[]): string | undefined {
  if (known.some((address) => address === typed || isBelow(typed, address))) return undefined;
  const found = known.filter((address) => address.startsWith(typed));
  if (found.length === 1) return found[0];
  if (found.length > 1) throw ambiguousAddress(typed, found);
  const near = closest(typed, known);
  throw new TenonError(
    'usage/unknown-address',
    `no address of this plan is or begins with ${printable(typed)}`,
    {
      exit: 2,
      remedy: { text: near === undefined ? 'Copy an address from the plan' : `Did you mean ${near}?` },
    },
  );
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
