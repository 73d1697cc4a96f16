/**
 * Characters that a terminal or editor acts on instead of showing: C0 and C1 controls, line and paragraph separators,
 * bidirectional overrides and isolates (CVE-2021-42574), zero-width characters, the byte-order mark and tag characters.
 */
const ACTIVE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** Foreign text on one line with every active character as an escape: `\n`, `\e`, `\u{202e}`. */
export function printable(text: string): string {
  return text.replace(ACTIVE, (char) => NAMED[char] ?? `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Like {@link printable}, but line ends and tabs stay: for file contents and diffs. */
export function printableLines(text: string): string {
  return text.replace(ACTIVE, (char) => (char === '\n' || char === '\t' ? char : printable(char)));
}
