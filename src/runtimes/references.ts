/** One part of a neutral value: text, or a reference `${env:NAME}` to an environment variable. */
export type Part = { readonly text: string } | { readonly env: string };

const REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/gu;

/** The parts of a value of an integration's header, variable, argument or URL. */
export function partsOf(value: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of value.matchAll(REFERENCE)) {
    if (match.index > end) parts.push({ text: value.slice(end, match.index) });
    parts.push({ env: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < value.length || parts.length === 0) parts.push({ text: value.slice(end) });
  return parts;
}

export const hasReference = (value: string): boolean => partsOf(value).some((part) => 'env' in part);

/** The variable of a value that is exactly one reference. */
export function soleReference(value: string): string | undefined {
  const [first, ...rest] = partsOf(value);
  return first !== undefined && 'env' in first && rest.length === 0 ? first.env : undefined;
}

/** The variable of `Bearer ${env:NAME}` under the name `Authorization`; header names know no case (RFC 9110, 5.1). */
export function bearerReference(header: string, value: string): string | undefined {
  if (header.toLowerCase() !== 'authorization') return undefined;
  const [scheme, token, ...rest] = partsOf(value);
  if (scheme === undefined || token === undefined || rest.length > 0) return undefined;
  if (!('text' in scheme) || !('env' in token) || scheme.text !== 'Bearer ') return undefined;
  return token.env;
}

export interface Inline {
  readonly reference?: { readonly prefix: string; readonly suffix: string } | undefined;
  /** Texts that the client expands, as regular expressions. */
  readonly expands: readonly string[];
}

export type InlineResult =
  | { readonly text: string }
  | { readonly problem: 'no-reference' | 'literal-expands'; readonly at: string };

/**
 * A neutral value in the runtime's own syntax. `no-reference`: it holds a reference and the runtime has no syntax for
 * one; `literal-expands`: the client would expand a part that was meant literally, and no client has an escape for it.
 */
export function renderInline(value: string, inline: Inline): InlineResult {
  let text = '';
  const spans: { start: number; end: number }[] = [];
  for (const part of partsOf(value)) {
    if ('text' in part) {
      text += part.text;
      continue;
    }
    if (inline.reference === undefined) return { problem: 'no-reference', at: part.env };
    const start = text.length;
    text += `${inline.reference.prefix}${part.env}${inline.reference.suffix}`;
    spans.push({ start, end: text.length });
  }
  for (const source of inline.expands) {
    for (const match of text.matchAll(new RegExp(source, 'gu'))) {
      const end = match.index + match[0].length;
      const isOurs = spans.some((span) => span.start === match.index && span.end === end);
      if (!isOurs) return { problem: 'literal-expands', at: match[0] };
    }
  }
  return { text };
}
