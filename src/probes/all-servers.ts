import type { Scope } from '../engine/types.ts';
import { type FoundServer, serversIn } from '../runtimes/servers.ts';
import type { Document } from './documents.ts';
import type { Examined } from './examined.ts';
import { type Facts, oncePer } from './facts.ts';
import { addressOf } from './ours.ts';

/** A server of any owner in a file that a runtime reads. */
export interface PlacedServer extends FoundServer {
  readonly scope: Scope;
  readonly document: Document;
  /** Order among the files of one scope, 0 = strongest. */
  readonly rank: number;
}

/**
 * Every server that a runtime has for this root, in all scopes. Of files that the client does not merge, only the
 * strongest that exists counts.
 */
export const allServers: (runtime: Examined, facts: Facts) => readonly PlacedServer[] = oncePer(readServers);

/** The first server of a runtime that stands at an address. */
export const serverAt = (runtime: Examined, address: string, facts: Facts): PlacedServer | undefined =>
  byAddress(runtime, facts).get(address);

const byAddress = oncePer((runtime: Examined, facts) => {
  const found = new Map<string, PlacedServer>();
  for (const server of allServers(runtime, facts)) {
    const address = addressOf(server.document, server.path);
    if (!found.has(address)) found.set(address, server);
  }
  return found;
});

function readServers(runtime: Examined, facts: Facts): PlacedServer[] {
  const { spec, files } = runtime;
  const { root, platform } = facts.base;
  return (spec.mcp?.places ?? []).flatMap(({ scope, file: id }) => {
    const there = files.filter((file) => file.id === id && file.exists);
    const counting = there[0]?.data.merged === false ? there.slice(0, 1) : there;
    return counting.flatMap(({ path, data, rank }): PlacedServer[] => {
      const document = facts.documents.get(path, data.format);
      return serversIn(spec, scope, document.value, root, platform).map((server) => ({
        ...server,
        scope,
        document,
        rank,
      }));
    });
  });
}
