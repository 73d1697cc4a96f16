import { hash } from 'node:crypto';
import { canonicalJson, type Json, type JsonPath, leavesOf } from '../lib/json.ts';
import { redactForPrint } from '../lib/secrets.ts';
import type { Fingerprint, Generation } from './types.ts';

/** SHA-256 of bytes, or of a string's UTF-8. For raw contents; values go through {@link fingerprint}. */
export const sha256 = (content: Uint8Array | string): Fingerprint =>
  `sha256:${hash('sha256', content, 'hex')}`;

/**
 * Fingerprint of a parsed value, whole and per leaf: SHA-256 over canonical JSON, secret leaves replaced first, so that
 * formatting and a rotated token are no drift (contract, section 5). A text of several lines counts with LF ends and
 * without redaction: it is content, not a credential. `path` is where the value stands, for secret-like names around it.
 */
export function fingerprint(value: Json, path: JsonPath = []): Generation {
  if (typeof value === 'string' && /[\r\n]/.test(value))
    return once(texts, KEPT_TEXTS, value, () => printOf(value.replaceAll('\r\n', '\n')));
  const make = () => printOf(redactForPrint(value, path));
  const text = textOf(value, path);
  return text === undefined || text.length > LONGEST_VALUE ? make() : once(values, KEPT_VALUES, text, make);
}

/** Equal for equal values whose members stand in the same order, under the same names; none for integers beyond 2^53. */
function textOf(value: Json, path: JsonPath): string | undefined {
  try {
    return JSON.stringify([value, path]);
  } catch {
    return undefined;
  }
}

function once(known: Map<string, Generation>, most: number, key: string, make: () => Generation): Generation {
  let print = known.get(key);
  if (print === undefined) {
    print = make();
    if (known.size >= most) known.clear();
    known.set(key, print);
  }
  return print;
}

function printOf(clean: Json): Generation {
  const leaves: Record<string, Fingerprint> = {};
  for (const [pointer, leaf] of leavesOf(clean)) leaves[pointer] = sha256(canonicalJson(leaf));
  return { print: leaves[''] ?? sha256(canonicalJson(clean)), leaves };
}

/** Everything is asked for several times in a run: wished, there, decided about, and recorded. */
const texts = new Map<string, Generation>();
const KEPT_TEXTS = 64;
const values = new Map<string, Generation>();
const KEPT_VALUES = 4096;
const LONGEST_VALUE = 2000;
