import type { Codes } from './entry.ts';

/** Files of the coding tools that cannot be read, or that their tool reads otherwise than they say. */
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
      'Coding tools disagree on which of two equal keys counts, so an edit of one of them could have another effect than shown. Remove one of the two, then run the command again.',
    exit: 4,
  },
  'config/shape': {
    title: 'a value has another type than the coding tool reads there',
    explain:
      'Where an object or a list must stand, the file holds something else (null, text, a list). Putting our entry there would mean replacing what you wrote. Change the value to the type that the message names, or leave that part out with --without.',
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
  'config/bad-entry': {
    title: 'an entry that the coding tool refuses',
    explain:
      'An entry of this file, which need not be ours, has a form that its coding tool does not accept; some tools then refuse the whole file or do not start. tenon never changes entries of yours. Correct the entry as the message says.',
  },
  'config/bad-member': {
    title: 'a member that the coding tool refuses',
    explain:
      'A member of this file has a name or a place that its coding tool rejects, in some versions with the whole file. tenon never changes members of yours. Move or rename it as the message says.',
  },
  'config/bad-rule': {
    title: 'a permission rule that switches off the file',
    explain:
      'The coding tool skips a whole settings file when one rule in it cannot be read, so hooks and rules in it do nothing. Correct the rule that the message names.',
  },
  'config/client-rewrites': {
    title: 'the coding tool rewrites this file itself',
    explain:
      'At some point the tool writes this file anew, so comments and layout may change without anyone asking. Values stay; tenon compares values, so this alone is no drift.',
  },
  'config/entry-ignored': {
    title: 'an entry that the coding tool ignores',
    explain:
      'The tool reads this file but does not load the entry, for the reason in the message. Nothing warns of it in the tool itself. Correct the entry, or take it out.',
  },
  'config/member-ignored': {
    title: 'a member that the coding tool ignores',
    explain:
      'The tool knows no member of this name here, so it has no effect. Often it is the spelling of another tool. Rename or move it as the message says.',
  },
  'config/never-read': {
    title: 'a place that the coding tool never reads',
    explain:
      'What stands there has no effect: the tool reads this kind of entry from another file. Move it to the file that the message names.',
  },
  'config/odd-name': {
    title: 'a name that the coding tool does not recognise',
    explain:
      "The member's name differs from a known one by something hard to see, such as a blank at its end. Correct the name.",
  },
  'config/other-transport': {
    title: 'an entry that means another transport than it looks like',
    explain:
      'Without an explicit type this tool takes a URL as another kind of server than most tools do. Name the transport in the entry.',
  },
  'config/reference-literal': {
    title: 'a reference that is sent as it stands',
    explain:
      'The tool does not expand variables at this place, so the server receives the text of the reference instead of the value. Use the member that the message names.',
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
  'edit/exists': {
    title: 'the place is taken already',
    explain:
      'Between the reading and the edit something stood where a new entry was to go. Nothing is ever written over it. Run the command again for a new plan.',
    exit: 4,
  },
  'edit/not-found': {
    title: 'the entry is not where it was',
    explain:
      'The entry that was to be changed or removed is no longer in the file. Run the command again for a new plan.',
    exit: 4,
  },
  'edit/user-comment': {
    title: 'a comment of yours stands inside the entry',
    explain:
      'Taking the entry out or changing it would take your comment with it. Move the comment outside of the entry, or delete it, then run the command again.',
    exit: 4,
  },
  'block/damaged': {
    title: 'the marker lines of a text block are incomplete',
    explain:
      'A block of tenon stands between a begin and an end marker. One of them is missing, doubled or nested, so where the block ends is not certain, and text of yours could be lost. Restore or delete both marker lines, then run the command again.',
    exit: 4,
  },
  'lines/negated': {
    title: 'a line takes the wanted pattern back',
    explain:
      'The list of patterns holds a line with ! that undoes the one to be added, so adding it would have no effect or another one. Decide which of the two is meant.',
    exit: 4,
  },
};
