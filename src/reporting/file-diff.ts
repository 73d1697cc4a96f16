import type { FilePlan } from '../engine/types.ts';
import { unifiedDiff } from './diff-view.ts';
import { maskText } from './mask-text.ts';

/** How a report shows a file. */
interface Shown {
  readonly path: string;
  /** A byte-order mark is a character of the first line. */
  readonly bom: boolean;
  /** Whether a new file's permission bits are told. */
  readonly mode: boolean;
}

const known = new WeakMap<FilePlan, { readonly key: string; readonly diff: string }>();

/** The text of a planned file; with `bom` its byte-order mark stays. */
export const decode = (bytes: Uint8Array | undefined, bom: boolean): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: bom }).decode(bytes);

/** The diff of one planned file, secrets masked. The report and its data both show it: of a large file it is made once. */
export function fileDiff(file: FilePlan, { path, bom, mode }: Shown): string {
  const isEdit = file.base !== undefined && file.result !== undefined;
  const hasMark = file.base?.[0] === 0xef || file.result?.[0] === 0xef;
  const key = JSON.stringify([path, bom && hasMark, mode && !isEdit]);
  const before = known.get(file);
  if (before?.key === key) return before.diff;
  const diff = unifiedDiff(
    path,
    decode(file.base, bom),
    decode(file.result, bom),
    maskText,
    mode ? file.mode : undefined,
  );
  known.set(file, { key, diff });
  return diff;
}
