import type { JsonPath } from '../lib/json.ts';
import { isReference, isSecretName, isSecretPath, REDACTED, redactText } from '../lib/secrets.ts';

/** The text of one value at a path. `before` is the element before it in a list: `--token` makes the next one a secret. */
export function maskValue(text: string, path: JsonPath, before?: string): string {
  if (text === '' || isReference(text) || text === REDACTED) return text;
  const follows = before !== undefined && /^--?[A-Za-z][\w-]*$/.test(before) && isSecretName(before);
  if (follows || isSecretPath(path)) return REDACTED;
  return redactText(text);
}

/** Free text, each line for itself, so that the number of lines stays. */
export function maskLines(text: string): string {
  return text
    .split('\n')
    .map((line) => redactText(line))
    .join('\n');
}
