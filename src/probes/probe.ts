import type { Finding, Remedy } from '../errors/error.ts';
import { toError } from '../errors/to-error.ts';
import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';
import type { Facts } from './facts.ts';
import { suppress } from './suppressions.ts';

export type CheckStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** One row of `data.checks` (contract, section 3; requirement C-01). Ids are permanent. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly remedy?: Remedy;
  /** Only with `skip`: there is nothing of the kind here, so nothing was left unchecked. */
  readonly idle?: true;
}

/** What a probe found: its status follows from its findings, so the two can never disagree. */
export interface Result {
  /** Behind the probe's id, where it makes several checks: a runtime, a URL. */
  readonly part?: string;
  readonly findings: readonly Finding[];
  /** What was looked at and found good; shown when there is nothing worse to say. */
  readonly message: string;
  /** The reason why nothing was checked; such a check is never counted as passed (C-03). */
  readonly skipped?: true;
  /** Skipped because there is nothing of the kind here. */
  readonly idle?: true;
}

export interface Probe {
  readonly id: string;
  readonly title: string;
  /** Ids of probes without whose success this one cannot say anything (C-04). */
  readonly needs?: readonly string[];
  /** Looks only at the facts; writes nothing, prompts nothing, starts nothing of the repository. */
  run(
    facts: Facts,
    /** What the probes before it found, suppressed findings as the notes that they became. */
    before: readonly Finding[],
  ): Result | readonly Result[] | Promise<Result | readonly Result[]>;
}

export interface Report {
  readonly checks: readonly Check[];
  readonly findings: readonly Finding[];
  readonly summary: Readonly<Record<CheckStatus, number>>;
}

export const found = (findings: readonly Finding[], message: string, part?: string): Result => ({
  findings,
  message,
  ...(part === undefined ? {} : { part }),
});

export const skipped = (reason: string, part?: string): Result => ({
  findings: [],
  message: reason,
  skipped: true,
  ...(part === undefined ? {} : { part }),
});

/** Nothing of the kind is here. Counted as skipped all the same: nothing was found good (C-03). */
export const idle = (reason: string, part?: string): Result => ({ ...skipped(reason, part), idle: true });

/**
 * Runs the probes in their order. One that crashes is a failed check of its own and stops no other; one whose need was
 * not met is skipped with the cause.
 */
export async function runProbes(probes: readonly Probe[], facts: Facts): Promise<Report> {
  const checks: Check[] = [];
  const findings: Finding[] = [];
  const broken = new Map<string, string>();
  for (const probe of probes) {
    const cause = (probe.needs ?? []).map((id) => broken.get(id)).find((one) => one !== undefined);
    const results = cause === undefined ? await attempt(probe, facts, [...findings]) : [skipped(cause)];
    for (const result of results) {
      const { suppressions } = facts;
      // The day is asked for where one is written down alone: every other answer holds on any day.
      const shown =
        suppressions.length === 0 ? result.findings : suppress(result.findings, suppressions, facts.today);
      findings.push(...shown);
      checks.push(checkOf(probe, result, shown));
      if (result.skipped === true && result.idle !== true && result.part === undefined) {
        broken.set(probe.id, `${probe.title}: ${result.message}`);
      }
      if (shown.some(({ code }) => code === 'internal/bug' || code === 'run/system-error')) {
        broken.set(probe.id, `the check "${probe.title}" itself failed`);
      }
    }
  }
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  return {
    checks,
    findings: once(findings),
    summary: { pass: count('pass'), warn: count('warn'), fail: count('fail'), skip: count('skip') },
  };
}

async function attempt(probe: Probe, facts: Facts, before: readonly Finding[]): Promise<readonly Result[]> {
  try {
    const result = await probe.run(facts, before);
    return Array.isArray(result) ? result : [result as Result];
  } catch (error) {
    const { code, message } = toError(error, false);
    const isSystem = code === 'run/system-error';
    const text = isSystem ? message : error instanceof Error ? error.message : String(error);
    const finding: Finding = {
      code: isSystem ? code : 'internal/bug',
      severity: 'error',
      subject: probe.id,
      message: `this check could not be made: ${printable(redactText(text)).slice(0, 300)}`,
      remedy: {
        text: isSystem
          ? 'Correct the cause; the other checks were made'
          : 'Please report it; the other checks were made',
      },
    };
    return [found([finding], '')];
  }
}

function checkOf(probe: Probe, result: Result, findings: readonly Finding[]): Check {
  const id = result.part === undefined ? probe.id : `${probe.id}:${result.part}`;
  const title = result.part === undefined ? probe.title : `${probe.title}: ${result.part}`;
  if (result.skipped === true) {
    const { message } = result;
    return { id, title, status: 'skip', message, ...(result.idle === true ? { idle: true as const } : {}) };
  }
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const worst = errors[0] ?? warnings[0];
  if (worst === undefined) return { id, title, status: 'pass', message: result.message };
  const more = errors.length + warnings.length - 1;
  return {
    id,
    title,
    status: errors.length > 0 ? 'fail' : 'warn',
    message: more === 0 ? worst.message : `${worst.message} (and ${more} more)`,
    ...(worst.remedy === undefined ? {} : { remedy: worst.remedy }),
  };
}

/** The same fact found by two probes is told once, at its place, with the worse severity of the two. */
function once(findings: readonly Finding[]): Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.code}\0${finding.subject}\0${finding.message}`;
    const known = seen.get(key);
    if (known === undefined || RANK[finding.severity] > RANK[known.severity]) seen.set(key, finding);
  }
  return [...seen.values()];
}

const RANK = { info: 0, warning: 1, error: 2 } as const;
