import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { LedgerRecord } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { formatOf } from '../../formats/index.ts';
import { getIn, type Json, leavesOf, toPointer } from '../../lib/json.ts';
import { isReference } from '../../lib/secrets.ts';
import { readGate } from '../../runtimes/gates.ts';
import { type PathBase, resolvePath } from '../../runtimes/paths.ts';
import { documentAt, filesOn } from '../../runtimes/places.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import { showText } from '../../runtimes/show.ts';
import { isThere } from '../../system/paths.ts';
import type { Workspace } from './workspace.ts';

/**
 * What an uninstall leaves because it is not tenon's: approvals and rejections that a client keeps by the server's name,
 * a login of the client, files that the client itself made, a token that no server was told to forget. Named, so that
 * nobody has to look for it; never touched.
 */
export function leftovers(context: Context, workspace: Workspace, result: PlanResult): Finding[] {
  const { host, reader } = context.system;
  const base: PathBase = {
    root: workspace.root,
    home: host.home,
    platform: host.platform,
    env: host.env,
    reader,
  };
  const removed = result.judgements.flatMap(({ action, slot }) =>
    action === 'remove' && slot.record !== undefined ? [slot.record] : [],
  );
  const findings = [...new Set(removed.flatMap(({ runtimes }) => runtimes))].flatMap((id) => {
    const spec = workspace.specs.get(id);
    if (spec === undefined) return [];
    const own = removed.filter(({ runtimes }) => runtimes.includes(id));
    const servers = [...new Set(own.flatMap(serverOf))];
    return [
      ...servers.flatMap((server) => approvals(spec, server, base)),
      ...(servers.length > 0 ? login(spec, servers) : []),
      ...created(spec, base),
    ];
  });
  return [...findings, ...tokens(removed, result)];
}

/** A literal token went with its entry; only its server can end it, and tenon never asks one to (it may serve elsewhere). */
function tokens(removed: readonly LedgerRecord[], { plan }: PlanResult): Finding[] {
  const bases = new Map(plan.files.map(({ path, base }) => [path, base]));
  const documents = new Map<string, Json | undefined>();
  const documentOf = ({ path, format }: LedgerRecord): Json | undefined => {
    const base = bases.get(path);
    if (documents.has(path) || base === undefined) return documents.get(path);
    const parsed = formatOf(format).parse(new TextDecoder().decode(base));
    documents.set(path, parsed.ok ? parsed.value : undefined);
    return documents.get(path);
  };
  return removed.flatMap((record): Finding[] => {
    const { place, path } = record;
    const [server] = serverOf(record);
    if (place.kind !== 'key' || server === undefined) return [];
    const entry = getIn(documentOf(record), place.path);
    if (entry === undefined) return [];
    const isLiteral = [...leavesOf(entry).values()].some(
      (leaf) => typeof leaf === 'string' && /^Bearer \S+$/.test(leaf) && !isReference(leaf),
    );
    if (!isLiteral) return [];
    return [
      left(
        `${path}#${toPointer(place.path)}`,
        `the token of ${showText(server)} that stood here stays valid at its server until it expires or is revoked there`,
        'Revoke it at the server if nothing else uses it',
      ),
    ];
  });
}

/** The name of a server entry. */
const serverOf = ({ place, classes }: LedgerRecord): string[] =>
  place.kind === 'key' && classes.some((one) => one === 'connects' || one === 'executes')
    ? place.path.slice(-1)
    : [];

const left = (subject: string, message: string, text: string): Finding => ({
  code: 'uninstall/leftover',
  severity: 'info',
  subject,
  message,
  remedy: { text },
});

function approvals(spec: RuntimeSpec, server: string, base: PathBase): Finding[] {
  return spec.gates.flatMap((gate): Finding[] => {
    const file = spec.files[gate.file];
    if (file === undefined || (gate.kind !== 'on-list' && gate.kind !== 'off-list')) return [];
    return filesOn(file, base.platform).paths.flatMap((template): Finding[] => {
      const path = resolvePath(template, base);
      if (path.problem?.severity === 'error') return [];
      const document = documentAt(path, file.format, base);
      const reading = readGate(gate, document, { server }, base.root, base.platform);
      if (reading.state !== 'set') return [];
      return [
        left(
          `${path.display}#${toPointer(reading.path)}`,
          `${spec.title} still has ${showText(server)} here (${gate.text}); that is its own record, so it stays`,
          `Take ${showText(server)} out of the list if you want it gone`,
        ),
      ];
    });
  });
}

/** Whether a login was made cannot be seen; where the client can make one, it is named. */
function login(spec: RuntimeSpec, servers: readonly string[]): Finding[] {
  if (spec.oauth?.supported !== true || spec.oauth.login === undefined) return [];
  return [
    left(
      spec.id,
      `a login to ${servers.map(showText).join(', ')} that was made in ${spec.title} (${spec.oauth.login}) stays in ${spec.oauth.storage ?? 'its own store'}`,
      `Log out in ${spec.title} if you made one`,
    ),
  ];
}

function created(spec: RuntimeSpec, base: PathBase): Finding[] {
  const there = (spec.creates ?? [])
    .map((template) => resolvePath(template, base))
    .filter(({ abs }) => isThere(base.reader, abs))
    .map(({ display }) => display);
  const [first] = there;
  if (first === undefined) return [];
  return [
    left(
      first,
      `${spec.title} made ${there.map(showText).join(', ')} itself, so they stay`,
      `Delete them if ${spec.title} is not used here`,
    ),
  ];
}
