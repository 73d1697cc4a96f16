import { endpointKey } from '../endpoint/url.ts';
import type { EndpointReport } from '../endpoint/validate.ts';
import type { Scope } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { expandEndpoints } from '../integrations/expand.ts';
import { hasReference } from '../runtimes/references.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { serversIn } from '../runtimes/servers.ts';
import type { Reader } from '../system/ports.ts';
import { sharedPart } from '../system/remembering-reader.ts';
import type { Document } from './documents.ts';
import { type Facts, isInspection, oncePer } from './facts.ts';
import { addressOf, documentOf, oursOf } from './ours.ts';
import { found, idle, type Probe, type Result, skipped } from './probe.ts';

interface Target {
  readonly kind: 'health' | 'mcp';
  readonly url: string;
  /** An entry that this host recorded, exactly as recorded, names it. */
  readonly isOwned: boolean;
  /** It holds a variable of the client, so what it means is not known here. */
  readonly refers?: true;
}

/**
 * Whether endpoints answer, without credentials (contract, section 8). Only those whose entry this host wrote and nobody
 * edited since: any other URL is one that a repository could have put there. `--online` asks all, `--offline` none.
 */
export const endpointsProbe: Probe = {
  id: 'endpoint/answers',
  title: 'Endpoint',
  async run(facts) {
    const targets = targetsOf(facts);
    if (targets.length === 0) return idle('no endpoint is set up');
    const { displayUrl } = await import('../endpoint/url.ts');
    const isAsked = ({ isOwned, refers }: Target) => refers !== true && (facts.options.online || isOwned);
    const asked = facts.options.offline ? [] : targets.filter(isAsked);
    const left = targets.filter((target) => !asked.includes(target));
    const why = ({ refers }: Target): string => {
      if (facts.options.offline) return 'not asked: --offline';
      return refers === true
        ? 'not asked: its URL holds a variable'
        : 'not asked: this host did not set it up; --online asks it';
    };
    const reports = asked.length === 0 ? [] : await ask(asked, facts);
    return [
      ...reports.map(resultOf),
      ...left.map((target) => skipped(why(target), `${target.kind} ${displayUrl(target.url)}`)),
    ];
  },
};

async function ask(targets: readonly Target[], facts: Facts): Promise<EndpointReport[]> {
  const { validateEndpoints } = await import('../endpoint/validate.ts');
  const known = answersOf(facts);
  const left = targets.filter((target) => !known.has(keyOf(target)));
  const reports = await validateEndpoints(
    left.map(({ kind, url }) => ({ kind, url })),
    { timeoutMs: facts.options.timeoutMs, env: facts.base.env, offline: false },
  );
  for (const [at, target] of left.entries()) {
    const report = reports[at];
    if (report !== undefined) known.set(keyOf(target), report);
  }
  return targets.flatMap((target) => known.get(keyOf(target)) ?? []);
}

const keyOf = ({ kind, url }: Target): string => `${kind} ${url}`;

/** What endpoints said in this run: one that many roots name is asked once, and waited for once. */
function answersOf({ base }: Facts): Map<string, EndpointReport> {
  const part = sharedPart(base.reader);
  const known = (part === undefined ? undefined : ofRun.get(part)) ?? new Map<string, EndpointReport>();
  if (part !== undefined) ofRun.set(part, known);
  return known;
}

const ofRun = new WeakMap<Reader, Map<string, EndpointReport>>();

function resultOf(report: EndpointReport): Result {
  const part = `${report.kind} ${report.url}`;
  if (report.status === 'skip') return skipped(report.message, part);
  const notes = report.notes.map(
    ({ code, message }): Finding => ({ code, severity: 'warning', subject: report.url, message }),
  );
  const own: Finding[] =
    report.status === 'pass'
      ? []
      : [
          {
            code: report.code ?? 'endpoint/unreachable',
            severity: report.status === 'fail' ? 'error' : 'warning',
            subject: report.url,
            message: report.message,
            remedy: { text: 'Start or mend the endpoint, or correct its URL' },
            ...(report.httpStatus === undefined ? {} : { data: { status: report.httpStatus } }),
          },
        ];
  return found([...own, ...notes], `${report.message} (${Math.round(report.ms)} ms)`, part);
}

/** MCP endpoints of our entries as they stand in the files, and what the definitions name beside them. */
function targetsOf(facts: Facts): Target[] {
  const byKey = new Map<string, Target>();
  const add = (target: Target): void => {
    const key = `${target.kind} ${endpointKey(target.url)}`;
    const before = byKey.get(key);
    // The place in the order stays that of the first.
    if (before === undefined || (target.isOwned && !before.isOwned)) byKey.set(key, target);
  };
  for (const one of oursOf(facts)) {
    const document = documentOf(facts, one.target);
    if (!one.isThere || document === undefined) continue;
    for (const { spec } of facts.examined) {
      if (!one.runtimes.includes(spec.id)) continue;
      const url = urlsIn(document, spec, one.scope, facts).get(one.address);
      if (url === undefined) continue;
      const refers = (spec.mcp?.expands ?? []).some((pattern) => new RegExp(pattern, 'u').test(url));
      add({ kind: 'mcp', url, isOwned: one.isUntouched, ...(refers ? { refers } : {}) });
    }
  }
  const { inspection } = facts;
  if (isInspection(inspection)) {
    for (const { loaded, inputs } of inspection.selections) {
      for (const { kind, url } of expandEndpoints(loaded, inputs)) {
        // What the entry of the client says about the same server counts; this names it when no entry does.
        add({ kind, url, isOwned: false, ...(hasReference(url) ? { refers: true as const } : {}) });
      }
    }
  }
  const targets = [...byKey.values()];
  const origins = new Set(targets.flatMap(({ isOwned, url }) => (isOwned ? (originOf(url) ?? []) : [])));
  return targets.map((target) => ({ ...target, isOwned: target.isOwned || isBeside(target, origins) }));
}

/** The URL of each server that a coding tool reads in a document, by address. */
function urlsIn(document: Document, spec: RuntimeSpec, scope: Scope, facts: Facts): Map<string, string> {
  const known = readingsOf(document, facts);
  const key = `${scope} ${spec.id}`;
  let urls = known.get(key);
  if (urls === undefined) {
    const { root, platform } = facts.base;
    urls = new Map();
    for (const { url, path } of serversIn(spec, scope, document.value, root, platform))
      if (url !== undefined) urls.set(addressOf(document, path), url);
    known.set(key, urls);
  }
  return urls;
}

const readingsOf = oncePer((_: Document) => new Map<string, Map<string, string>>());

/** The health report of a server whose MCP endpoint this host set up: the same scheme, host and port. */
const isBeside = ({ kind, url }: Target, owned: ReadonlySet<string>): boolean =>
  kind === 'health' && owned.has(originOf(url) ?? '');

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);
