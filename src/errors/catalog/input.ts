import type { Codes } from './entry.ts';

/** Inputs that files of the repository speak about, and what a choice gives away. */
export const INPUT_CODES: Codes = {
  'input/from-repository': {
    title: 'a file of the repository made a choice',
    explain:
      'Nobody chose a value, and a file of the repository speaks for one. It is used, and shown with the file. Because it comes from the repository, it needs a grant on this host before it is written; naming the value with --set makes it your own choice.',
  },
  'input/evidence-invalid': {
    title: 'a file that speaks for a choice cannot be used',
    explain:
      'The file is there, but cannot be read or names a value that is no choice. Nothing is guessed past it. Correct the file, or say the value with --set.',
    exit: 4,
  },
  'input/contradiction': {
    title: 'a choice contradicts the repository',
    explain:
      'The value needs a file that the repository does not have, so what is set up with it could never start. Give another value, or make the file first.',
    exit: 4,
  },
  'disclosure/data': {
    title: 'data leaves this machine with this choice',
    explain:
      'The choice lets the integration send data elsewhere, as the message says. Making it was the consent; take it back by setting the integration up without it.',
  },
};
