/** What must be known of the command line before anything else is loaded: this file imports nothing (cold start). */

/** The words before `--`; what stands behind it belongs to the command that is added. */
export function wordsBeforeRest(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Whether a JSON document is wanted, read before anything can fail. */
export function wantsJson(argv: readonly string[]): boolean {
  const words = wordsBeforeRest(argv);
  return words.some(
    (word, index) =>
      word === '--json' || word === '--format=json' || (word === '--format' && words[index + 1] === 'json'),
  );
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
