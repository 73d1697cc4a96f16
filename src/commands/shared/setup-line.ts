import type { Enrolment } from '../../engine/types.ts';
import { shellQuote } from './shell-quote.ts';

/** The beginning of a command line that sets the same up again, in the scope and under the name that it has. */
export const setupLine = ({
  integration,
  of,
  scope,
}: Pick<Enrolment, 'integration' | 'of' | 'scope'>): string =>
  [
    ...['tenon', 'setup', of ?? integration],
    ...(of === undefined ? [] : ['--name', integration]),
    ...(scope === 'project' ? [] : ['--scope', scope]),
  ]
    .map(shellQuote)
    .join(' ');
