/**
 * Escape sequences of terminals (ECMA-48 and xterm): control strings such as OSC 8 links with their content up to their
 * end, control sequences such as colours, and two-character escapes. A control string without an end goes up to the line's end.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/gu;

/** Controls other than line feed and tab; a return alone is the end of a line that was drawn over. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** What a program printed for a terminal, as text: without escape sequences and control characters. */
export const plainText = (output: string): string =>
  output.replace(SEQUENCES, '').replace(/\r\n?/gu, '\n').replace(CONTROLS, '');
