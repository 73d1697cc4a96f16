import { expect } from 'vitest';
import { addVera, bench, expectCode, type Files } from './bench.ts';
import { CLIENTS, type Client, type ClientId, isInsertion, lineEnds, readAs } from './clients.ts';

export interface RoundTrip {
  readonly runtime: ClientId;
  readonly text: string | Buffer;
  /** Where the file is not the usual one of the runtime. */
  readonly file?: string;
  /** The file takes comments although the runtime's usual one does not, or the other way round. */
  readonly syntax?: Client['syntax'];
  /** Further files of the repository; they must stay as they are. */
  readonly beside?: Files;
  /** What must hold of the text in between, beyond the general. */
  readonly holds?: (after: string, before: string) => void;
}

/**
 * Adds vera to one file, adds it again, takes it out. In between: only insertions, the tool reads exactly the entry of the
 * shape written by hand and all other values as before, no line end of another kind, at most one byte order mark. The second
 * run writes nothing at all, the last one gives back the same tree.
 */
export async function expectRoundTrip(one: RoundTrip): Promise<void> {
  const client: Client = CLIENTS[one.runtime];
  const file = one.file ?? client.file;
  const syntax = one.syntax ?? client.syntax;
  const { root, ...repo } = bench({ [file]: Buffer.from(one.text), ...one.beside });
  const [before, tree] = [repo.bytes(file), repo.tree()];

  expectCode(await repo.run(addVera([one.runtime])), 0);
  const after = repo.bytes(file);
  const changed = Object.entries(repo.tree()).filter(([path, line]) => tree[path] !== line);
  expect(changed.map(([path]) => path).sort()).toEqual(['.tenon', '.tenon/manifest.json', file].sort());
  expect(isInsertion(before, after, syntax !== 'toml'), after.toString()).toBe(true);

  const [was, is] = [readAs(syntax, before), readAs(syntax, after)];
  const { vera, ...others } = is[client.container] as Record<string, unknown>;
  expect(vera).toEqual(client.entry);
  // A container that had to be made holds nothing else; a file without any value may get a `$schema` as well.
  const { $schema, ...rest } = { ...is, [client.container]: others };
  if (!(client.container in was)) {
    expect(others).toEqual({});
    delete rest[client.container];
  }
  if (Object.keys(was).length > 0 && $schema !== undefined) rest['$schema'] = $schema;
  expect(rest).toEqual(was);

  const [ends, beforeEnds] = [lineEnds(after), lineEnds(before)];
  if (beforeEnds.crlf === 0) expect(ends.crlf).toBe(0);
  else if (beforeEnds.lf === 0) expect(ends.lf).toBe(0);
  expect(after.toString().lastIndexOf('\uFEFF')).toBe(before.toString().lastIndexOf('\uFEFF'));
  one.holds?.(after.toString(), before.toString());

  const stamps = repo.stamps();
  await repo.prepare(addVera([one.runtime]));
  expect(repo.stamps()).toEqual(stamps);

  expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
  expect(repo.bytes(file)).toEqual(before);
  expect(repo.tree()).toEqual(tree);
}
