import type { FilePlan } from '../engine/types.ts';
import { unifiedDiff } from './diff-view.ts';
import { maskText } from './mask-text.ts';

const known = new WeakMap<FilePlan, { readonly path: string; readonly diff: string }>();

/** The text of a planned file, its byte-order mark included. */
export const decode = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/**
 * The diff of one planned file under the path as it is to be shown, secrets masked. The report and its data both hold it:
 * of a large file it is made once.
 */
export function fileDiff(file: FilePlan, path: string): string {
  const before = known.get(file);
  if (before?.path === path) return before.diff;
  const diff = unifiedDiff(path, decode(file.base), decode(file.result), maskText, file.mode);
  known.set(file, { path, diff });
  return diff;
}
