import { maskLines, maskValue } from './mask-value.ts';

interface Frame {
  readonly kind: 'object' | 'array';
  /** Object: the member whose value comes next, as its token. */
  key: string | undefined;
  /** Array: the last string element, as its token. */
  last: string | undefined;
}

/** A part of a text, masked; `at` is where the part begins. */
export interface Masked {
  readonly masked: string;
  readonly at: number;
}

const TOKEN =
  /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[[\]{},:]|-?\d[\w.+-]*|[A-Za-z_$][\w$]*|\s+|[\s\S]/g;

/**
 * JSON with or without comments. Tolerant: text that is no JSON passes through the credential patterns. Masks the tokens
 * that reach into `[from, to)`; those before are read for the path alone.
 */
export function maskJson(text: string, from = 0, to = text.length): Masked {
  const frames: Frame[] = [];
  const parts: string[] = [];
  let at = text.length;
  let isKeyNext = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index >= to) break;
    const isWanted = index + token.length > from;
    if (isWanted && parts.length === 0) at = index;
    const top = frames.at(-1);
    const first = token.charAt(0);
    let shown = token;
    if (first === '{' || first === '[') {
      frames.push({ kind: first === '{' ? 'object' : 'array', key: undefined, last: undefined });
      isKeyNext = first === '{';
    } else if (token === '}' || token === ']') {
      frames.pop();
      const outer = frames.at(-1);
      if (outer !== undefined) outer.last = undefined;
      isKeyNext = false;
    } else if (token === ',') isKeyNext = top?.kind === 'object';
    else if (token === ':') isKeyNext = false;
    else if (token.startsWith('//') || token.startsWith('/*')) {
      if (isWanted) shown = maskLines(token);
    } else if (first === '"' && token.length > 1) {
      if (isKeyNext && top !== undefined) top.key = token;
      else {
        if (isWanted) shown = maskedString(token, frames);
        if (top !== undefined) top.last = token;
      }
    } else if (/^-?\d/.test(token)) {
      if (isWanted) shown = maskValue(token, pathOf(frames));
      if (top !== undefined) top.last = undefined;
    }
    if (isWanted) parts.push(shown);
  }
  return { masked: parts.join(''), at };
}

const pathOf = (frames: readonly Frame[]): string[] =>
  frames.map((frame) => (frame.kind === 'array' ? '0' : frame.key === undefined ? '' : decode(frame.key)));

function maskedString(token: string, frames: readonly Frame[]): string {
  const top = frames.at(-1);
  const before = top?.kind === 'array' && top.last !== undefined ? decode(top.last) : undefined;
  const value = decode(token);
  const masked = maskValue(value, pathOf(frames), before);
  return masked === value ? token : JSON.stringify(masked);
}

function decode(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1, -1);
  }
}
