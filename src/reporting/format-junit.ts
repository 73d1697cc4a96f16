import type { Finding } from '../errors/error.ts';
import {
  bounded,
  checksOf,
  type FormatRun,
  fails,
  moreText,
  subjectOf,
  suppressionOf,
  withRemedy,
} from './format-parts.ts';
import { markup } from './markup.ts';

const MOST = 5000;

type Verdict = 'pass' | 'warn' | 'fail' | 'skip' | 'error';

interface Case {
  readonly name: string;
  readonly verdict: Verdict;
  readonly message: string;
}

/**
 * JUnit XML: one case per check of doctor and per finding that no check tells, else one per finding; a skipped check stays skipped, and a suppressed finding
 * is a skipped case with its reason. A run without a result is one case with an error. Never an empty suite: many
 * readers take that for a broken report.
 */
export function junit(run: FormatRun): string {
  const cases = casesOf(run);
  const suite = `tenon ${run.command ?? 'error'}`;
  const body = cases.map((one) => caseText(one, `tenon.${run.command ?? 'error'}`));
  const count = (verdict: Verdict) => cases.filter((one) => one.verdict === verdict).length;
  const counts = `tests="${cases.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${count('skip')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${markup(suite)}" ${counts}>`,
    ...body,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf(run: FormatRun): readonly Case[] {
  const { error, folder, strict } = run;
  if (error !== undefined) {
    const [fault, ...others] = run.findings.map((finding) => findingCase(finding, strict, folder));
    return fault === undefined ? [] : [{ ...fault, verdict: 'error' }, ...others];
  }
  const checks = checksOf(run).map(({ id, status, message }) => ({
    name: id,
    verdict: status === 'warn' && strict ? ('fail' as const) : status,
    message,
  }));
  const isSuppressed = (finding: Finding) => suppressionOf(finding) !== undefined;
  // What a check found is told by the check; nothing but these tells of what the run did not look at.
  const isOfRun = ({ code }: Finding) => code.startsWith('repo/');
  const listed =
    checks.length > 0 ? run.findings.filter((one) => isSuppressed(one) || isOfRun(one)) : run.findings;
  const { shown, rest } = bounded(listed, MOST);
  const cases: Case[] = [...checks, ...shown.map((finding) => findingCase(finding, strict, folder))];
  if (rest > 0) cases.push({ name: 'more findings', verdict: 'warn', message: moreText(rest) });
  if (cases.length > 0) return cases;
  return [
    { name: 'no findings', verdict: run.exit === 0 ? 'pass' : 'fail', message: `exit code ${run.exit}` },
  ];
}

function findingCase(finding: Finding, strict: boolean, folder: string | undefined): Case {
  const name = `${finding.code} ${subjectOf(finding, folder)}`.trim();
  const suppression = suppressionOf(finding);
  if (suppression !== undefined) {
    return {
      name,
      verdict: 'skip',
      message: `suppressed until ${suppression.expires}: ${suppression.reason}`,
    };
  }
  const verdict = fails(finding.severity, strict) ? 'fail' : finding.severity === 'warning' ? 'warn' : 'pass';
  return { name, verdict, message: withRemedy(finding) };
}

function caseText({ name, verdict, message }: Case, group: string): string {
  const open = `    <testcase classname="${markup(group)}" name="${markup(name)}"`;
  const inner = (text: string) => `${open}>\n      ${text}\n    </testcase>`;
  const attribute = `message="${markup(message)}"`;
  switch (verdict) {
    case 'fail':
      return inner(`<failure ${attribute}/>`);
    case 'error':
      return inner(`<error ${attribute}/>`);
    case 'skip':
      return inner(`<skipped ${attribute}/>`);
    case 'warn':
      return inner(`<system-out>${markup(message)}</system-out>`);
    case 'pass':
      return `${open}/>`;
  }
}
