import type { ProofReport, SessionReport, ShownTool } from '../clients/stdio-session.ts';
import type { Finding } from '../errors/error.ts';
import { partsOf } from '../runtimes/references.ts';
import { showLaunch, showText } from '../runtimes/show.ts';
import { isWithin, pathsOf } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import type { Facts } from './facts.ts';
import { isEntryOf, type NamedServer, namedServers } from './named-tools.ts';
import { isTrusted, type Ours, oursOf } from './ours.ts';
import { found, idle, type Probe, type Result, skipped } from './probe.ts';

/** A launch through a package runner takes seconds even from its cache. */
const TIMEOUT_MS = 30_000;
/** Entries that say what is set up: what stands there is what would be started. */
const AS_SET_UP = new Set(['managed', 'external', 'adoptable']);

/**
 * `--clients`: starts each stdio server of ours whose launch is trusted on this host, as its entry says it, and compares the
 * tools that it shows with those that its integration names. initialize, tools/list and the proof call of the integration,
 * nothing else.
 */
export const stdioServersProbe: Probe = {
  id: 'clients/servers',
  title: 'Servers that are started here',
  async run(facts) {
    const ours = oursOf(facts);
    const servers = namedServers(facts).filter(({ artifact }) => artifact.stdio !== undefined);
    const there = servers.flatMap((server) => {
      const entries = ours.filter((one) => one.isThere && isEntryOf(one, server));
      return entries.length === 0 ? [] : [{ server, entries }];
    });
    if (there.length === 0) return idle('no server of ours is a program');
    if (!facts.options.clients) return skipped('not asked; --clients starts them');
    const results: Result[] = [];
    for (const { server, entries } of there) results.push(await oneServer(server, entries, facts));
    return results;
  },
};

async function oneServer(server: NamedServer, entries: readonly Ours[], facts: Facts): Promise<Result> {
  const { artifact, integration } = server;
  const part = `${artifact.server} of ${integration.replace(/^add:/u, '')}`;
  const trusted = entries.filter(isTrusted);
  if (trusted.length === 0) return skipped('its launch is not trusted on this host; see tenon trust', part);
  const entry = trusted.find(({ judgement }) => AS_SET_UP.has(judgement.standing));
  if (entry === undefined) return skipped('its entry was changed, so it is not what was set up', part);
  const launch = launchOf(server, facts);
  if ('skip' in launch) return skipped(launch.skip, part);
  const finding = findingFor(server, entry);
  if ('missing' in launch) {
    return found(
      [finding('server/not-started', 'error', launch.missing, `Install ${launch.program}`)],
      '',
      part,
    );
  }
  const [{ stdioSession }, { serverEnvironment }] = await Promise.all([
    import('../clients/stdio-session.ts'),
    import('../clients/run.ts'),
  ]);
  const report = await stdioSession({
    program: launch.program,
    args: launch.args,
    cwd: facts.base.root,
    env: serverEnvironment(launch.env, facts.base.root, facts.system),
    timeoutMs: TIMEOUT_MS * facts.clients.scale,
    ...(artifact.proof === undefined ? {} : { proof: artifact.proof.tool }),
  });
  return judge(server, report, finding, part, launch.line);
}

type MakeFinding = (
  code: Finding['code'],
  severity: Finding['severity'],
  message: string,
  remedy: string,
  data?: Finding['data'],
) => Finding;

const findingFor =
  ({ artifact, integration }: NamedServer, entry: Ours): MakeFinding =>
  (code, severity, message, remedy, data = {}) => ({
    code,
    severity,
    subject: entry.address,
    message: `${artifact.server} ${message}`,
    remedy: { text: remedy },
    data: { server: artifact.server, integration, ...data },
  });

function judge(
  server: NamedServer,
  report: SessionReport,
  finding: MakeFinding,
  part: string,
  line: string,
): Result {
  if (report.state !== 'answered') {
    const code = report.state === 'not-started' ? 'server/not-started' : 'server/no-answer';
    const remedy = `Run it yourself and see what it says: ${line}. It was started without a network; a package that was never fetched is not there`;
    return found([finding(code, 'error', report.message, remedy)], '', part);
  }
  const findings = [
    ...toolFindings(server, report.tools, report.isCut, finding),
    ...proofFindings(server, report.proof, finding),
  ];
  const proof = report.proof?.state === 'answered' ? `, ${server.artifact.proof?.tool} answers` : '';
  const readOnly = report.tools.filter((tool) => tool.readOnly === true).length;
  return found(
    findings,
    `${report.server}: ${report.tools.length} tools, ${readOnly} read-only${proof} (${report.ms} ms)`,
    part,
  );
}

function toolFindings(
  { tools: named, artifact }: NamedServer,
  shown: readonly ShownTool[],
  isCut: boolean,
  finding: MakeFinding,
): Finding[] {
  const byName = new Map(shown.map((tool) => [tool.name, tool]));
  const missing = isCut ? [] : [...named.keys()].filter((name) => !byName.has(name));
  const wrong = [...named].filter(([name, { readOnly }]) => {
    const tool = byName.get(name);
    return tool !== undefined && readOnly !== undefined && (tool.readOnly === true) !== readOnly;
  });
  // Only a full list of the integration's says that a further tool is one that nobody looked at.
  const isFull = artifact.tools !== undefined;
  const further = isFull ? shown.filter(({ name, readOnly }) => !named.has(name) && readOnly !== true) : [];
  const list = (names: readonly string[]) =>
    `${names.slice(0, 20).map(showText).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}`;
  const data = (names: readonly string[]) => ({ tools: names.slice(0, 100).map(showText) });
  const findings: Finding[] = [];
  if (missing.length > 0) {
    findings.push(
      finding(
        'server/tool-missing',
        'error',
        `does not show ${list(missing)}, which its integration names`,
        'Use the release of the server that the integration was made for',
        data(missing),
      ),
    );
  }
  const writes = wrong.filter(([, { readOnly }]) => readOnly === false).map(([name]) => name);
  const reads = wrong.filter(([, { readOnly }]) => readOnly === true).map(([name]) => name);
  if (writes.length > 0) {
    findings.push(
      finding(
        'server/tool-hint',
        'warning',
        `says of ${list(writes)} that it only reads, where its integration says that it writes; some coding tools do not ask before such a call`,
        'Ask the author of the server',
        data(writes),
      ),
    );
  }
  if (reads.length > 0) {
    findings.push(
      finding(
        'server/tool-hint',
        'warning',
        `does not say of ${list(reads)} that it only reads, so some coding tools ask before each call`,
        'Ask the author of the server',
        data(reads),
      ),
    );
  }
  if (further.length > 0) {
    const names = further.map(({ name }) => name);
    findings.push(
      finding(
        'server/tool-unknown',
        'warning',
        `shows ${list(names)}, which may write and which its integration does not name, so no rule of it asks before`,
        'Use the release of the server that the integration was made for',
        data(names),
      ),
    );
  }
  return findings;
}

function proofFindings(
  { artifact }: NamedServer,
  report: ProofReport | undefined,
  finding: MakeFinding,
): Finding[] {
  const { proof } = artifact;
  if (proof === undefined || report === undefined) return [];
  const failed = (why: string, severity: Finding['severity']): Finding[] => [
    finding(
      'server/proof-failed',
      severity,
      `was not proved by ${proof.tool}: ${why}`,
      `Call ${proof.tool} in a coding tool and see what it says`,
    ),
  ];
  if (report.state !== 'answered')
    return failed(report.message, report.state === 'failed' ? 'error' : 'warning');
  const wrong = Object.entries(proof.result).filter(([name, type]) => report.shape[name] !== type);
  if (wrong.length === 0) return [];
  const words = wrong.map(([name, type]) => `${name} is ${report.shape[name] ?? 'missing'}, not ${type}`);
  return failed(`its answer has another shape (${words.join(', ')})`, 'error');
}

type Launch =
  | { readonly skip: string }
  | { readonly missing: string; readonly program: string }
  | {
      readonly program: AbsPath;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** As it may be shown. */
      readonly line: string;
    };

/** What the entry starts, with the variables of this process in the place of references. */
function launchOf({ artifact }: NamedServer, facts: Facts): Launch {
  const { stdio } = artifact;
  if (stdio === undefined) return { skip: 'it is no program' };
  const { env: own, root, platform } = facts.base;
  const words = [stdio.command, ...stdio.args];
  const unset = words.flatMap(partsOf).find((part) => 'env' in part && (own[part.env] ?? '') === '');
  if (unset !== undefined && 'env' in unset)
    return { skip: `${unset.env} is not set here, and its launch needs it` };
  const [command = '', ...args] = words.map((word) => filled(word, own) ?? '');
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(stdio.env ?? {})) {
    const text = filled(value, own);
    if (text !== undefined) env[name] = text;
  }
  const line = showLaunch(words);
  if (/[\\/]/u.test(command)) {
    const paths = pathsOf(platform);
    const program = paths.isAbsolute(command) ? command : paths.join(root, command);
    const isThere = facts.base.reader.stat(program)?.kind === 'file';
    return isThere
      ? { program, args, env, line }
      : { missing: `cannot be started: there is no ${showText(command)}`, program: showText(command) };
  }
  return onPath(command, facts, { args, env, line });
}

function onPath(
  command: string,
  facts: Facts,
  rest: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly line: string;
  },
): Launch {
  const program = facts.system.exec.which(command);
  if (program === undefined) {
    return { missing: `cannot be started: ${showText(command)} is not on PATH`, program: showText(command) };
  }
  const { root, platform, reader } = facts.base;
  const real = reader.realpath(program) ?? program;
  // Trust binds the launch, not what a folder of the repository on PATH holds.
  if ([program, real].some((path) => isWithin(root, path, platform))) {
    return { skip: `${showText(command)} on PATH is a file of this repository, so it is not started` };
  }
  return { program, ...rest };
}

/** A text with its references replaced; undefined where one has no value. */
function filled(text: string, env: Facts['base']['env']): string | undefined {
  let whole = '';
  for (const part of partsOf(text)) {
    if ('text' in part) whole += part.text;
    else if ((env[part.env] ?? '') === '') return undefined;
    else whole += env[part.env] ?? '';
  }
  return whole;
}
