import type { Finding } from '../../errors/error.ts';
import { expandDisclosures } from '../../integrations/expand.ts';
import { printable } from '../../lib/printable.ts';
import type { Selection } from './selection.ts';
import { setupLine } from './setup-line.ts';
import { shellQuote } from './shell-quote.ts';

/**
 * What a person should know of the choices before approving them, and doctor says again: what leaves this machine with
 * them, and which of them a file of the repository made.
 */
export function disclosures(selections: readonly Selection[]): Finding[] {
  return selections.flatMap(({ enrolment, loaded, inputs }) => {
    const subject = printable(enrolment.integration);
    const told = expandDisclosures(loaded, inputs).map(
      (text): Finding => ({ code: 'disclosure/data', severity: 'info', subject, message: printable(text) }),
    );
    const chosen = inputs.flatMap(({ name, value, origin, says }): Finding[] =>
      origin !== 'repository'
        ? []
        : [
            {
              code: 'input/from-repository',
              severity: 'info',
              subject,
              message: `${name} is ${printable(value)}, because ${printable(says ?? 'a file says so')}`,
              remedy: {
                text: 'To decide it yourself, name it',
                command: `${setupLine(enrolment)} --set ${shellQuote(`${name}=${printable(value)}`)}`,
              },
            },
          ],
    );
    return [...told, ...chosen];
  });
}
