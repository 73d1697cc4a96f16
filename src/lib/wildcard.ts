/**
 * Whether a text is what a pattern says, as a whole: `*` is any text, and with `single` also `?` any one character. Takes
 * at most length times length steps, whatever the pattern: it can come from a repository, and as a regular expression
 * `*a*a*a…` would take years.
 */
export function matchesWildcard(
  pattern: string,
  text: string,
  options: { readonly single?: true } = {},
): boolean {
  const [signs, letters] = [[...pattern], [...text]];
  let [sign, letter] = [0, 0];
  let star: number | undefined;
  let resumed = 0;
  while (letter < letters.length) {
    if (signs[sign] === '*') {
      star = sign;
      resumed = letter;
      sign += 1;
    } else if (signs[sign] === letters[letter] || (options.single === true && signs[sign] === '?')) {
      sign += 1;
      letter += 1;
    } else if (star !== undefined) {
      // The last star takes one character more; those before it need not be asked again.
      resumed += 1;
      letter = resumed;
      sign = star + 1;
    } else return false;
  }
  while (signs[sign] === '*') sign += 1;
  return sign === signs.length;
}
