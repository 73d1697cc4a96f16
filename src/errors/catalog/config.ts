import type { Codes } from './entry.ts';

/** Files of the coding tools that cannot be read or edited as they stand. */
export const CONFIG_CODES: Codes = {
  'config/malformed': {
    title: 'a configuration file has a syntax error',
    explain:
      'The file is not valid JSON or TOML, so what it means is not certain, and an edit could lose something. A file that cannot be read is never treated as empty. Correct the place that the message names (file:line:column), then run the command again.',
    exit: 4,
  },
  'config/merge-conflict': {
    title: 'a configuration file holds unresolved merge markers',
    explain:
      'The file holds lines such as <<<<<<< and >>>>>>>. Which side is meant is yours to decide. Resolve the merge, then run the command again.',
    exit: 4,
  },
  'config/duplicate-key': {
    title: 'a key stands twice in the same object',
    explain:
      'Coding tools disagree on which of two equal keys counts, so an edit of one of them could have no effect or another effect than shown. Remove one of the two, then run the command again.',
    exit: 4,
  },
  'config/shape': {
    title: 'a value has another type than the coding tool reads there',
    explain:
      'Where an object or list must stand, the file holds something else (null, text, a list). Putting our entry there would mean replacing what you wrote. Change the value to the type that the message names, or leave that part out with --without.',
    exit: 4,
  },
  'config/too-deep': {
    title: 'a file is nested too deeply',
    explain:
      'The nesting exceeds the limit up to which both parsers agree. No real configuration comes near it. Make the file flatter, then run the command again.',
    exit: 4,
  },
  'config/encoding': {
    title: 'a file is not UTF-8 text',
    explain:
      'The bytes are no valid UTF-8 (for instance UTF-16 or an old code page). Writing would change bytes that are not ours. Save the file as UTF-8, then run the command again.',
    exit: 4,
  },
  'config/line-ends': {
    title: 'a file uses lone carriage returns as line ends',
    explain:
      'A carriage return that no line feed follows is a line end for some programs and not for others. Convert the file to LF or CRLF, then run the command again.',
    exit: 4,
  },
  'edit/unprovable': {
    title: 'an edit could not be proved',
    explain:
      'After every edit tenon reads the new text again and compares: every other byte, value and comment must be the same. Here that proof failed, so nothing was written. Paste the printed text by hand, and please report the file (without secrets): this is a limit of tenon.',
    exit: 4,
  },
  'edit/unsupported': {
    title: 'a legal spelling that tenon does not edit',
    explain:
      'The file is valid, but the place is written in a form that cannot be edited without touching bytes that are not ours. Rewrite that place in the usual form, or paste the printed text by hand.',
    exit: 4,
  },
  'block/damaged': {
    title: 'the marker lines of a text block are incomplete',
    explain:
      'A block of tenon stands between a begin and an end marker. One of them is missing, doubled or nested, so where the block ends is not certain, and text of yours could be lost. Restore or delete both marker lines, then run the command again.',
    exit: 4,
  },
};
