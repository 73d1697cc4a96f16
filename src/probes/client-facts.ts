import type { ClientVersion } from '../clients/version.ts';
import type { RuntimeId } from '../engine/types.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { AbsPath, System } from '../system/ports.ts';

/** What a client says of a server of ours, by the server's name: whether it reached it. */
export type Connections = ReadonlyMap<string, 'yes' | 'no'>;

/** What the installed coding tools said in this run of doctor; each is asked once. */
export interface ClientFacts {
  /** Starts the client. */
  version(spec: RuntimeSpec): Promise<ClientVersion>;
  /** Filled by the probe that asks for the lists. */
  readonly connections: Map<RuntimeId, Connections>;
  /** Multiplies the time limits of everything that is started: `--timeout` against its default. */
  readonly scale: number;
}

export function openClients(system: System, root: AbsPath, scale: number): ClientFacts {
  const versions = new Map<RuntimeId, Promise<ClientVersion>>();
  return {
    version(spec) {
      const known = versions.get(spec.id);
      if (known !== undefined) return known;
      const asked = import('../clients/version.ts').then(({ clientVersion }) =>
        clientVersion(spec, root, system, scale),
      );
      versions.set(spec.id, asked);
      return asked;
    },
    connections: new Map(),
    scale,
  };
}
