import { showText } from '../endpoint/display.ts';
import type { Finding } from '../errors/error.ts';
import type { ServiceCli } from '../integrations/harnesses.ts';
import { isObject } from '../lib/json.ts';
import { redactText } from '../lib/secrets.ts';
import type { Facts } from './facts.ts';
import { harnessesIn, isSetUpHere } from './harness.ts';
import { found, type Probe, type Result, skipped } from './probe.ts';

/** Milliseconds for the report; it asks a server several questions. */
const REPORT_MS = 30_000;
/** Rows of the report that are shown. */
const MAX_ROWS = 32;

/**
 * The command line of a service, and with `--clients` its own check of itself: its failures and warnings in its own words,
 * escaped and bounded. It gets no credential, and only an address that this host set up. Not with `--offline`, because it asks the server.
 */
export const serviceCliProbe: Probe = {
  id: 'harness/cli',
  title: 'Command line of the service',
  async run(facts) {
    const results: Result[] = [];
    for (const { ref, harnesses } of await harnessesIn(facts)) {
      if (harnesses.cli !== undefined) results.push(await look(ref, harnesses.cli, facts));
    }
    return results;
  },
};

async function look(ref: string, cli: ServiceCli, facts: Facts): Promise<Result> {
  const { clientEnvironment, findClient, neutralFolder, runClient } = await import('../clients/run.ts');
  const at = findClient(cli.program, facts.base.root, facts.system);
  if (at.state !== 'found') {
    const why = at.state === 'inside' ? 'is a file of this repository' : 'is not on PATH';
    return skipped(`${cli.program} ${why}`, ref);
  }
  const command = [cli.program, ...cli.report].join(' ');
  if (!facts.options.clients) return skipped(`${cli.program} is installed; --clients runs ${command}`, ref);
  if (facts.options.offline) return skipped(`${command} asks the server, so not with --offline`, ref);
  // It may send a login of its own to the address that it is given.
  if (!isSetUpHere(facts, ref))
    return skipped(`${command} was not run: this host did not set it up, or its entry was edited since`, ref);
  const output = await runClient({
    program: at.path,
    args: cli.report,
    cwd: neutralFolder(facts.system),
    env: clientEnvironment(
      { detect: { project: [], home: [], binaries: [] }, files: {} },
      facts.base.root,
      facts.system,
      { extra: cli.environment },
    ),
    timeoutMs: REPORT_MS,
  });
  const report = reportOf(output.stdout);
  if (report === undefined) {
    const why = output.problem ?? `code ${output.code ?? 'none'}`;
    const message = `${command} gives no report (${why})`;
    const remedy = { text: cli.remedy };
    return found([{ code: 'harness/cli', severity: 'warning', subject: ref, message, remedy }], '', ref);
  }
  const { ok, rows } = report;
  const bad = rows.filter(({ status }) => status === 'fail' || status === 'warn');
  const findings = bad.slice(0, MAX_ROWS).map(
    ({ id, status, text, advice }): Finding => ({
      code: 'harness/cli',
      // Its own verdict counts: what does not make it fail is a note here.
      severity: !ok && status === 'fail' ? 'warning' : 'info',
      subject: ref,
      message: `${cli.program} says of ${id}: ${status}, ${text}`,
      ...(advice === undefined ? {} : { remedy: { text: advice } }),
    }),
  );
  const more = bad.length > MAX_ROWS ? ` (${bad.length - MAX_ROWS} more are not shown)` : '';
  const good = rows.filter(({ status }) => status === 'pass').length;
  return found(findings, `${command}: ${ok ? 'ok' : 'not ok'}, ${good} of ${rows.length} pass${more}`, ref);
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly text: string;
  readonly advice: string | undefined;
}

/** The report in what was printed; undefined where there is none. */
function reportOf(stdout: string): { readonly ok: boolean; readonly rows: readonly Row[] } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value['ok'] !== 'boolean' || !Array.isArray(value['checks']))
    return undefined;
  return { ok: value['ok'], rows: value['checks'].filter(isObject).slice(0, 200).map(rowOf) };
}

function rowOf(row: Readonly<Record<string, unknown>>): Row {
  const shown = (one: unknown, max: number): string | undefined =>
    typeof one === 'string' && one.trim() !== '' ? showText(redactText(one), max) : undefined;
  return {
    id: shown(row['id'], 60) ?? 'a check',
    status: shown(row['status'], 20) ?? 'unknown',
    text: shown(row['message'], 300) ?? 'no message',
    advice: shown(row['remediation'], 300),
  };
}
