import { maskLines, maskValue } from './mask-value.ts';

interface Frame {
  readonly kind: 'object' | 'array';
  /** Object: the member whose value comes next. */
  key: string | undefined;
  /** Array: the last string element. */
  last: string | undefined;
}

const TOKEN =
  /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[[\]{},:]|-?\d[\w.+-]*|[A-Za-z_$][\w$]*|\s+|[\s\S]/g;

/** JSON with or without comments. Tolerant: text that is no JSON passes through the credential patterns. */
export function maskJson(text: string): string {
  const frames: Frame[] = [];
  let result = '';
  let isKeyNext = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const top = frames.at(-1);
    const first = token.charAt(0);
    if (first === '{' || first === '[') {
      frames.push({ kind: first === '{' ? 'object' : 'array', key: undefined, last: undefined });
      isKeyNext = first === '{';
      result += token;
    } else if (token === '}' || token === ']') {
      frames.pop();
      const outer = frames.at(-1);
      if (outer !== undefined) outer.last = undefined;
      isKeyNext = false;
      result += token;
    } else if (token === ',') {
      isKeyNext = top?.kind === 'object';
      result += token;
    } else if (token === ':') {
      isKeyNext = false;
      result += token;
    } else if (token.startsWith('//') || token.startsWith('/*')) {
      result += maskLines(token);
    } else if (first === '"' && token.length > 1) {
      const value = decode(token);
      if (isKeyNext && top !== undefined) {
        top.key = value;
        result += token;
      } else {
        result += encode(
          token,
          value,
          maskValue(value, pathOf(frames), top?.kind === 'array' ? top.last : undefined),
        );
        if (top !== undefined) top.last = value;
      }
    } else if (/^-?\d/.test(token)) {
      result += maskValue(token, pathOf(frames));
      if (top !== undefined) top.last = undefined;
    } else {
      result += token;
    }
  }
  return result;
}

const pathOf = (frames: readonly Frame[]): string[] =>
  frames.map((frame) => (frame.kind === 'array' ? '0' : (frame.key ?? '')));

function decode(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1, -1);
  }
}

const encode = (token: string, value: string, masked: string): string =>
  masked === value ? token : JSON.stringify(masked);
