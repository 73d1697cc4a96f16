import type { Context } from '../../cli/context.ts';
import { placeholderOf } from '../../engine/credential.ts';
import type { Desired } from '../../engine/types.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { expandLogin } from '../../integrations/expand.ts';
import { canonicalJson } from '../../lib/json.ts';
import { displayPath, isOutside, pathsOf } from '../../system/paths.ts';
import type { Selection } from './selection.ts';
import { setupLine } from './setup-line.ts';
import type { Workspace } from './workspace.ts';

/**
 * Marks what holds a literal credential: a private file, and the line of `info/exclude` that keeps git from it, which is
 * written first (V22, contract 8). A checkout without that file gets no entry.
 */
export function withCredentials(
  context: Context,
  workspace: Workspace,
  selection: Selection,
  desired: readonly Desired[],
): Desired[] {
  const login = expandLogin(selection.loaded, selection.inputs);
  if (login?.way !== 'literal') return [...desired];
  const { placeholder } = login.spec;
  const paths = new Map<string, Desired>();
  const marked = desired.map((one): Desired => {
    if (!canonicalJson(one.value).includes(placeholderOf(placeholder))) return one;
    const secret = { ...one, credential: placeholder, rules: { ...one.rules, private: true } };
    if (!isOutside(one.target.path)) paths.set(one.target.path, secret);
    return secret;
  });
  return [...marked, ...[...paths].map(([path, one]) => excludeLine(context, workspace, path, one))];
}

function excludeLine(context: Context, { facts }: Workspace, path: string, one: Desired): Desired {
  const { host } = context.system;
  if (facts.excludeFile === undefined) {
    throw new TenonError(
      'credential/unverifiable',
      'this checkout has no info/exclude of its own to keep git from the token',
      {
        exit: 4,
        remedy: { text: 'Use the environment variable instead' },
      },
    );
  }
  const paths = pathsOf(host.platform);
  const below = paths.relative(facts.top, paths.join(facts.root, path)).replaceAll('\\', '/');
  const line = `/${below}`;
  const file = displayPath(facts.excludeFile, { root: facts.root, home: host.home, platform: host.platform });
  return {
    owner: { ...one.owner, artifact: `${one.owner.artifact}-exclude` },
    runtimes: [],
    scope: one.scope,
    target: { path: file, format: 'lines', place: { kind: 'line', line } },
    value: line,
    class: 'instructs',
    rules: { reads: 'jsonc', bom: 'ok' },
    switches: [],
    summary: `keeps git from ${below}, which will hold a credential`,
    order: 'early',
    trust: one.trust,
    ...(one.credential === undefined ? {} : { credential: one.credential }),
  };
}

/**
 * Without the files that wait for a credential and were never written on this host: only `setup` asks a person for one.
 */
export function heldCredentials(
  { ledgers, enrolments }: Workspace,
  desired: readonly Desired[],
): { readonly desired: Desired[]; readonly findings: Finding[] } {
  const records = [...ledgers.root.records, ...ledgers.user.records];
  const isHeld = ({ target }: Desired): boolean =>
    records.some(
      ({ path, place }) => path === target.path && JSON.stringify(place) === JSON.stringify(target.place),
    );
  const lineFor = (integration: string): string =>
    setupLine(enrolments.find((one) => one.integration === integration) ?? { integration, scope: 'project' });
  const waits = desired.filter((one) => one.credential !== undefined && !isHeld(one));
  const files = new Set(waits.map(({ target }) => target.path));
  // git never sees such a file, so nothing else of it can be expected of another checkout.
  const left = desired.filter(({ target }) => files.has(target.path));
  return {
    desired: desired.filter((one) => !left.includes(one)),
    findings: waits
      .filter(({ target }) => target.place.kind === 'key')
      .map(({ target, owner }) => ({
        code: 'credential/not-here',
        severity: 'info',
        subject: target.path,
        message: `the server of ${owner.integration} waits for a credential that nobody entered in this checkout`,
        remedy: { text: 'Enter it at a terminal', command: lineFor(owner.integration) },
      })),
  };
}
