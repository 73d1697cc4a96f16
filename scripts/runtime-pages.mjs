// Writes docs/runtimes/<id>.md for every coding tool from its spec, after the adapter section template of the VERA
// contract and with its matrix of capabilities, and docs/runtimes/README.md, the list of them. With --check nothing is
// written: it exits 1 when a page is not what the spec says, or is one of no spec. With --root FOLDER in another checkout.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModule } from './bundle-module.mjs';
import { ROOT } from './project.mjs';

const { capabilityMatrix } = await bundleModule('src/runtimes/capabilities.ts');
const check = process.argv.includes('--check');
const rootAt = process.argv.indexOf('--root');
const root = rootAt === -1 ? ROOT : process.argv[rootAt + 1];
const folder = join(root, 'docs', 'runtimes');
const TIERS = {
  tier1: 'Tier 1',
  tier2: 'Tier 2',
  tier3: 'Tier 3',
  none: 'Unsupported',
};
const specs = readdirSync(join(root, 'specs'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(root, 'specs', name), 'utf8')));
const wanted = new Map(specs.map((spec) => [`${spec.id}.md`, render(spec)]));
wanted.set('README.md', overview());
const stale = [];
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder).filter((one) => !wanted.has(one))) {
  if (check) stale.push(name);
  else rmSync(join(folder, name));
}
for (const [name, text] of wanted) {
  const page = join(folder, name);
  if (existsSync(page) && readFileSync(page, 'utf8') === text) continue;
  if (check) stale.push(name);
  else writeFileSync(page, text);
}
if (stale.length > 0) {
  console.error(`${stale.join(', ')}: not what the specs say; node scripts/runtime-pages.mjs writes them`);
  process.exitCode = 1;
}

function overview() {
  const ids = ['mcp-stdio', 'mcp-http', 'skills', 'hooks', 'permissions', 'instructions'];
  const word = { supported: 'yes', advisory: 'in part', unsupported: 'no', unknown: '?' };
  const rows = specs.map((spec) => {
    const states = capabilityMatrix(spec);
    const cells = ids.map((id) => word[states.find((row) => row.id === id).state]);
    return `| [${spec.title}](${spec.id}.md) | ${TIERS[spec.support]} | ${cells.join(' | ')} | ${spec.version?.tested.join(', ') ?? '–'} |`;
  });
  return `<!-- Generated from specs/ by scripts/runtime-pages.mjs. -->
# Coding tools

One page each, with the source of every statement. \`tenon runtimes <id>\` prints the same. *in part*: written, with a
warning that says why. *?*: nobody knows, so nothing is written. *no*: the page says why.

| coding tool | tier | ${ids.join(' | ')} | tested with |
| --- | --- | ${ids.map(() => '---').join(' | ')} | --- |
${rows.join('\n')}
`;
}

function matrix(spec) {
  const rows = capabilityMatrix(spec).map(({ id, state, reason = '', sources }) => {
    const known = sources.map(({ mark, version, checked }) =>
      [mark, version, checked].filter(Boolean).join(' '),
    );
    return `| ${id} | ${state} | ${cell(reason)} | ${[...new Set(known)].join('; ') || '–'} |`;
  });
  return `| capability | state | what it is like, or why not | source |
| --- | --- | --- | --- |
${rows.join('\n')}`;
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
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
# ${spec.title} (${TIERS[spec.support]})

${spec.support === 'none' ? `Nothing is written for it: ${spec.supportReason}.\n\n` : ''}${lines.join('\n')}

## Capabilities

${matrix(spec)}

## What this stands on

| what | how it is known | version | checked | where |
| --- | --- | --- | --- | --- |
${spec.evidence.map(({ claim, mark, version = '–', checked, source }) => `| ${cell(claim)} | ${mark} | ${version} | ${checked} | ${cell(source)} |`).join('\n')}
`;
}

function surfaces({ version, support }) {
  if (support === 'none') return 'documented only';
  const tested =
    version === undefined
      ? 'no version of it was tested'
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
  if (spec.support === 'none') return spec.scopesNote ?? 'none that tenon writes';
  const parts = [known.join(', ') || 'none for servers'];
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
  if (spec.mcp === undefined || spec.mcp.places.length === 0)
    return `none is written: ${spec.supportReason ?? spec.mcp?.support.reason ?? 'not looked at'}`;
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

function secrets({ mcp, capabilities }) {
  if (mcp === undefined || mcp.places.length === 0)
    return capabilities?.secrets?.reason ?? 'nothing is written that could hold one';
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
  const ways = [reference, ...members].filter(Boolean).join(', ');
  if (ways === '') return `no reference is written: ${capabilities?.secrets?.reason ?? 'no way is known'}`;
  return `${ways}; an unset variable: ${unset}`;
}

function oauth({ oauth: known }) {
  if (known === undefined) return 'see the table below';
  if (known.supported !== true) return 'not supported';
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
  if (known === undefined || known.places.length === 0)
    return `none is written: ${known?.support.reason ?? 'see the table below'}`;
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
  const none = ['unknown', 'unsupported'].includes(known?.support.state ?? 'unknown');
  const why = known?.support.reason ?? spec.capabilities?.permissions?.reason ?? 'see the table below';
  const rules = none
    ? [`no rule is written: ${why}`]
    : ['ask', 'deny', 'allow'].map((decision) => {
        const place = known?.[decision]?.[0];
        return place === undefined
          ? `${decision}: no such rule`
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
  if (spec.support === 'none') return list([`by hand: ${spec.reload.text}`]);
  const off =
    spec.mcp?.off === undefined
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
