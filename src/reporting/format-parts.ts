import type { ExitCode, Finding, Severity, TenonError } from '../errors/error.ts';
import { isObject } from '../lib/json.ts';
import { bySeverity } from './findings-view.ts';
import type { Outcome } from './types.ts';

/** What the reports for other programs are made from: a result, or the fault that took its place. */
export interface FormatRun {
  /** Undefined when the command line could not be read. */
  readonly command: string | undefined;
  readonly exit: ExitCode;
  readonly data: { readonly [key: string]: unknown };
  readonly findings: readonly Finding[];
  readonly version: string;
  /** Warnings count as failures. */
  readonly strict: boolean;
  /** The run did not come to a result. */
  readonly error?: TenonError;
  /** The root of the run, from the repository's top level; `.` for the top level and for many roots. */
  readonly folder?: string;
}

export const runOf = (outcome: Outcome, exit: ExitCode, version: string, strict: boolean): FormatRun => ({
  command: outcome.command,
  exit,
  data: outcome.data,
  findings: outcome.findings,
  version,
  strict,
});

/** A fault as a run whose first finding is the fault itself. */
export const runOfError = (
  error: TenonError,
  command: string | undefined,
  version: string,
  strict: boolean,
): FormatRun => ({
  command,
  exit: error.exit,
  data: error.data ?? {},
  findings: [faultFinding(error), ...error.findings],
  version,
  strict,
  error,
});

const faultFinding = (error: TenonError): Finding => ({
  code: error.code,
  severity: 'error',
  subject: '',
  message: error.message,
  ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
});

/** Where a finding stands in the repository: posix path, and line and column from 1 where they are known. */
export interface Location {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

const POSITION = /:(\d{1,9})(?::(\d{1,9}))?$/;

/**
 * The repository file of a finding, from the top level, where reviewers and code scanning look for it: `data.file`, else
 * the file part of its subject where that is an address or a path. Both are told from the root that the finding is about:
 * one of many (`data.root`, with which its subject begins), else the root of the run. Files of the home folder and absolute
 * paths have no place in a report about a repository: undefined.
 */
export function locationOf(finding: Finding, folder = '.'): Location | undefined {
  const root = finding.data?.['root'];
  const named = finding.data?.['file'] ?? finding.data?.['path'];
  const isNamed = typeof named === 'string' && named !== '';
  const subject = withoutRoot(finding.subject.split('#', 1)[0] ?? '', root);
  const tail = isNamed ? null : POSITION.exec(subject);
  const own = isNamed ? named : subject.slice(0, tail?.index);
  if (!isInRepository(own) || (!isNamed && !/[./]/.test(own))) return undefined;
  const file = inFolder(folderOf(finding, folder), own);
  const line = positive(finding.data?.['line']) ?? positive(tail?.[1]);
  const column = positive(finding.data?.['column']) ?? positive(tail?.[2]);
  if (line === undefined) return { file };
  return column === undefined ? { file, line } : { file, line, column };
}

/** The root of a finding, from the top level. */
export function folderOf({ data }: Finding, folder = '.'): string {
  const root = data?.['root'];
  return typeof root === 'string' ? root : folder;
}

export const inFolder = (folder: string, file: string): string =>
  folder === '.' ? file : `${folder}/${file}`;

/** What a finding is about, with a file of the repository named from the top level. */
export const subjectOf = (finding: Finding, folder = '.'): string =>
  finding.data?.['root'] === undefined && isFile(finding.subject)
    ? inFolder(folder, finding.subject)
    : finding.subject;

/** Whether a subject is an address or a path inside the repository. */
function isFile(subject: string): boolean {
  const [file = ''] = subject.split('#', 1);
  return /[./]/.test(file) && isInRepository(file);
}

function withoutRoot(subject: string, root: unknown): string {
  if (typeof root !== 'string' || root === '.') return subject;
  if (subject === root) return '.';
  return subject.startsWith(`${root}/`) ? subject.slice(root.length + 1) : subject;
}

const isInRepository = (file: string): boolean =>
  file !== '' &&
  file !== '.' &&
  !/^(?:[~/\\]|[A-Za-z]:[\\/])/.test(file) &&
  !file.includes('://') &&
  !file.split('/').includes('..');

function positive(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Reason and last day of a suppression in the manifest; undefined for a finding that counts. */
export function suppressionOf(finding: Finding): { reason: string; expires: string } | undefined {
  const value = finding.data?.['suppressed'];
  if (!isObject(value)) return undefined;
  return { reason: String(value['reason'] ?? ''), expires: String(value['expires'] ?? '') };
}

/** Message and remedy in one text. */
export const withRemedy = ({ message, remedy }: Finding): string =>
  remedy === undefined
    ? message
    : `${message}${/[.!?]$/.test(message) ? '' : '.'} Fix: ${remedy.text}${remedy.command === undefined ? '' : ` (${remedy.command})`}`;

/** The worst findings up to a bound, and how many are left out. */
export function bounded(
  findings: readonly Finding[],
  most: number,
): { shown: readonly Finding[]; rest: number } {
  const sorted = bySeverity(findings);
  return { shown: sorted.slice(0, most), rest: Math.max(0, sorted.length - most) };
}

export const moreText = (rest: number): string =>
  `${rest} more ${rest === 1 ? 'finding is' : 'findings are'} not shown here; --json lists all of them.`;

export type CheckStatus = 'pass' | 'warn' | 'fail' | 'skip';

export interface CheckRow {
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  readonly message: string;
}

/** The checks of doctor; other commands have none. */
export function checksOf({ data }: FormatRun): readonly CheckRow[] {
  const checks = data['checks'];
  if (!Array.isArray(checks)) return [];
  return checks.filter(isObject).map((check) => ({
    id: String(check['id'] ?? ''),
    title: String(check['title'] ?? check['id'] ?? ''),
    status: statusOf(check['status']),
    message: String(check['message'] ?? ''),
  }));
}

const statusOf = (value: unknown): CheckStatus =>
  value === 'pass' || value === 'warn' || value === 'fail' ? value : 'skip';

/** Whether a finding of this severity makes the run fail. */
export const fails = (severity: Severity, strict: boolean): boolean =>
  severity === 'error' || (strict && severity === 'warning');
