import type { ListAnswer } from '../clients/ask.ts';
import type { SeenServer } from '../clients/read-list.ts';
import { displayUrl, sameEndpoint } from '../endpoint/url.ts';
import type { Finding } from '../errors/error.ts';
import type { SeenState } from '../runtimes/schema-list.ts';
import { showText } from '../runtimes/show.ts';
import { allServers, type PlacedServer } from './all-servers.ts';
import { strictFindings } from './client-reads.ts';
import { changeFindings } from './client-writes.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { lostFiles } from './foreign-content.ts';
import { type HostState, hostStateOf } from './host.ts';
import { isEntryOf, namedServers } from './named-tools.ts';
import { addressOf, documentOf, isTrusted, type Ours, oursOf, serverOf } from './ours.ts';
import { found, idle, type Probe, type Result, skipped } from './probe.ts';
import { usesOf } from './references.ts';

/**
 * `--clients`: each client's own list of servers, compared with what its files say. Its program is run in the root, bounded
 * and with a bare environment; it starts what its user let it start, nothing more.
 */
export const clientListsProbe: Probe = {
  id: 'clients/lists',
  title: 'What the coding tools say themselves',
  async run(facts) {
    const used = facts.examined.filter(({ reason }) => reason !== 'shared');
    const asked = used.filter((runtime) => winnersOf(runtime, facts).length > 0);
    if (asked.length === 0) return idle('no server of ours stands in a coding tool');
    if (!facts.options.clients) return skipped('not asked; --clients starts the coding tools');
    const results: Result[] = [];
    for (const runtime of asked) results.push(...(await oneClient(runtime, facts)));
    return results;
  },
};

async function oneClient(runtime: Examined, facts: Facts): Promise<Result[]> {
  const { spec } = runtime;
  const unsafe = whyNot(runtime, facts);
  if (unsafe !== undefined) return [skipped(unsafe, spec.id)];
  const { askList } = await import('../clients/ask.ts');
  const answer = await askList({
    spec,
    root: facts.base.root,
    system: facts.system,
    version: await facts.clients.version(spec),
    names: variablesOf(runtime, facts),
    scale: facts.clients.scale,
  });
  const changes = changeFindings(runtime, answer.changed);
  return [
    judge(runtime, answer, facts),
    ...(changes.length === 0 ? [] : [found(changes, '', `${spec.id}/files`)]),
  ];
}

function judge(runtime: Examined, answer: ListAnswer, facts: Facts): Result {
  const { spec } = runtime;
  if (answer.state === 'skipped') return skipped(answer.reason, spec.id);
  const own = winnersOf(runtime, facts);
  if (answer.state === 'refused') {
    return found([refused(runtime, answer, own)], '', spec.id);
  }
  const compared = own.map((one) => {
    const name = serverOf(one)?.name ?? '';
    const seen = answer.servers.find((server) => server.name === name);
    return { name, seen, findings: compare(runtime, one, seen, answer, facts) };
  });
  facts.clients.connections.set(
    spec.id,
    new Map(
      answer.proves === 'connected'
        ? compared.map(({ name, seen, findings }) => {
            const isOther = findings.some(({ code }) => code === 'host/client-other');
            return [name, seen?.state === 'connected' && !isOther ? 'yes' : 'no'] as const;
          })
        : [],
    ),
  );
  const words = compared.map(({ name, seen }) => `${showText(name)} ${wordOf(seen)}`);
  return found(
    compared.flatMap(({ findings }) => findings),
    `${answer.command}: ${words.join(', ')}${answer.proves === 'connected' ? '' : '; it does not connect for this list'}`,
    spec.id,
  );
}

const wordOf = (seen: SeenServer | undefined): string =>
  seen === undefined ? 'is not in it' : (seen.state ?? showText(seen.says ?? ''));

/** What a client may say of a server in each state that its files show. `missing`: nothing at all. */
const EXPECTED: Readonly<Record<HostState, readonly (SeenState | 'missing')[]>> = {
  written: ['connected', 'listed'],
  approved: ['connected', 'listed'],
  'awaiting-approval': ['pending', 'untrusted', 'missing'],
  untrusted: ['untrusted', 'pending', 'disabled', 'missing'],
  rejected: ['rejected', 'disabled', 'missing'],
  disabled: ['disabled', 'missing'],
  denied: ['rejected', 'disabled', 'missing'],
  absent: ['missing'],
  unknown: ['connected', 'listed'],
};

const USED: ReadonlySet<HostState> = new Set(['written', 'approved']);

function compare(
  runtime: Examined,
  one: Ours,
  seen: SeenServer | undefined,
  answer: ListAnswer & { state: 'listed' },
  facts: Facts,
): Finding[] {
  const { spec } = runtime;
  const expected = hostStateOf(runtime, one, facts).state;
  const said = seen === undefined ? 'missing' : seen.state;
  const accepted = EXPECTED[expected];
  const isReadOnly = answer.proves === 'read' && said === 'listed';
  const name = showText(serverOf(one)?.name ?? '');
  const finding = (
    code: Finding['code'],
    severity: Finding['severity'],
    message: string,
    remedy: string,
    more: Finding['data'] = {},
  ): Finding => ({
    code,
    severity,
    subject: one.address,
    message,
    remedy: { text: remedy },
    data: { runtimes: [spec.id], server: name, expected, seen: said ?? 'unknown', ...more },
  });
  if (seen !== undefined && said === undefined) {
    const says = showText(seen.says ?? '');
    return [
      finding(
        'host/client-differs',
        'warning',
        `${spec.title} says of ${name} "${says}", which is not known here`,
        `Look at ${answer.command} yourself`,
      ),
    ];
  }
  const other = seen === undefined ? undefined : otherTarget(runtime, one, seen, facts);
  if (other !== undefined) {
    return [
      finding(
        'host/client-other',
        'error',
        `${spec.title} has another ${name} than the one of ${one.target.path}: ${other}`,
        'Look for an entry of this name in another scope of the tool, and take one of the two out',
      ),
    ];
  }
  if (said === undefined || accepted.includes(said) || isReadOnly)
    return toolFindings(runtime, one, seen, facts, finding);
  switch (said) {
    case 'missing':
      return [
        finding(
          'host/client-missing',
          USED.has(expected) ? 'error' : 'warning',
          `${name} stands in ${one.target.path}, and ${answer.command} does not show it`,
          spec.reload.text,
        ),
      ];
    case 'failed':
      return [
        finding(
          'host/client-failed',
          USED.has(expected) || expected === 'unknown' ? 'error' : 'warning',
          `${spec.title} tried to reach ${name} and could not`,
          'See whether the server answers: tenon doctor --online; then look at the message of the tool',
        ),
      ];
    case 'needs-login':
      return [
        finding(
          'host/client-login',
          'warning',
          `${name} wants a login before ${spec.title} can use it`,
          spec.oauth?.login ?? `Log in to ${name} in ${spec.title}`,
        ),
      ];
    case 'connected':
    case 'listed':
      return [
        finding(
          'host/client-differs',
          'info',
          `${spec.title} says ${said} of ${name}, where its files say ${expected}`,
          `Trust what the tool says; its files may be kept elsewhere than is known of ${spec.title}`,
        ),
      ];
    default:
      return [
        finding(
          'host/client-differs',
          'warning',
          `${spec.title} says ${said} of ${name}${expected === 'unknown' ? '' : `, where its files say ${expected}`}`,
          spec.reload.text,
        ),
      ];
  }
}

/** The address or program that the client shows, where it is another one than in our entry. */
function otherTarget(runtime: Examined, one: Ours, seen: SeenServer, facts: Facts): string | undefined {
  const placed = placedOf(runtime, one, facts);
  if (placed?.url !== undefined && !/[${}]/u.test(placed.url)) {
    if (seen.launch !== undefined) return `it starts ${showText(seen.launch)}`;
    if (seen.url !== undefined && !sameEndpoint(placed.url, seen.url)) return displayUrl(seen.url);
  }
  const launch = placed?.launch?.join(' ');
  if (launch === undefined || /[${}"'\\]/u.test(launch)) return undefined;
  if (seen.url !== undefined) return `it connects to ${displayUrl(seen.url)}`;
  return seen.launch === undefined ||
    seen.launch.replace(/\s+/gu, ' ').trim() === launch.replace(/\s+/gu, ' ').trim()
    ? undefined
    : `it starts ${showText(seen.launch)}`;
}

/** Tools that the integration names and the client's list does not let through. */
function toolFindings(
  { spec }: Examined,
  one: Ours,
  seen: SeenServer | undefined,
  facts: Facts,
  finding: (code: Finding['code'], severity: Finding['severity'], message: string, remedy: string) => Finding,
): Finding[] {
  const allowed = seen?.tools;
  if (allowed === undefined) return [];
  const named =
    namedServers(facts).find((server) => isEntryOf(one, server))?.tools ?? new Map<string, never>();
  const held = [...named.keys()].filter((name) => !allowed.includes(name));
  if (held.length === 0) return [];
  return [
    finding(
      'host/client-tools',
      'warning',
      `${spec.title} does not let ${held.slice(0, 20).join(', ')} of ${showText(serverOf(one)?.name ?? '')} through`,
      `Take the restriction out of its entry in ${one.target.path} if all are wanted`,
    ),
  ];
}

function refused(
  { spec }: Examined,
  answer: ListAnswer & { state: 'refused' },
  own: readonly Ours[],
): Finding {
  return {
    code: 'host/client-refuses',
    severity: 'error',
    subject: own[0]?.address ?? spec.id,
    message: `${spec.title} ends with an error here (${answer.command}, exit code ${answer.code}): ${answer.says}`,
    remedy: { text: 'Correct what its message names; until then the tool does not work in this folder' },
    data: { runtimes: [spec.id], exitCode: answer.code },
  };
}

/** Why the client is not asked here: doing so would start or change what nobody agreed to. */
function whyNot(runtime: Examined, facts: Facts): string | undefined {
  const { spec, files } = runtime;
  if (spec.list === undefined) return `no command is known by which ${spec.title} lists its servers`;
  const command = spec.list.command.join(' ');
  const lost = lostFiles(facts, strictFindings);
  const rewritten = files.find(
    ({ data, path, exists }) =>
      exists && data.onInvalid === 'rewrites-file' && lost.has(`${spec.id} ${path.display}`),
  );
  if (rewritten !== undefined) {
    return `${command} would replace ${rewritten.path.display}, which ${spec.title} cannot read as it is`;
  }
  if (spec.list.starts !== 'every') return undefined;
  const trusted = new Set(
    oursOf(facts)
      .filter((one) => isTrusted(one) && one.isThere && one.judgement.standing !== 'drifted')
      .map(({ address }) => address),
  );
  const programs = allServers(runtime, facts).filter(
    ({ launch, isOff, scope, document, path }) =>
      launch !== undefined && !isOff && scope !== 'user' && !trusted.has(addressOf(document, path)),
  );
  if (programs.length === 0) return undefined;
  const names = programs.slice(0, 5).map(({ name }) => showText(name));
  return `${command} starts every program of this repository, and nobody trusted ${names.join(', ')} on this host`;
}

/** The servers of ours that stand there or should, the strongest scope of each name. */
function winnersOf({ spec }: Examined, facts: Facts): Ours[] {
  const order = spec.mcp?.precedence ?? [];
  const rank = ({ scope }: Ours) => (order.includes(scope) ? order.indexOf(scope) : order.length);
  const byName = new Map<string, Ours>();
  for (const one of oursOf(facts)) {
    const name = serverOf(one)?.name;
    if (name === undefined || !isWanted(one, facts) || !one.runtimes.includes(spec.id)) continue;
    const known = byName.get(name);
    if (known === undefined || rank(one) < rank(known)) byName.set(name, one);
  }
  return [...byName.values()];
}

/** It is there, missing, or in a file that cannot be read, where the client may refuse to start. */
function isWanted(one: Ours, facts: Facts): boolean {
  const state = documentOf(facts, one.target)?.state;
  return one.isThere || one.judgement.standing === 'missing' || state === 'malformed' || state === 'blocked';
}

const placedOf = (runtime: Examined, one: Ours, facts: Facts): PlacedServer | undefined =>
  allServers(runtime, facts).find(({ document, path }) => addressOf(document, path) === one.address);

/** Variables that trusted entries of ours refer to: the client would have them where its user starts it. */
function variablesOf({ spec }: Examined, facts: Facts): string[] {
  const trusted = new Set(
    oursOf(facts)
      .filter((one) => one.isThere && isTrusted(one) && one.runtimes.includes(spec.id))
      .flatMap(({ judgement }) => (judgement.slot.wish?.owners ?? []).map(({ integration }) => integration)),
  );
  const uses = usesOf(facts) ?? [];
  return [
    ...new Set(
      uses.filter((use) => use.spec.id === spec.id && trusted.has(use.integration)).map(({ name }) => name),
    ),
  ];
}
