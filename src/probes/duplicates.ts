import { endpointKey, sameEndpoint } from '../endpoint/url.ts';
import type { Finding } from '../errors/error.ts';
import { showText } from '../runtimes/show.ts';
import { allServers, type PlacedServer } from './all-servers.ts';
import { whereOf } from './documents.ts';
import { addressOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

/** One endpoint or program under several names of one runtime (case C03). Host spellings of loopback are one. */
export const duplicatesProbe: Probe = {
  id: 'config/duplicates',
  title: 'No server is configured twice',
  needs: ['config/readable'],
  run(facts) {
    let count = 0;
    const byPair = new Map<string, { pair: readonly [PlacedServer, PlacedServer]; runtimes: string[] }>();
    for (const runtime of facts.examined) {
      const servers = allServers(runtime, facts);
      count += servers.length;
      for (const pair of pairsOf(servers)) {
        const key = pair.map(({ document, path }) => addressOf(document, path)).join('\n');
        const known = byPair.get(key);
        if (known === undefined) byPair.set(key, { pair, runtimes: [runtime.spec.id] });
        else known.runtimes.push(runtime.spec.id);
      }
    }
    if (count === 0) return idle('no server is configured');
    const findings = [...byPair.values()].map(({ pair, runtimes }) => twice(pair, runtimes));
    return found(findings, 'every endpoint and program once');
  },
};

/** The same name in two places is no duplicate but a matter of scopes. */
function pairsOf(servers: readonly PlacedServer[]): (readonly [PlacedServer, PlacedServer])[] {
  // Only what has a URL or a program in common is compared: hundreds of servers would make thousands of pairs.
  const alike = new Map<string, number[]>();
  for (const [at, server] of servers.entries()) {
    for (const key of keysOf(server)) {
      const known = alike.get(key);
      if (known === undefined) alike.set(key, [at]);
      else known.push(at);
    }
  }
  return servers.flatMap((one, index) => {
    const others = new Set(keysOf(one).flatMap((key) => alike.get(key) ?? []));
    return [...others]
      .filter((at) => at > index)
      .sort((a, b) => a - b)
      .flatMap((at) => servers[at] ?? [])
      .filter((other) => one.name !== other.name && isRepository(one, other) && isSame(one, other))
      .map((other) => [one, other] as const);
  });
}

/** What two servers that are the same have at least one of in common. */
const keysOf = ({ url, launch }: PlacedServer): string[] => [
  ...(url === undefined ? [] : [endpointKey(url)]),
  ...(launch === undefined ? [] : [JSON.stringify(launch)]),
];

/** Two entries of the user's own files are no matter of this repository. */
const isRepository = (one: PlacedServer, other: PlacedServer): boolean =>
  one.scope !== 'user' || other.scope !== 'user';

export function isSame(one: PlacedServer, other: PlacedServer): boolean {
  if (one.url !== undefined && other.url !== undefined) return sameEndpoint(one.url, other.url);
  if (one.launch === undefined || other.launch === undefined) return false;
  return JSON.stringify(one.launch) === JSON.stringify(other.launch);
}

function twice([one, other]: readonly [PlacedServer, PlacedServer], runtimes: readonly string[]): Finding {
  const name = (server: PlacedServer) => `${showText(server.name)} in ${server.document.path}`;
  const what = one.url === undefined ? 'start the same program' : 'point to the same endpoint';
  return {
    code: 'config/duplicate-server',
    severity: 'warning',
    subject: addressOf(other.document, other.path),
    message: `${name(one)} and ${name(other)} ${what}, so ${runtimes.join(', ')} shows every tool twice`,
    remedy: { text: 'Take one of the two out' },
    data: {
      ...whereOf(other.document, other.path),
      other: addressOf(one.document, one.path),
      runtimes: [...runtimes],
    },
  };
}
