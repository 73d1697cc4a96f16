import { TenonError } from '../../errors/error.ts';
import { closest } from '../../lib/closest.ts';
import { printable } from '../../lib/printable.ts';
import { isBelow } from './choices.ts';

/**
 * The addresses that a person means: an exact one, a unique beginning, or everything below a file or container. Throws
 * `usage/unknown-address` and `usage/ambiguous-address` (exit 2).
 */
export function chosenAddresses(given: readonly string[], known: readonly string[]): ReadonlySet<string> {
  const chosen = new Set<string>();
  for (const text of given) {
    const exact = known.includes(text) ? [text] : [];
    const found = [...new Set([...exact, ...known.filter((address) => isBelow(text, address))])];
    const matches = found.length > 0 ? found : known.filter((address) => address.startsWith(text));
    if (matches.length === 0) throw unknown(text, known);
    if (found.length === 0 && matches.length > 1) {
      throw ambiguousAddress(text, matches);
    }
    for (const address of matches) chosen.add(address);
  }
  return chosen;
}

export const ambiguousAddress = (text: string, matches: readonly string[]): TenonError =>
  new TenonError(
    'usage/ambiguous-address',
    `${printable(text)} begins ${matches.length} addresses: ${matches.map(printable).join(', ')}`,
    { exit: 2, remedy: { text: 'Write one of them in full, or name the file or the container' } },
  );

function unknown(text: string, known: readonly string[]): TenonError {
  const near = closest(text, known);
  return new TenonError('usage/unknown-address', `no address here is or begins with ${printable(text)}`, {
    exit: 2,
    remedy: {
      text: near === undefined ? 'See the addresses' : `Did you mean ${near}?`,
      command: 'tenon status --json',
    },
  });
}
