/** Placeholders are upper case, so shell text (`${HOME}`) and references (`${env:NAME}`) are untouched. */
const PLACEHOLDER = /(?<!\$)\{([A-Z][A-Z0-9_]*)\}/g;
const CODE_LITERAL = /'\{([A-Z][A-Z0-9_]*)\}'|"\{([A-Z][A-Z0-9_]*)\}"/g;

/** Values by input name; an input without a value is absent. */
export type Values = ReadonlyMap<string, string>;

/** Names of the placeholders in a text, in order of appearance, each once. */
export function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

/**
 * The text with every placeholder replaced; undefined when one of them has no value. Replacements are not scanned again,
 * so a value that looks like a placeholder stays as it is. In front of a `/`, slashes at a value's end are dropped: a
 * base URL may be given with or without one (V7).
 */
export function fillText(text: string, values: Values): string | undefined {
  let isComplete = true;
  const filled = text.replaceAll(PLACEHOLDER, (whole: string, name: string, offset: number) => {
    const value = values.get(name);
    if (value === undefined) {
      isComplete = false;
      return whole;
    }
    return text[offset + whole.length] === '/' ? value.replace(/\/+$/, '') : value;
  });
  return isComplete ? filled : undefined;
}

const isCode = (path: string): boolean => /\.(?:c|m)?[jt]s$/.test(path);

/** Placeholders of a listed file that {@link fillFile} would replace. */
export function filePlaceholders(path: string, text: string): string[] {
  if (!isCode(path)) return placeholdersOf(text);
  return [...new Set([...text.matchAll(CODE_LITERAL)].map((match) => match[1] ?? match[2] ?? ''))];
}

/**
 * A file of the definition with its placeholders replaced. In code only whole string literals are placeholders and
 * become JSON strings, so that no value can end the literal; an input without a value becomes the empty string.
 */
export function fillFile(path: string, text: string, values: Values): string {
  if (!isCode(path)) {
    return text.replaceAll(PLACEHOLDER, (_whole: string, name: string) => values.get(name) ?? '');
  }
  return text.replaceAll(CODE_LITERAL, (_whole: string, single?: string, double?: string) =>
    JSON.stringify(values.get(single ?? double ?? '') ?? ''),
  );
}
