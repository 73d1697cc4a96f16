// Writes docs/runtimes/<id>.md for the tier 1 coding tools from their specs, after the adapter section template of the
// VERA contract. With --check nothing is written: it exits 1 when a page is not what the spec says.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.mjs';

const check = process.argv.includes('--check');
const folder = join(ROOT, 'docs', 'runtimes');
const stale = [];
for (const file of readdirSync(join(ROOT, 'specs')).filter((name) => name.endsWith('.json'))) {
  const spec = JSON.parse(readFileSync(join(ROOT, 'specs', file), 'utf8'));
  if (spec.support !== 'tier1') continue;
  const page = join(folder, `${spec.id}.md`);
  const text = render(spec);
  if (existsSync(page) && readFileSync(page, 'utf8') === text) continue;
  if (check) stale.push(page);
  else {
    mkdirSync(folder, { recursive: true });
    writeFileSync(page, text);
  }
}
if (stale.length > 0) {
  console.error(`${stale.length} pages are stale: node scripts/runtime-pages.mjs writes them`);
  process.exitCode = 1;
}

function render(spec) {
  const lines = [
    ['Surfaces', surfaces(spec)],
    ['Scopes', scopes(spec)],
    ['MCP config', mcp(spec)],
    ['Secrets', secrets(spec)],
    ['OAuth', oauth(spec)],
    ['Instructions and skills', discovery(spec)],
    ['Hooks', hooks(spec)],
    ['Plugin packaging', packaging(spec)],
    ['Permissions and trust', permissions(spec)],
    ['Lifecycle', lifecycle(spec)],
    ['Known limitations', list(spec.limits)],
  ].map(([name, text]) => (text.startsWith('\n') ? `- ${name}:${text}` : `- ${name}: ${text}`));
  return `<!-- Generated from specs/${spec.id}.json by scripts/runtime-pages.mjs. -->
# ${spec.title} (Tier 1)

${lines.join('\n')}

## What this stands on

| what | how it is known | version | checked |
| --- | --- | --- | --- |
${spec.evidence.map(({ claim, mark, version = '–', checked }) => `| ${claim} | ${mark} | ${version} | ${checked} |`).join('\n')}
`;
}

function surfaces({ version }) {
  const tested =
    version === undefined
      ? 'no version named'
      : `minimum version ${version.minimum}, tested with ${version.tested.join(', ')}`;
  return `local; ${tested}; cloud surfaces are not covered`;
}

function scopes(spec) {
  const known = ['project', 'local', 'user'].filter((scope) =>
    (spec.mcp?.places ?? []).some((place) => place.scope === scope),
  );
  const managed = Object.values(spec.files)
    .filter(({ scope }) => scope === 'managed')
    .flatMap(({ paths }) => paths);
  const parts = [known.join(', ')];
  parts.push(
    managed.length === 0
      ? 'no file of an administrator is known'
      : `managed by an administrator in ${code(managed)} (read, never written)`,
  );
  if (spec.mcp?.precedence)
    parts.push(`of one name in several scopes the first of ${spec.mcp.precedence.join(', ')} counts`);
  if (spec.scopesNote) parts.push(spec.scopesNote);
  return parts.join('; ');
}

function mcp(spec) {
  const rows = spec.mcp.places.map(({ scope, file, at }) => {
    const { paths, format, reads, onInvalid } = spec.files[file];
    const how =
      format === 'json'
        ? `JSON, ${{ strict: 'no comments', comments: 'comments, no trailing comma', jsonc: 'comments and trailing commas' }[reads]}`
        : format.toUpperCase();
    return `${scope}: ${code(paths)} at \`${at.join(' → ')}\` (${how}; a file that cannot be read: ${onInvalid.replaceAll('-', ' ')})`;
  });
  const entries = ['http', 'stdio']
    .filter((kind) => spec.mcp[kind])
    .map((kind) => `${kind} entry \`${JSON.stringify(spec.mcp[kind])}\``);
  return list([...rows, ...entries]);
}

function secrets({ mcp }) {
  const unset = {
    'sends-literal': 'sends the text of the reference itself',
    'sends-empty': 'sends an empty value',
    fails: 'does not start the server',
    unknown: 'is not known',
  }[mcp.unset];
  const reference =
    mcp.reference === undefined
      ? undefined
      : `\`${mcp.reference.prefix}NAME${mcp.reference.suffix}\` inside a value`;
  const members = ['bearer_token_env_var', 'env_http_headers']
    .filter((name) => mcp.http && name in mcp.http)
    .map((name) => `the member \`${name}\``);
  return `${[reference, ...members].filter(Boolean).join(', ') || 'no reference to a variable is possible'}; an unset variable: ${unset}`;
}

function oauth({ oauth: known }) {
  if (known?.supported !== true) return 'not supported';
  return `supported; log in with \`${known.login ?? 'its own dialog'}\`; the token stays in ${known.storage ?? 'a store that was not looked into'}`;
}

function discovery(spec) {
  const skills = (spec.skills?.places ?? []).map(({ scope, path }) => `skills (${scope}): \`${path}\``);
  const files = (spec.instructions?.files ?? []).map(
    ({ scope, path }) => `instructions (${scope}): \`${path}\``,
  );
  return list([...skills, ...files]);
}

function hooks(spec) {
  const { hooks: known } = spec;
  if (known === undefined) return 'none';
  const events = Object.entries(known.events).map(
    ([neutral, { name, matcher }]) =>
      `${neutral} is \`${name}\`${matcher === undefined ? '' : ` (matcher \`${matcher}\`)`}`,
  );
  const places = known.places.map(
    ({ scope, folder: where, file }) =>
      `${scope}: ${known.form === 'plugin' ? 'plugins' : 'scripts'} in \`${where}\`${file === undefined ? '' : `, registered in ${code(spec.files[file].paths)}`}`,
  );
  return list([
    `local, form: ${known.form}`,
    ...events,
    ...places,
    known.timeoutUnit === undefined
      ? 'no time limit of the tool'
      : `time limit in ${{ s: 'seconds', ms: 'milliseconds' }[known.timeoutUnit]}, VERA's hooks: 5 s, git calls at most 1 s each`,
    known.canAsk
      ? 'a hook before a tool can make it ask'
      : 'a hook before a tool cannot make it ask, so none is installed',
    "VERA's hooks fail open: a missing script or interpreter ends with 0 and no output",
    ...(known.trust === undefined ? [] : [known.trust]),
    'cloud: not covered',
  ]);
}

function packaging({ hooks: known }) {
  return known?.form === 'plugin' ? 'a plugin file in the folder above; packages are not used' : 'not used';
}

function permissions(spec) {
  const { permissions: known } = spec;
  const rules = ['ask', 'deny', 'allow'].map((decision) => {
    const place = known?.[decision]?.[0];
    return place === undefined
      ? `${decision}: no rule of the tool`
      : `${decision}: per ${place.granularity}, in ${code(spec.files[place.file].paths)} at \`${place.at.join(' → ')}\``;
  });
  return list([
    ...rules,
    ...(known?.lastMatchWins ? ['the last rule that matches wins, so ours stand behind broader ones'] : []),
    ...(known?.bypasses ?? []).map((text) => `around a rule: ${text}`),
    ...(spec.approval === undefined ? [] : [`approval of servers and folders: ${spec.approval}`]),
  ]);
}

function lifecycle(spec) {
  const off =
    spec.mcp.off === undefined
      ? 'in the tool itself'
      : `\`${spec.mcp.off.pointer.slice(1)} = ${spec.mcp.off.off}\` in the entry, which tenon takes as yours`;
  return list([
    `after a change: ${spec.reload.text}`,
    'update: `tenon sync`; in CI `tenon sync --check`',
    `disable: ${off}`,
    'doctor: `tenon doctor`, with a session of its own `tenon doctor --live`',
    'uninstall: `tenon uninstall vera`; files are byte for byte what they were',
  ]);
}

function code(paths) {
  return paths.map((path) => `\`${path}\``).join(', ');
}

function list(items) {
  return items.length === 0 ? 'none known' : `\n${items.map((item) => `  - ${item}`).join('\n')}`;
}
