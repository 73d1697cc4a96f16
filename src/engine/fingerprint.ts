import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonPath, leavesOf } from '../lib/json.ts';
import { redactForPrint } from '../lib/secrets.ts';
import type { Fingerprint, Generation } from './types.ts';

/** SHA-256 of bytes, or of a string's UTF-8. For raw contents; values go through {@link fingerprint}. */
export const sha256 = (content: Uint8Array | string): Fingerprint =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

/**
 * Fingerprint of a parsed value, whole and per leaf: SHA-256 over canonical JSON, secret leaves replaced first, so that
 * formatting and a rotated token are no drift (contract, section 5). A text of several lines counts with LF ends and
 * without redaction: it is content, not a credential. `path` is where the value stands, for secret-like names around it.
 */
export function fingerprint(value: Json, path: JsonPath = []): Generation {
  if (typeof value !== 'string' || !/[\r\n]/.test(value)) return printOf(redactForPrint(value, path));
  let known = texts.get(value);
  if (known === undefined) {
    known = printOf(value.replaceAll('\r\n', '\n'));
    if (texts.size >= KEPT_TEXTS) texts.clear();
    texts.set(value, known);
  }
  return known;
}

function printOf(clean: Json): Generation {
  const leaves: Record<string, Fingerprint> = {};
  for (const [pointer, leaf] of leavesOf(clean)) leaves[pointer] = sha256(canonicalJson(leaf));
  return { print: leaves[''] ?? sha256(canonicalJson(clean)), leaves };
}

/** Whole files are asked for three times in a run: wished, there, and decided about. */
const texts = new Map<string, Generation>();
const KEPT_TEXTS = 64;
