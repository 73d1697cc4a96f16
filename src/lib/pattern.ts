import vm from 'node:vm';
import { noteOutside } from './outside.ts';

/** Longer texts are compared with no expression that others wrote. */
const MAX_TEXT = 2000;
const MAX_SOURCE = 500;
const MAX_MS = 250;

/**
 * Why a text is no regular expression that may be run over texts of others, or undefined when it is one: it does not parse
 * with the flag `u`, it is long, or it repeats a group in which something repeats or has alternatives. Such a group takes
 * time that doubles with every character.
 */
export function patternProblem(source: string): string | undefined {
  if (source.length > MAX_SOURCE) return `is longer than ${MAX_SOURCE} characters`;
  try {
    new RegExp(source, 'u');
  } catch {
    return 'is no regular expression';
  }
  return repeatsLoosely(source)
    ? 'repeats a group that holds a repetition or alternatives, which can take for ever; write it without'
    : undefined;
}

/** One sign of a pattern: an escape, a character class, the head of a group, a quantifier, or any other character. */
const SIGN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/gu;

function repeatsLoosely(source: string): boolean {
  // One entry a group that is open, the pattern itself first: whether there are several ways to match it.
  const open = [false];
  let closed = false;
  for (const [sign] of source.matchAll(SIGN)) {
    const isQuantifier = /^(?:[*+?]|\{\d)/u.test(sign);
    if (isQuantifier && closed && !/^(?:\?|\{[01]\})/u.test(sign)) return true;
    if (sign.startsWith('(')) open.push(false);
    closed = sign === ')' && open.pop() === true;
    if (isQuantifier || sign === '|' || closed) open[open.length - 1] = true;
  }
  return false;
}

/**
 * Whether a text matches an expression that a repository or the user's own file brings; undefined when that is not found
 * out: the expression is refused by {@link patternProblem}, the text is longer than 2,000 characters, or it takes longer
 * than 250 ms. `vm` ends a run of the matcher, nothing else of it is relied upon: the expression is data.
 */
export function testPattern(source: string, flags: 'u' | 'iu', text: string): boolean | undefined {
  if (text.length > MAX_TEXT || patternProblem(source) !== undefined) return undefined;
  try {
    const found: unknown = vm.runInNewContext(
      'new RegExp(source, flags).test(text)',
      { source, flags, text },
      { timeout: MAX_MS },
    );
    return found === true;
  } catch {
    // How long it takes depends on what else the machine does.
    noteOutside();
    return undefined;
  }
}
