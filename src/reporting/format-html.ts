import type { Finding, Severity } from '../errors/error.ts';
import { isObject } from '../lib/json.ts';
import { matricesOf } from '../probes/matrix.ts';
import type { Overview } from '../probes/overview.ts';
import {
  bounded,
  type CheckRow,
  type CheckStatus,
  checksOf,
  type FormatRun,
  folderOf,
  inFolder,
  locationOf,
  moreText,
  suppressionOf,
} from './format-parts.ts';
import { STYLE } from './html-style.ts';
import { markup } from './markup.ts';

const MOST = 1000;
/** Nothing is loaded and nothing runs, even if a text should ever get past the escaping. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const MARK: Readonly<Record<CheckStatus, string>> = {
  pass: '✔ passed',
  warn: '▲ warning',
  fail: '✖ failed',
  skip: '○ not checked',
};
const SEVERITY: Readonly<Record<Severity, string>> = {
  error: '✖ error',
  warning: '▲ warning',
  info: '● note',
};
const STATE: Readonly<Record<string, string>> = {
  ok: 'Everything that was checked is as it should be.',
  attention: 'Something needs attention.',
  blocked: 'Something is blocked and cannot be brought up to date.',
  'not-set-up': 'Nothing is set up here.',
};

/** One self-contained page: no script, no outside resource, light and dark, from a phone to a wide screen. */
export function html(run: FormatRun): string {
  const checks = checksOf(run);
  const title = `tenon ${run.command ?? 'report'}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${markup(title)}</title>`,
    `<style>${STYLE}</style></head><body><main>`,
    `<h1>${markup(title)}</h1>`,
    headline(run),
    counts(checks),
    ...matrices(run.data['integrations']),
    ...findingsSection(run),
    checksSection(checks),
    `<p class="soft">tenon ${markup(run.version)}, exit code ${run.exit}. What was not checked is never counted as passed.</p>`,
    '</main></body></html>',
    '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function headline(run: FormatRun): string {
  if (run.error !== undefined) return '<p class="state fail">✖ This run did not come to a result.</p>';
  const state = run.data['state'];
  const text = typeof state === 'string' ? STATE[state] : undefined;
  if (text === undefined) return '';
  const tone = state === 'ok' ? 'pass' : state === 'not-set-up' ? 'skip' : 'fail';
  return `<p class="state ${tone}">${MARK[tone].charAt(0)} ${text}</p>`;
}

function counts(checks: readonly CheckRow[]): string {
  if (checks.length === 0) return '';
  const items = (['fail', 'warn', 'pass', 'skip'] as const).map((status) => {
    const count = checks.filter((check) => check.status === status).length;
    const word = status === 'warn' && count !== 1 ? `${MARK[status]}s` : MARK[status];
    return `<li><b>${count}</b> <span class="mark ${status}">${word}</span></li>`;
  });
  return `<ul class="counts">${items.join('')}</ul>`;
}

/** The tables at the head of doctor's text, from the same data; the integrations of other commands are lists. */
function matrices(value: unknown): string[] {
  if (!isObject(value)) return [];
  return matricesOf(value as unknown as Overview).map((matrix) => {
    const head = matrix.runtimes.map((id) => `<th scope="col">${markup(id)}</th>`).join('');
    const rows = matrix.rows.map((row) => {
      const cells = matrix.runtimes.map((id) => {
        const cell = row.cells[id];
        if (cell === undefined) return `<td class="soft" data-tool="${markup(id)}">–</td>`;
        const note = cell.note === undefined ? '' : ` ${markup(cell.note)}`;
        const word = cell.note === undefined ? MARK[cell.status] : MARK[cell.status].charAt(0);
        return `<td data-tool="${markup(id)}"><span class="mark ${cell.status}">${word}${note}</span></td>`;
      });
      return `<tr><th scope="row">${markup(row.part)}</th>${cells.join('')}</tr>`;
    });
    return `<h2>${markup(matrix.integration)}</h2><div class="scroll"><table class="matrix"><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
  });
}

function findingsSection({ findings, folder }: FormatRun): string[] {
  if (findings.length === 0) return ['<h2>Findings</h2><p>None.</p>'];
  const { shown, rest } = bounded(findings, MOST);
  const isNote = (finding: Finding) => finding.severity === 'info';
  const serious = shown.filter((finding) => !isNote(finding)).map((finding) => card(finding, folder));
  const notes = shown.filter(isNote).map((finding) => card(finding, folder));
  return [
    `<h2>Findings</h2>${serious.length === 0 ? '<p>No error and no warning.</p>' : serious.join('\n')}`,
    notes.length === 0
      ? ''
      : `<details${serious.length === 0 ? ' open' : ''}><summary>${notes.length} ${notes.length === 1 ? 'note' : 'notes'}</summary>${notes.join('\n')}</details>`,
    rest === 0 ? '' : `<p class="soft">${markup(moreText(rest))}</p>`,
  ];
}

function card(finding: Finding, folder: string | undefined): string {
  const at = locationOf(finding, folder);
  const line = at?.line === undefined ? '' : `:${at.line}${at.column === undefined ? '' : `:${at.column}`}`;
  const file = at === undefined ? '' : `${at.file}${line}`;
  // The address says which entry, the file where it stands.
  const isFile = [finding.subject, inFolder(folderOf(finding, folder), finding.subject)].includes(
    at?.file ?? '',
  );
  const subject = isFile ? '' : finding.subject;
  const place = [...new Set([file, subject])].filter((part) => part !== '');
  const suppressed = suppressionOf(finding) === undefined ? '' : ' <span class="mark info">suppressed</span>';
  const { remedy } = finding;
  const fix =
    remedy === undefined
      ? ''
      : `<div class="fix"><b>Fix:</b> ${markup(remedy.text)}${remedy.command === undefined ? '' : `<pre><code>${markup(remedy.command)}</code></pre>`}</div>`;
  return [
    `<div class="finding ${finding.severity}">`,
    `<p><span class="mark ${finding.severity}">${SEVERITY[finding.severity]}</span> <code>${markup(finding.code)}</code>${suppressed}</p>`,
    // Many messages go on from the address, as in the text report: it stands before them.
    place.length === 0
      ? ''
      : `<p class="where">${place.map((part) => `<code>${markup(part)}</code>`).join(' · ')}</p>`,
    `<p>${markup(finding.message)}</p>`,
    `${fix}</div>`,
  ].join('');
}

function checksSection(checks: readonly CheckRow[]): string {
  if (checks.length === 0) return '';
  const rows = checks.map(
    ({ title, status, message }) =>
      `<tr><th scope="row">${markup(title)}</th><td class="mark ${status}">${MARK[status]}</td><td>${markup(message)}</td></tr>`,
  );
  const head =
    '<thead><tr><th scope="col">check</th><th scope="col">result</th><th scope="col">detail</th></tr></thead>';
  return `<h2>Checks</h2><div class="scroll checks"><table>${head}<tbody>${rows.join('')}</tbody></table></div>`;
}
