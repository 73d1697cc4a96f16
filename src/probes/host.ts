import type { Finding } from '../errors/error.ts';
import { getIn } from '../lib/json.ts';
import { fillText } from '../runtimes/dialect.ts';
import { type GateData, readDecision, readGate } from '../runtimes/gates.ts';
import { showText } from '../runtimes/show.ts';
import { notAdmitted } from './admission.ts';
import { allServers, type PlacedServer, serverAt } from './all-servers.ts';
import { type Document, whereOf } from './documents.ts';
import type { Examined } from './examined.ts';
import { type Facts, oncePer } from './facts.ts';
import { trustedFolder } from './folder-trust.ts';
import { gateDocument } from './gate-document.ts';
import { addressOf, type Ours, oursOf, serverOf } from './ours.ts';
import { found, idle, type Probe, type Result, skipped } from './probe.ts';

/** How far a server of ours got in a coding tool (C-07). `connected` is never concluded from files. */
export type HostState =
  | 'absent'
  | 'written'
  | 'untrusted'
  | 'awaiting-approval'
  | 'rejected'
  | 'disabled'
  | 'denied'
  | 'approved'
  | 'unknown';

/** Every coding tool's own state of our servers: reported with the tool's own remedy, never granted. */
export const hostProbe: Probe = {
  id: 'host/servers',
  title: 'In the coding tool',
  needs: ['config/readable'],
  run(facts) {
    const ours = oursOf(facts);
    const results = facts.examined.flatMap((runtime) => {
      const own = ours.filter((one) => one.runtimes.includes(runtime.spec.id) && serverOf(one) !== undefined);
      const names = unknownNames(runtime, facts);
      if (own.length === 0) return names.length === 0 ? [] : [found(names, '', runtime.spec.id)];
      return [oneRuntime(runtime, own, names, facts)];
    });
    return results.length === 0 ? idle('no server of ours stands in a coding tool') : results;
  },
};

function oneRuntime(
  runtime: Examined,
  own: readonly Ours[],
  names: readonly Finding[],
  facts: Facts,
): Result {
  const seen = own.map((one) => hostStateOf(runtime, one, facts));
  const findings = [...seen.flatMap(({ findings: all }) => all), ...names];
  const states = new Set(seen.map(({ state }) => state));
  if (findings.length > 0) return found(findings, '', runtime.spec.id);
  if (states.has('unknown')) {
    const how = runtime.spec.approval ?? 'its approval';
    return skipped(`where ${runtime.spec.title} keeps its approval is not known: ${how}`, runtime.spec.id);
  }
  if (states.has('absent')) return idle('the entry is not there', runtime.spec.id);
  const word = states.has('approved') ? 'written and approved' : 'written, and it asks for no approval';
  return found([], `${word}; whether it connects was not seen`, runtime.spec.id);
}

/** What stands for itself and denies a server. */
const DENIALS = ['denied-servers', 'allowed-table', 'denied-switch'] as const;

interface HostSight {
  readonly state: HostState;
  readonly findings: readonly Finding[];
}

/** The state of one server of ours in one runtime, with findings for whatever keeps it from being used. */
export function hostStateOf(runtime: Examined, one: Ours, facts: Facts): HostSight {
  const known = sightsOf(runtime, facts);
  let sight = known.get(one);
  if (sight === undefined) {
    sight = look(runtime, one, facts);
    known.set(one, sight);
  }
  return sight;
}

const sightsOf = oncePer((_: Examined) => new Map<Ours, HostSight>());

interface OpenGate {
  readonly gate: GateData;
  readonly document: Document;
}

/** The gates of a runtime with their files, and what is told of files that cannot be read. */
const gatesOf = oncePer((runtime: Examined, facts): { gates: OpenGate[]; unread: Finding[] } => {
  const unread: Finding[] = [];
  const gates = runtime.spec.gates.flatMap((gate): OpenGate[] => {
    const document = gateDocument(runtime, gate, facts);
    if (document === undefined) return [];
    if ((document.state === 'blocked' || document.state === 'malformed') && gate.kind !== 'only-servers') {
      if (!unread.some(({ subject }) => subject === document.path))
        unread.push(cannotTell(runtime, gate, document));
      return [];
    }
    return [{ gate, document }];
  });
  return { gates, unread };
});

/** Whether one of a runtime's records of trust names this folder. */
const isTrustedHere = oncePer((runtime: Examined, facts): boolean =>
  gatesOf(runtime, facts).gates.some(
    ({ gate, document }) => gate.kind === 'trust' && trustedFolder(gate, document, facts) !== undefined,
  ),
);

function look(runtime: Examined, one: Ours, facts: Facts): HostSight {
  const server = serverOf(one);
  const { spec } = runtime;
  if (server === undefined || !one.isThere) return { state: 'absent', findings: [] };
  const placed = serverAt(runtime, one.address, facts);
  const name = showText(server.name);
  const finding = (
    state: HostState,
    code: Finding['code'],
    severity: Finding['severity'],
    message: string,
    remedy: string,
    data: Finding['data'] = {},
  ) => ({
    state,
    findings: [
      {
        code,
        severity,
        subject: one.address,
        message,
        remedy: { text: remedy },
        data: { runtimes: [spec.id], server: name, ...data },
      } satisfies Finding,
    ],
  });
  const { gates, unread } = gatesOf(runtime, facts);
  const reading = (gate: GateData, document: Document) =>
    readGate(gate, document.value, aboutOf(server.name, placed), facts.base.root, facts.base.platform);
  const set = (kind: GateData['kind']) =>
    gates.filter(({ gate, document }) => gate.kind === kind && reading(gate, document).state === 'set');

  const denied = DENIALS.flatMap(set)[0] ?? notAdmitted(gates, aboutOf(server.name, placed));
  if (denied !== undefined) {
    const isManaged = spec.files[denied.gate.file]?.scope === 'managed';
    return finding(
      'denied',
      'host/denied',
      'error',
      `${name} is ${denied.gate.text} (${denied.document.path}), so ${spec.title} does not load it`,
      isManaged
        ? 'Ask the administrator of this machine'
        : `Change that list in ${denied.document.path} if the server is wanted; tenon changes no such list`,
      whereOf(denied.document, denied.gate.at),
    );
  }
  const off = set('off-list')[0];
  if (off !== undefined) {
    const { path } = reading(off.gate, off.document);
    return finding(
      'rejected',
      'host/rejected',
      'warning',
      `${name} is configured, but disabled in ${off.document.path} (${off.gate.at.at(-1)}: ${off.gate.text})`,
      `Approve it in ${spec.title} if that is wanted; tenon changes no such list`,
      whereOf(off.document, path),
    );
  }
  if (placed?.isOff === true) {
    const pointer = spec.mcp?.off?.pointer.slice(1) ?? '';
    return finding(
      'disabled',
      'host/disabled',
      'warning',
      `${name} is configured, but its entry in ${one.target.path} says ${pointer} = ${String(getIn(placed.entry, pointer.split('/')))}`,
      'Switch it on there if that is wanted; tenon leaves it as it is',
      whereOf(placed.document, [...placed.path, ...pointer.split('/')]),
    );
  }
  const offSwitch = set('off-switch').find(
    ({ gate }) => gate.weaker !== true || getIn(placed?.entry, gate.at.slice(-1)) === undefined,
  );
  if (offSwitch !== undefined) {
    const { path } = reading(offSwitch.gate, offSwitch.document);
    return finding(
      'disabled',
      'host/disabled',
      'warning',
      `${name} is configured, but switched off in ${offSwitch.document.path} (${offSwitch.gate.text})`,
      'Switch it on there if that is wanted; tenon leaves it as it is',
      whereOf(offSwitch.document, path),
    );
  }
  if (one.scope !== 'project') return { state: unread.length > 0 ? 'unknown' : 'written', findings: unread };

  const trusts = gates.filter(({ gate }) => gate.kind === 'trust');
  const isTrusted = trusts.length > 0 && isTrustedHere(runtime, facts);
  const approvals = [...set('on-list'), ...set('on-switch')];
  const asks = spec.gates.some(({ kind }) => kind === 'on-list' || kind === 'on-switch');
  const trustGate = spec.gates.find(({ kind }) => kind === 'trust');
  const where = trusts[0]?.document ?? (trustGate && gateDocument(runtime, trustGate, facts));
  const untrusted = (prefix: string) =>
    finding(
      'untrusted',
      'host/untrusted-project',
      'warning',
      `${prefix}: this folder is not trusted by ${spec.title}${where === undefined ? '' : ` (no such entry in ${where.path})`}`,
      trustGate?.text ?? spec.reload.text,
    );
  if (unread.length > 0 && !isTrusted && approvals.length === 0)
    return { state: 'unknown', findings: unread };
  const trustIsAsked = !spec.gates.some(({ kind }) => kind === 'trust-on') || set('trust-on').length > 0;
  const decided = gates.find(({ gate }) => gate.kind === 'decision');
  if (decided !== undefined && trustGate !== undefined && trustIsAsked && !isTrusted)
    return untrusted(`${name} is written to ${one.target.path}, which ${spec.title} ignores here`);
  if (decided !== undefined) return decisionOf(runtime, one, placed, decided, facts);
  if (asks) {
    const counting = approvals.filter(({ gate }) => gate.needsTrust !== true || isTrusted);
    if (counting.length > 0) return { state: 'approved', findings: approvedOther(runtime, one, counting) };
    if (approvals.length > 0) return untrusted(`${name} is approved by name, but that does not count yet`);
    return finding(
      'awaiting-approval',
      'host/pending-approval',
      'warning',
      `${spec.title} has not approved the server ${name} yet`,
      spec.reload.text,
    );
  }
  if (trustGate !== undefined && trustIsAsked) {
    return isTrusted
      ? { state: 'approved', findings: [] }
      : untrusted(`${name} is written to ${one.target.path}, which ${spec.title} ignores here`);
  }
  const asksNothing = spec.reload.kind === 'restart' || spec.reload.kind === 'automatic';
  return { state: asksNothing ? 'written' : 'unknown', findings: [] };
}

/** A client that binds its user's decision to the content of the entry. */
function decisionOf(
  { spec }: Examined,
  one: Ours,
  placed: PlacedServer | undefined,
  { gate, document }: { readonly gate: GateData; readonly document: Document },
  facts: Facts,
): { readonly state: HostState; readonly findings: readonly Finding[] } {
  const server = serverOf(one)?.name ?? '';
  const { root, platform, env } = facts.base;
  const decision =
    placed === undefined
      ? 'none'
      : readDecision(
          gate,
          document.value,
          { server, entry: placed.entry },
          { root, platform, env, expands: spec.mcp?.expands ?? [] },
        );
  if (decision === 'approved') return { state: 'approved', findings: [] };
  const name = showText(server);
  const [state, code, message] = DECISIONS[decision](name, spec.title, document.path);
  return {
    state,
    findings: [
      {
        code,
        severity: 'warning',
        subject: one.address,
        message,
        remedy: { text: fillText(gate.text, { server: name }) },
        data: { ...whereOf(document, undefined), runtimes: [spec.id], server: name, decision },
      },
    ],
  };
}

const DECISIONS: Readonly<
  Record<
    'rejected' | 'none' | 'changed' | 'cannot-tell',
    (name: string, title: string, file: string) => readonly [HostState, Finding['code'], string]
  >
> = {
  rejected: (name, title, file) => [
    'rejected',
    'host/rejected',
    `${name} is configured, but its user rejected it in ${title} (${file})`,
  ],
  none: (name, title) => [
    'awaiting-approval',
    'host/pending-approval',
    `${title} has not approved the server ${name} yet`,
  ],
  changed: (name, title, file) => [
    'awaiting-approval',
    'host/pending-approval',
    `${title} asks again for the server ${name}: its entry changed since its user decided (${file})`,
  ],
  'cannot-tell': (name, title) => [
    'unknown',
    'host/cannot-tell',
    `whether ${title} approves the server ${name} as it stands cannot be told: its entry refers to variables, and the decision was bound to their values`,
  ],
};

/**
 * A client that approves by name goes on using an entry whose content somebody changed: what tenon wrote and what stands
 * there now differ, and nobody is asked. Without a record of this host nothing is said.
 */
function approvedOther(
  { spec }: Examined,
  one: Ours,
  approvals: readonly { readonly gate: GateData; readonly document: Document }[],
): Finding[] {
  const { slot, standing } = one.judgement;
  const [approval] = approvals;
  if (slot.record === undefined || standing !== 'drifted' || approval === undefined) return [];
  const name = showText(serverOf(one)?.name ?? '');
  return [
    {
      code: 'host/approved-changed',
      severity: 'warning',
      subject: one.address,
      message: `${spec.title} approved ${name} by its name alone (${approval.document.path}), and the entry is no longer what tenon wrote: the changed one is used without a question`,
      remedy: {
        text: `Look at the change; bring ours back, or take the approval back in ${spec.title} and decide anew`,
        command: `tenon sync --force '${one.address}'`,
      },
      data: { ...whereOf(approval.document, approval.gate.at), runtimes: [spec.id], server: name },
    },
  ];
}

const aboutOf = (server: string, placed: PlacedServer | undefined) => ({
  server,
  ...(placed?.url === undefined ? {} : { url: placed.url }),
  ...(placed?.launch === undefined ? {} : { command: placed.launch }),
});

const cannotTell = ({ spec }: Examined, gate: GateData, document: Document): Finding => ({
  code: 'host/cannot-tell',
  severity: 'warning',
  subject: document.path,
  message: `whether ${spec.title} says "${gate.text}" cannot be told: ${document.path} cannot be read`,
  remedy: { text: 'Correct the file or its access rights' },
  data: { file: document.path, runtimes: [spec.id] },
});

/** Names in a client's lists of servers that no server has (case I02). */
function unknownNames(runtime: Examined, facts: Facts): Finding[] {
  const { spec } = runtime;
  const known = new Set(allServers(runtime, facts).map(({ name }) => name));
  const found = spec.gates.flatMap((gate) => {
    if (gate.kind !== 'off-list' && gate.kind !== 'on-list') return [];
    const document = gateDocument(runtime, gate, facts);
    // A list in the user's own file may be meant for another repository.
    const file = runtime.files.find(({ id }) => id === gate.file);
    const isOfFolder =
      gate.at.includes('{root}') || file?.data.scope === 'project' || isHere(file?.path.display);
    if (document?.state !== 'parsed' || !isOfFolder) return [];
    const { names = [], path } = readGate(
      gate,
      document.value,
      { server: '' },
      facts.base.root,
      facts.base.platform,
    );
    return names
      .filter((name) => !known.has(name))
      .map((name): Finding => {
        return {
          code: 'host/unknown-name',
          severity: 'warning',
          subject: addressOf(document, path),
          message: `${gate.at.at(-1)} in ${document.path} names ${showText(name)}, but ${spec.title} has no such server here`,
          remedy: { text: 'Correct or remove the name' },
          data: { ...whereOf(document, [...path, String(names.indexOf(name))]), runtimes: [spec.id] },
        };
      });
  });
  return found;
}

const isHere = (display: string | undefined): boolean =>
  display !== undefined && !display.startsWith('~') && !display.startsWith('/');
