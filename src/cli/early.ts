/** What must be known of the command line before anything else is loaded: this file imports nothing (cold start). */

/** The words before `--`; what stands behind it belongs to the command that is added. */
export function wordsBeforeRest(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Whether a JSON document is wanted, read before anything can fail. Of several `--format` the last one counts. */
export function wantsJson(argv: readonly string[]): boolean {
  const words = wordsBeforeRest(argv);
  if (words.includes('--json')) return true;
  const at = words.findLastIndex((word) => word === '--format' || word.startsWith('--format='));
  return words[at] === '--format=json' || (words[at] === '--format' && words[at + 1] === 'json');
}

/** `--color` or `--no-color`; undefined when neither was given. */
export function colorFlag(argv: readonly string[]): boolean | undefined {
  const words = wordsBeforeRest(argv);
  if (words.includes('--no-color')) return false;
  return words.includes('--color') ? true : undefined;
}

/** Only the version is asked for, which is answered without the command table. */
export function isVersionOnly(argv: readonly string[]): boolean {
  const others = argv.filter((word) => word !== '--json');
  return others.length === 1 && (others[0] === '--version' || others[0] === '-V');
}
