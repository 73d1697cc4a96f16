import { isLoopback } from '../endpoint/address.ts';
import { showText } from '../endpoint/display.ts';
import type { Finding } from '../errors/error.ts';
import type { Harness, Harnesses } from '../integrations/harnesses.ts';
import { redactText } from '../lib/secrets.ts';
import { type Facts, isInspection } from './facts.ts';
import { harnessFinding } from './harness-finding.ts';
import { gatewayFindings } from './harness-gateway.ts';
import { oursOf, serverOf } from './ours.ts';
import { found, type Probe, type Result, skipped } from './probe.ts';

/** Milliseconds for one command of a program; the first start of some takes seconds. */
const COMMAND_MS = 15_000;

/**
 * Whether this machine could run the programs that a service starts for its tasks. Programs are found on PATH, variables
 * by name; nothing is started without `--clients`. A program's own word about its login is shown and decides nothing;
 * the variables that its profile names do. Without an integration that names such profiles there is no such check.
 */
export const harnessProbe: Probe = {
  id: 'harness/local',
  title: 'Harness',
  async run(facts) {
    const results: Result[] = [];
    for (const { ref, harnesses } of await harnessesIn(facts)) {
      const host = hostOf(harnesses.service);
      if (host === undefined || !isLoopback(host)) {
        const where = host === undefined ? 'an unknown machine' : showText(host, 100);
        results.push(
          skipped(`not looked at: the service is on ${where}, and starts its programs there`, ref),
        );
        continue;
      }
      for (const profile of harnesses.profiles) results.push(await look(profile, facts));
    }
    return results;
  },
};

/** The profiles of every set-up integration that has some. */
export async function harnessesIn(
  facts: Facts,
): Promise<{ readonly ref: string; readonly harnesses: Harnesses }[]> {
  const { inspection } = facts;
  if (!isInspection(inspection)) return [];
  const those = inspection.selections.filter(({ loaded }) => loaded.manifest.harnesses !== undefined);
  if (those.length === 0) return [];
  const { harnessesOf } = await import('../integrations/harnesses.ts');
  return those.flatMap(({ loaded, inputs }) => {
    const harnesses = harnessesOf(loaded, inputs);
    return harnesses === undefined ? [] : [{ ref: loaded.ref, harnesses }];
  });
}

/** Whether this host wrote the server's entry and nobody edited it since: any other address may be a repository's idea. */
export const isSetUpHere = (facts: Facts, ref: string): boolean =>
  oursOf(facts).some(
    (one) =>
      one.isUntouched &&
      serverOf(one) !== undefined &&
      one.judgement.slot.wish?.owners.some(({ integration }) => integration === ref) === true,
  );

const hostOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;

/** One profile, in the order of requirement K14: adapter, program, variables, version, what it says itself. */
async function look(profile: Harness, facts: Facts): Promise<Result> {
  const { id, title, provider, unsupported, program } = profile;
  if (unsupported !== undefined) return skipped(`${title} (${provider}) is unsupported: ${unsupported}`, id);
  const { findClient } = await import('../clients/run.ts');
  const at = program === undefined ? undefined : findClient(program, facts.base.root, facts.system);
  if (program !== undefined && at?.state !== 'found') {
    const why = at?.state === 'inside' ? 'is a file of this repository' : 'is not on PATH';
    if (!profile.enabled) return skipped(`not installed: ${program} ${why}`, id);
    return found([harnessFinding(profile, 'harness/not-installed', `${program} ${why}`)], '', id);
  }
  const findings = keyFindings(profile, facts);
  const said: string[] = [];
  if (profile.gateway !== undefined) {
    const gateway = await gatewayFindings(profile, profile.gateway, facts);
    findings.push(...gateway.findings);
    said.push(...gateway.said);
  }
  let isAsked = true;
  if (program !== undefined && at?.state === 'found') {
    isAsked = facts.options.clients;
    if (isAsked) {
      const asked = await ask(profile, program, at.path, facts);
      findings.push(...asked.findings);
      said.push(...asked.said);
    } else said.push('not started; --clients asks for its version and what it says itself');
  }
  const keys = setKeys(profile, facts);
  if (keys !== undefined) said.unshift(`${keys.join(' and ')} is set`);
  const message = [program === undefined ? title : `${program} is installed`, ...said].join('; ');
  const isDecided = findings.some(({ severity }) => severity !== 'info');
  return isAsked || isDecided || findings.length > 0 ? found(findings, message, id) : skipped(message, id);
}

/** The first set of variables that is complete; values are looked at only for being there. */
function setKeys({ keys = [] }: Harness, { base }: Facts): readonly string[] | undefined {
  return keys.find((names) => names.every((name) => (base.env[name] ?? '').trim() !== ''));
}

function keyFindings(profile: Harness, facts: Facts): Finding[] {
  if (profile.keys === undefined || setKeys(profile, facts) !== undefined) return [];
  const names = profile.keys.map((one) => one.join(' with ')).join(', ');
  const selectors = (profile.selectors ?? []).filter((name) => (facts.base.env[name] ?? '') !== '');
  const beside =
    selectors.length === 0 ? '' : `; ${selectors.join(', ')} chooses a provider and lets nobody in`;
  return [harnessFinding(profile, 'harness/keys-missing', `none of these is set here: ${names}${beside}`)];
}

/** Its version, which can decide, and its own words, which cannot. */
async function ask(
  profile: Harness,
  name: string,
  path: string,
  facts: Facts,
): Promise<{ findings: Finding[]; said: string[] }> {
  const { clientEnvironment, neutralFolder, runClient } = await import('../clients/run.ts');
  const nowhere = { detect: { project: [], home: [], binaries: [] }, files: {} };
  const names = profile.passes ?? [];
  const run = (args: readonly string[]) =>
    runClient({
      program: path,
      args,
      cwd: neutralFolder(facts.system),
      env: clientEnvironment(nowhere, facts.base.root, facts.system, { names }),
      timeoutMs: COMMAND_MS,
      maxBytes: 64 * 1024,
    });
  const findings: Finding[] = [];
  const said: string[] = [];
  const { version } = profile;
  if (version !== undefined) {
    const output = await run(version.args);
    const seen = new RegExp(version.pattern, 'mu').exec(output.stdout)?.[1];
    if (seen === undefined) {
      const why = output.problem ?? `code ${output.code ?? 'none'}`;
      findings.push(
        harnessFinding(
          profile,
          'harness/version',
          `${name} ${version.args.join(' ')} tells no version (${why})`,
        ),
      );
    } else if (version.exact !== undefined && seen !== version.exact) {
      const text = `exactly ${version.exact} is needed and ${showText(seen, 40)} is installed; evidence of another version does not count`;
      findings.push(harnessFinding(profile, 'harness/version', text));
    } else {
      const known = version.exact ?? version.tested;
      said.push(
        `version ${showText(seen, 40)}${known === undefined || known === seen ? '' : `, tested with ${known}`}`,
      );
    }
  }
  for (const { args, asks } of profile.diagnostics) {
    const { code, problem, stdout, stderr } = await run(args);
    const line = `${stdout}\n${stderr}`.split('\n').find((one) => one.trim() !== '') ?? '';
    const end = problem ?? `code ${code ?? 'none'}`;
    findings.push({
      code: 'harness/diagnostic',
      severity: 'info',
      subject: profile.id,
      message: `${[name, ...args].join(' ')} (${asks}) ends with ${end}: ${showText(redactText(line.trim()), 160) || 'no output'}; that decides nothing`,
    });
  }
  return { findings, said };
}
