import type { Context } from '../../cli/context.ts';
import { printable } from '../../lib/printable.ts';
import type { TrustItem } from '../../trust/item.ts';
import type { Selection } from './selection.ts';
import { shellQuote } from './shell-quote.ts';

/** One item in the JSON document: everything that a grant binds. Texts are escaped by JSON itself. */
export const itemData = (item: TrustItem): Readonly<Record<string, unknown>> => ({
  digest: item.digest,
  kind: item.kind,
  integration: item.integration,
  artifact: item.artifact,
  class: item.class,
  runtimes: item.runtimes,
  scope: item.scope,
  address: item.address,
  source: item.source,
  definition: item.definition,
  value: item.value,
  executable: item.executable,
  launch: item.launch,
  files: item.files,
  notes: item.notes,
});

/** The command line that reviews exactly what a setup of these selections wants; without names, what is set up. */
export function trustCommand(
  context: Context,
  names: readonly string[],
  selections: readonly Selection[],
): string {
  if (names.length === 0) return 'tenon trust';
  const words = ['tenon', 'trust', ...names];
  const [only] = selections;
  if (only?.loaded.of !== undefined && only.loaded.of === names[0]) words.push('--name', only.loaded.ref);
  for (const runtime of new Set(selections.flatMap(({ enrolment }) => enrolment.runtimes)))
    words.push('--runtime', runtime);
  if (context.options.scope !== 'project') words.push('--scope', context.options.scope);
  for (const [key, value] of Object.entries(context.options.set)) words.push('--set', `${key}=${value}`);
  for (const part of context.options.without) words.push('--without', part);
  return words.map((word) => shellQuote(printable(word))).join(' ');
}
