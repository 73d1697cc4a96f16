/** A word for a POSIX shell; plain words stay as they are. */
export const shellQuote = (word: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
