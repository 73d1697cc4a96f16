import type { Scope } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { getIn, isObject } from '../lib/json.ts';
import { showText } from '../runtimes/show.ts';
import { samePath } from '../system/paths.ts';
import { allServers, type PlacedServer } from './all-servers.ts';
import { whereOf } from './documents.ts';
import { isSame } from './duplicates.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { addressOf, oursOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

/** One name in several scopes or files: which entry counts (case I01). */
export const shadowingProbe: Probe = {
  id: 'host/scopes',
  title: 'No other scope takes our place',
  needs: ['config/readable'],
  run(facts) {
    const ours = new Set(oursOf(facts).map(({ address }) => address));
    const all = facts.examined.map((runtime) => ({ runtime, servers: allServers(runtime, facts) }));
    if (all.every(({ servers }) => servers.length === 0)) return idle('no server is configured');
    const findings = all.flatMap(({ runtime, servers }) => [
      ...byName(servers).flatMap(([name, same]) => shadowed(name, runtime, same, ours)),
      ...severalKeys(runtime, facts),
    ]);
    return found(findings, 'every name stands in one scope, or ours wins');
  },
};

function byName(servers: readonly PlacedServer[]): [string, PlacedServer[]][] {
  const names = new Map<string, PlacedServer[]>();
  for (const server of servers) {
    const known = names.get(server.name);
    if (known === undefined) names.set(server.name, [server]);
    else known.push(server);
  }
  return [...names];
}

/** The strongest first; undefined where the order of two scopes is not known. */
export function ranked(
  servers: readonly PlacedServer[],
  precedence: readonly Scope[] | undefined,
): PlacedServer[] | undefined {
  const scopes = new Set(servers.map(({ scope }) => scope));
  if (scopes.size > 1 && [...scopes].some((scope) => !precedence?.includes(scope))) return undefined;
  const order = ({ scope }: PlacedServer) => precedence?.indexOf(scope) ?? 0;
  return [...servers].sort((a, b) => order(a) - order(b) || a.rank - b.rank);
}

function shadowed(
  name: string,
  { spec }: Examined,
  same: readonly PlacedServer[],
  ours: ReadonlySet<string>,
): Finding[] {
  if (same.length < 2) return [];
  const mine = same.find((server) => ours.has(addressOf(server.document, server.path)));
  const order = ranked(same, spec.mcp?.precedence);
  const winner = order?.[0];
  const subject = mine ?? winner ?? same[0];
  if (subject === undefined || winner === mine) return [];
  const place = (server: PlacedServer) =>
    `${server.document.path} (${server.scope}${server.document.locate(server.path) === undefined ? '' : `, line ${server.document.locate(server.path)?.line}`})`;
  const shown = showText(name);
  const data = {
    ...whereOf(subject.document, subject.path),
    runtimes: [spec.id],
    places: same.map((server) => addressOf(server.document, server.path)),
  };
  if (winner === undefined || mine === undefined) {
    const which = winner === undefined ? 'which one counts is not known' : `${place(winner)} counts`;
    return [
      {
        code: 'host/shadowed',
        severity: mine === undefined ? 'info' : 'warning',
        subject: addressOf(subject.document, subject.path),
        message: `${spec.title} has ${shown} in ${same.map(place).join(' and ')}; ${which}`,
        data,
      },
    ];
  }
  const isEqual = isSame(mine, winner);
  return [
    {
      code: 'host/shadowed',
      severity: isEqual ? 'info' : 'error',
      subject: addressOf(mine.document, mine.path),
      message: `${shown} in ${mine.document.path} is shadowed by ${place(winner)}, which ${spec.title} uses here${isEqual ? '; both mean the same server' : ''}`,
      remedy: { text: `Take ${shown} out of ${winner.document.path}, or rename one of the two` },
      data,
    },
  ];
}

/** One folder under several spellings of its path in a client's own records (case I06). */
function severalKeys({ spec, files }: Examined, { base, documents }: Facts): Finding[] {
  const paths = [...(spec.mcp?.places ?? []), ...spec.gates].filter(({ at }) => at.includes('{root}'));
  const seen = new Set<string>();
  return paths.flatMap(({ file: id, at }): Finding[] => {
    const file = files.find((one) => one.id === id && one.exists);
    const container = at.slice(0, at.indexOf('{root}'));
    const key = `${file?.path.abs} ${container.join('/')}`;
    if (file === undefined || seen.has(key)) return [];
    seen.add(key);
    const document = documents.get(file.path, file.data.format);
    const records = getIn(document.value, container);
    if (!isObject(records)) return [];
    const keys = Object.keys(records).filter((one) => samePath(one, base.root, base.platform));
    if (keys.length < 2) return [];
    const holds = keys.map((one) => {
      const members = records[one];
      const names = isObject(members) ? Object.keys(members).slice(0, 8).map(showText).join(', ') : 'a value';
      return `${showText(one)} (${names})`;
    });
    return [
      {
        code: 'host/several-keys',
        severity: 'warning',
        subject: document.path,
        message: `${spec.title} knows this folder under ${keys.length} spellings: ${holds.join('; ')}`,
        remedy: { text: 'Nothing is merged; open the folder in one spelling only' },
        data: { ...whereOf(document, [...container, keys[0] ?? '']), runtimes: [spec.id] },
      },
    ];
  });
}
