import type { GateData } from '../runtimes/gates.ts';
import type { Document } from './documents.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';

/** The file of a gate; for a file that does not exist an absent document, undefined where its place is not certain. */
export function gateDocument(
  { files }: Examined,
  gate: Pick<GateData, 'file'>,
  facts: Facts,
): Document | undefined {
  const isOwn = ({ id }: Examined['files'][number]) => id === gate.file;
  const file = files.find((one) => one.exists && isOwn(one)) ?? files.find(isOwn);
  if (file === undefined || (file.data.format !== 'json' && file.data.format !== 'toml')) return undefined;
  return facts.documents.get(file.path, file.data.format);
}
