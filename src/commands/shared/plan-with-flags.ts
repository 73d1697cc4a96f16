import type { GlobalOptions } from '../../cli/context.ts';
import { TenonError } from '../../errors/error.ts';
import { closest } from '../../lib/closest.ts';
import { printable } from '../../lib/printable.ts';
import { choicesFrom, type FlagChoices, isBelow } from './choices.ts';
import { ambiguousAddress } from './chosen-addresses.ts';

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
