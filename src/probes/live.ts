import { setupLine } from '../commands/shared/setup-line.ts';
import { isLoopback } from '../endpoint/address.ts';
import { type BootstrapVerdict, grantsAutoPropose } from '../endpoint/live-checks.ts';
import type { LiveReport } from '../endpoint/session.ts';
import type { Finding, Remedy } from '../errors/error.ts';
import { expandEndpoints, expandIntegration, expandLogin } from '../integrations/expand.ts';
import { getIn, type Json, leavesOf } from '../lib/json.ts';
import { partsOf } from '../runtimes/references.ts';
import { openGit } from '../system/git.ts';
import { type Facts, isInspection } from './facts.ts';
import { documentOf, oursOf, serverOf } from './ours.ts';
import { found, type Probe, type Result, skipped } from './probe.ts';

interface Session {
  readonly url: string;
  readonly part: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Why it cannot be asked. */
  readonly missing?: string;
  readonly isVera: boolean;
  readonly saveMode: string | undefined;
  readonly toolProfile: string;
  /** No writes are wanted. */
  readonly readOnly: boolean;
  readonly project: string | undefined;
  readonly runtimes: readonly string[];
  /** The command line that sets it up, for a choice to be added. */
  readonly setup: string;
}

/**
 * `--live`: an authenticated session with each server that this host set up and nobody edited since: initialize,
 * tools/list and knowledge_bootstrap, nothing that writes (contract, section 8). The credential is the one that the
 * client would send. Without the flag there is no such check.
 */
export const liveProbe: Probe = {
  id: 'endpoint/live',
  title: 'Live session',
  async run(facts) {
    if (!facts.options.live) return [];
    if (facts.options.offline) return [skipped('not asked: --offline')];
    const sessions = sessionsOf(facts);
    if (sessions.length === 0) return [skipped('no server that this host set up, unchanged since, is there')];
    const repository = await identityOf(facts);
    const results: Result[] = [];
    for (const session of sessions) results.push(await ask(session, facts, repository));
    return results;
  },
};

async function ask(session: Session, facts: Facts, repository: string | undefined): Promise<Result> {
  const { url, part, headers, missing, isVera, project } = session;
  if (missing !== undefined) return skipped(missing, part);
  const { liveCheck } = await import('../endpoint/session.ts');
  const report = await liveCheck(url, {
    headers,
    timeoutMs: facts.options.timeoutMs,
    env: facts.base.env,
    contract: isVera ? 'vera' : 'any',
    anonymousRemote: isVera ? 'refuse' : 'accept',
    ...(project === undefined ? {} : { project }),
    ...(repository === undefined ? {} : { repository }),
  });
  const findings = report.problems.map(
    ({ code, severity, message, action }): Finding => ({
      code,
      severity,
      subject: report.url,
      message,
      ...(action === undefined ? {} : { remedy: { text: action } }),
      data: { requests: report.requests },
    }),
  );
  const known = isVera ? contractFindings(report, session, facts) : [];
  return found([...findings, ...known], `${report.message} (${requests(report)}, ${report.ms} ms)`, part);
}

const requests = ({ requests: count }: LiveReport): string =>
  `${count} ${count === 1 ? 'request' : 'requests'}`;

/** What the answers mean for this set-up: mapping, save mode, visible tools, consent (V54, guide "Memory-save Contract"). */
function contractFindings(report: LiveReport, session: Session, facts: Facts): Finding[] {
  const findings: Finding[] = [];
  const subject = report.url;
  const data = { requests: report.requests };
  const { bootstrap } = report;
  findings.push(...profileFindings(report, session));
  if (bootstrap === undefined) return findings;
  if (bootstrap.authProfile === 'local-dev' && !isLocal(session.url)) {
    findings.push({
      code: 'endpoint/unauthenticated-remote',
      severity: 'error',
      subject,
      message:
        'the server says that it runs without logins (local-dev), which only a server on this machine may',
      remedy: { text: 'Do not use it; have its owner switch on authentication' },
      data,
    });
  }
  const remedy = remedyFor(bootstrap.repository, session.setup);
  const projects = bootstrap.projects.length === 0 ? '' : `; readable: ${bootstrap.projects.join(', ')}`;
  findings.push({
    code: 'endpoint/mapping',
    severity: 'info',
    subject,
    message: `repository ${bootstrap.repository ?? 'not reported'}${bootstrap.project === undefined ? '' : ` (${bootstrap.project})`}${projects}; ${callerOf(bootstrap)} may ${bootstrap.classes.join(', ') || 'nothing'}; save modes ${bootstrap.saveModes.join(', ') || 'not reported'}; ${requests(report)}`,
    ...(remedy === undefined ? {} : { remedy }),
    data: { ...data, repository: bootstrap.repository ?? null, projects: [...bootstrap.projects] },
  });
  const { saveMode } = session;
  if (saveMode === 'auto-propose' && !session.readOnly && !grantsAutoPropose(bootstrap)) {
    findings.push({
      code: 'endpoint/save-mode',
      severity: 'error',
      subject,
      message: 'saving is set to auto-propose, which the server does not grant to this caller',
      remedy: { text: 'Go back to asking', command: `${session.setup} --set SAVE_MODE=suggest` },
      data,
    });
  }
  const writes = bootstrap.classes.filter((one) => one !== 'READ');
  const loose = facts.examined.filter(
    ({ spec }) => session.runtimes.includes(spec.id) && (spec.permissions?.bypasses ?? []).length > 0,
  );
  if (writes.length > 0 && session.readOnly) {
    findings.push({
      code: 'consent/wide-credential',
      severity: 'warning',
      subject,
      message: `nothing is written here, and the credential may still ${writes.join(', ')}`,
      remedy: { text: 'Use a credential with memory:read only' },
      data: { ...data, runtimes: loose.map(({ spec }) => spec.id) },
    });
  }
  return findings;
}

const callerOf = ({ principal, authProfile }: BootstrapVerdict): string =>
  `${principal === undefined ? 'the caller' : `a principal of the kind ${principal}`} (${authProfile ?? 'profile not reported'})`;

const isLocal = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

/**
 * Whether the server shows the tools that this set-up expects (guide, "Tool Visibility Profiles"): old names without a
 * recorded choice of them, another profile than the chosen one, and a list that is not what bootstrap says.
 */
function profileFindings(
  { url, tools, bootstrap, requests: count }: LiveReport,
  { toolProfile: wanted, setup }: Session,
): Finding[] {
  if (tools === undefined) return [];
  const warn = (code: Finding['code'], message: string, text: string, command?: string): Finding => ({
    code,
    severity: 'warning',
    subject: url,
    message,
    remedy: { text, ...(command === undefined ? {} : { command }) },
    data: { requests: count },
  });
  const findings: Finding[] = [];
  const isLegacy = tools.legacy.length > 0 && wanted !== 'compatibility';
  if (isLegacy) {
    findings.push(
      warn(
        'endpoint/legacy-tools',
        `the server shows ${tools.legacy.length} of the memory_* names, which this set-up does not use`,
        `Set VERA_MCP__TOOL_PROFILE=${wanted} on the server, or record the choice`,
        `${setup} --set TOOL_PROFILE=compatibility`,
      ),
    );
  }
  const said = bootstrap?.toolProfile;
  const shown = tools.profile ?? said;
  if (said !== undefined && tools.profile !== undefined && said !== tools.profile) {
    findings.push(
      warn(
        'endpoint/tool-profile',
        `the server says that it shows the tools of ${said}, and lists those of ${tools.profile}`,
        'Tell the owner of the server; the list is what counts',
      ),
    );
  } else if (shown !== undefined && shown !== wanted && !isLegacy) {
    findings.push(
      warn(
        'endpoint/tool-profile',
        `the server shows the tools of ${shown}, and this set-up expects those of ${wanted}`,
        `Set VERA_MCP__TOOL_PROFILE=${wanted} on the server, or record the choice`,
        `${setup} --set TOOL_PROFILE=${PROFILES.includes(shown) ? shown : 'advanced'}`,
      ),
    );
  }
  return findings;
}

const PROFILES: readonly string[] = ['coding', 'advanced', 'compatibility'];

/** What to do about each state of the repository; a selected one needs nothing. */
function remedyFor(state: string | undefined, setup: string): Remedy | undefined {
  switch (state) {
    case 'selection_required':
      return { text: 'Choose one of the projects and name it', command: `${setup} --set PROJECT=<id>` };
    case 'unmapped':
      return { text: "Ask the server's owner to map this repository, or work without a project" };
    case 'unsupported_repository':
      return { text: 'Give the checkout a network remote of git, http, https or ssh' };
    case 'personal_only':
      return {
        text: 'Only the personal scope is there: retrieve and propose in it, no shared project is read',
      };
    default:
      return undefined;
  }
}

/** One session per server and credential, of entries that stand exactly as this host wrote them. */
function sessionsOf(facts: Facts): Session[] {
  const { inspection } = facts;
  if (!isInspection(inspection)) return [];
  const sessions = new Map<string, Session>();
  for (const { enrolment, loaded, inputs } of inspection.selections) {
    const urls = expandEndpoints(loaded, inputs).filter(({ kind }) => kind === 'mcp');
    const login = expandLogin(loaded, inputs);
    const value = (name: string) => inputs.find((input) => input.name === name)?.value;
    const { without, runtimes, overrides } = enrolment;
    for (const { artifact } of expandIntegration(loaded, inputs, { without, runtimes, overrides })) {
      if (artifact.kind !== 'mcp-server' || artifact.http === undefined) continue;
      const { http } = artifact;
      if (!urls.some(({ url }) => url === http.url)) continue;
      for (const one of oursOf(facts)) {
        const isThis =
          serverOf(one)?.name === artifact.server &&
          one.judgement.slot.wish?.owners.some(({ integration }) => integration === loaded.ref) === true;
        if (!isThis || !one.isUntouched) continue;
        const place = one.target.place;
        const document = documentOf(facts, one.target);
        const entry =
          place.kind === 'key' && document?.value !== undefined
            ? getIn(document.value, place.path)
            : undefined;
        const sent = headersOf(http.headers ?? {}, facts.base.env, entry);
        const key = JSON.stringify([http.url, sent.headers, sent.missing]);
        const known = sessions.get(key);
        sessions.set(key, {
          url: http.url,
          part: `${artifact.server} as ${[...(known?.runtimes ?? []), ...one.runtimes].join(', ')}`,
          ...sent,
          isVera: login !== undefined,
          saveMode: value('SAVE_MODE'),
          toolProfile: value('TOOL_PROFILE') ?? 'coding',
          readOnly: login?.readOnly === true,
          project: value('PROJECT'),
          runtimes: [...(known?.runtimes ?? []), ...one.runtimes],
          setup: setupLine(enrolment),
        });
      }
    }
  }
  return [...sessions.values()];
}

/** The headers as the client sends them: references from the environment, a literal from the entry. Secret. */
function headersOf(
  wanted: Readonly<Record<string, string>>,
  env: Facts['base']['env'],
  entry: Json | undefined,
): Pick<Session, 'headers' | 'missing'> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(wanted)) {
    let text = '';
    for (const part of partsOf(value)) {
      if ('text' in part) text += part.text;
      else if ((env[part.env] ?? '') === '')
        return { headers: {}, missing: `not asked: ${part.env} is not set here` };
      else text += env[part.env] ?? '';
    }
    if (/<[A-Z][A-Z0-9_]*>/.test(text)) {
      const literal = entry === undefined ? undefined : literalIn(entry);
      if (literal === undefined) return { headers: {}, missing: 'not asked: its entry holds no token' };
      text = literal;
    }
    headers[name] = text;
  }
  return { headers };
}

const literalIn = (entry: Json): string | undefined => {
  const leaf = [...leavesOf(entry)].find(
    ([, one]) => typeof one === 'string' && /^Bearer \S+$/.test(one),
  )?.[1];
  return typeof leaf === 'string' ? leaf : undefined;
};

/** The repository as it may be sent (V47, V48); undefined where git cannot say it. */
async function identityOf(facts: Facts): Promise<string | undefined> {
  const repository = await openGit(facts.repo, facts.system).repository();
  return repository.ok ? repository.value : undefined;
}
