// Prints the job summary of the action as Markdown, in the folder that was checked: node scripts/ci-summary.mjs doctor.json
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MOST = 50;
const MARK = { error: '❌', warning: '⚠️', info: 'ℹ️' };
const [file = ''] = process.argv.slice(2);
const gates = `Exit codes: \`tenon doctor\` ${code('DOCTOR')}, \`tenon sync --check\` ${code('SYNC')}.`;

let document;
try {
  document = JSON.parse(readFileSync(file, 'utf8'));
} catch {
  console.log(`## tenon\n\nThere is no report. ${gates}`);
  process.exit(0);
}
const { data = {}, findings = [], error = null } = document;
const { pass = 0, warn = 0, fail = 0, skip = 0 } = data.summary ?? {};
const lines = [
  '## tenon',
  '',
  error === null
    ? `${pass} passed, ${warn} warned, ${fail} failed, ${skip} not checked. ${gates}`
    : `The check did not come to a result: ${text(error.message)}. ${gates}`,
];
const shown = findings.slice(0, MOST);
const prefix = shown.length > 0 ? prefixHere() : '';
if (shown.length > 0) {
  lines.push('', '| | code | where | what | fix |', '| --- | --- | --- | --- | --- |');
  for (const { severity, code: name, subject, message, remedy } of shown) {
    lines.push(
      `| ${MARK[severity] ?? ''} ${severity} | ${text(name)} | ${text(where(subject))} | ${text(message)} | ${text(remedy?.text ?? '')} |`,
    );
  }
}
if (findings.length > MOST) lines.push('', `${findings.length - MOST} more findings are in the reports.`);
console.log(lines.join('\n'));

function code(name) {
  return process.env[`TENON_${name}_EXIT`] ?? '?';
}

/** The way from the top level of the repository to this folder, with a slash at its end; empty at the top level. */
function prefixHere() {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', '--show-prefix'], options).replace(/\n$/, '');
  } catch {
    return '';
  }
}

/** Files are named from the top level, as annotations and SARIF name them; what is no file of the repository stays as it is. */
function where(subject) {
  const [file] = String(subject).split('#', 1);
  if (file === '.') return prefix.replace(/\/$/, '') || '.';
  return /[./]/.test(file) && !/^[~/\\]|^[A-Za-z]:[\\/]|:\/\//.test(file) ? `${prefix}${subject}` : subject;
}

/** Foreign text for a table cell: every character that Markdown or HTML acts on becomes an entity. */
function text(value) {
  return String(value)
    .slice(0, 400)
    .replace(/[^\p{L}\p{N} .,;/_-]/gu, (char) => `&#${char.codePointAt(0)};`);
}
