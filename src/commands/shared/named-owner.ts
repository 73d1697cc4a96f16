import { TenonError } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';

const INTEGRATION = 'integration:';
const SERVER = 'add:';

/**
 * Whom a word of the command line names among what is set up here: an integration or a server of `tenon add`. Where both
 * have the name, neither is guessed (contract, section 6); `integration:NAME` and `add:NAME` name one of them. Undefined
 * = none. Throws `usage/ambiguous-name`, exit 4.
 */
export function ownerNamed(given: string, known: ReadonlySet<string>): string | undefined {
  const plain = given.startsWith(INTEGRATION) ? given.slice(INTEGRATION.length) : undefined;
  if (plain !== undefined && !plain.startsWith(SERVER) && known.has(plain)) return plain;
  const [match, other] = [given, `${SERVER}${given}`].filter((name) => known.has(name));
  if (other === undefined) return match;
  throw new TenonError(
    'usage/ambiguous-name',
    `${printable(given)} names an integration and a server of tenon add`,
    {
      exit: 4,
      remedy: {
        text: `Write ${INTEGRATION}${printable(given)} for the integration, ${other} for the server`,
      },
    },
  );
}
