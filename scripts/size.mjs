// Edits of large files with their proof, for npm run bench -- --size. Each measurement has a process of its own, so that
// its memory is its own: `node scripts/size.mjs KIND MEGABYTES` prints it as JSON. The memory is the peak of that process
// less what it had when it had read the file.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixed, median, table } from './measure.mjs';
import { ROOT } from './project.mjs';

const ROUNDS = 3;

const server = (at) =>
  `    "server-${at}": { "type": "local", "command": ["run-${at}", "--flag", "value-${at}"], "environment": { "A": "x${at}" } },`;

/** Entries as a generator would leave them, with a comment each but in strict JSON: none of them is ours. */
const ENTRIES = {
  jsonc: (at) => `${server(at)} // number ${at}\n`,
  json: (at) => `${server(at)}\n`,
  toml: (at) =>
    `[mcp_servers.server-${at}] # number ${at}\ncommand = "run-${at}"\nargs = ["--flag", "value-${at}"]\n\n[mcp_servers.server-${at}.env]\nA = "x${at}"\n\n`,
};
const LAST = '    "last": { "type": "local" }\n  },\n  "theme": "dark"\n}\n';
const AROUND = {
  jsonc: ['{\n  // the servers of the team\n  "mcp": {\n', LAST],
  json: ['{\n  "mcp": {\n', LAST],
  toml: ['# how we use it here\nmodel = "default"\n\n', ''],
};

/** A text of about so many bytes. */
export function sample(kind, bytes) {
  const [begin, end] = AROUND[kind];
  const parts = [begin];
  for (let length = begin.length, at = 0; length < bytes; at += 1) {
    const entry = ENTRIES[kind](at);
    parts.push(entry);
    length += entry.length;
  }
  // One flat text, as a file gives it.
  return Buffer.from(parts.join('') + end).toString();
}

/**
 * In a process of its own, which has loaded the editor and read the file, as the program does, and nothing else. `warm`:
 * it has edited a file of a hundred kilobytes before, so that what V8 takes for its compilers is not counted.
 */
async function one(kind, folder, isWarm) {
  const { jsonFormat, tomlFormat } = await import(pathToFileURL(join(folder, 'format.mjs')).href);
  const format = kind === 'toml' ? tomlFormat : jsonFormat;
  if (isWarm) edit(format, kind, readFileSync(join(folder, 'small'), 'utf8'));
  const text = readFileSync(join(folder, 'sample'), 'utf8');
  const before = process.memoryUsage.rss();
  const { addMs, removeMs } = edit(format, kind, text);
  const memory = (process.resourceUsage().maxRSS * 1024 - before) / text.length;
  return isWarm ? { warmMemory: memory } : { addMs, removeMs, memory };
}

function edit(format, kind, text) {
  const place = { kind: 'key', path: [kind === 'toml' ? 'mcp_servers' : 'mcp', 'ours'] };
  const must = (result) => {
    if (!result.ok) throw new Error(result.fault.message);
    return result.value;
  };
  const [addMs, added] = time(() => must(format.insert(text, place, { url: 'http://127.0.0.1:1/mcp' }, {})));
  const { trace, containers } = added;
  const [removeMs, removed] = time(() => must(format.remove(added.text, place, { trace, containers })));
  if (removed.text !== text) throw new Error('the removal did not give the text back');
  return { addMs, removeMs };
}

/** One parse of the file by jsonc-parser, for comparison: in a process of its own, too. */
async function parse(folder) {
  const { parseTree } = await import(pathToFileURL(join(folder, 'parser.mjs')).href);
  const text = readFileSync(join(folder, 'sample'), 'utf8');
  return { parseMs: time(() => parseTree(text, [], { allowTrailingComma: true }))[0] };
}

/** Processor time of a call in milliseconds, and its result. */
function time(run) {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1000, result];
}

/** Lays out what the measuring processes read, and gives it to `use`. */
async function withFolder(kind, megabytes, use) {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'size-'));
  try {
    writeFileSync(join(folder, 'sample'), sample(kind, megabytes * 1e6));
    writeFileSync(join(folder, 'small'), sample(kind, 1e5));
    await bundle(`src/formats/${kind === 'toml' ? 'toml' : 'json'}.ts`, join(folder, 'format.mjs'));
    await bundle('node_modules/jsonc-parser/lib/esm/main.js', join(folder, 'parser.mjs'));
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(entry, file) {
  // Only here: a process that measures has nothing to do with it.
  const { rolldown } = await import('rolldown');
  const built = await rolldown({
    input: join(ROOT, entry),
    platform: 'node',
    cwd: ROOT,
    logLevel: 'silent',
    // jsonc-parser's `main` breaks when it is bundled.
    resolve: { mainFields: ['module', 'main'] },
  });
  await built.write({ file, format: 'esm', codeSplitting: false });
  await built.close();
}

function inProcess(...args) {
  const run = spawnSync(process.execPath, [import.meta.filename, ...args], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

const measuredOnce = (kind, folder) => ({
  ...inProcess('--edit', kind, folder),
  ...inProcess('--warm', kind, folder),
  ...(kind === 'toml' ? {} : inProcess('--parse', folder)),
});

/** Each round in new processes: median, least and most of each figure. */
async function measured(kind, megabytes) {
  const runs = await withFolder(kind, megabytes, (folder) =>
    Array.from({ length: ROUNDS }, () => measuredOnce(kind, folder)),
  );
  const of = (read) => {
    const all = runs.map(read);
    return { middle: median(all), low: Math.min(...all), high: Math.max(...all) };
  };
  return { of };
}

const shown = ({ middle, low, high }, digits) =>
  `**${fixed(middle, digits)}** (${fixed(low, digits)} – ${fixed(high, digits)})`;

const SAMPLES = [
  ['JSONC', 'jsonc', 1],
  ['JSONC', 'jsonc', 4.9],
  ['JSON', 'json', 4.9],
  ['TOML', 'toml', 0.25],
  ['TOML', 'toml', 0.99],
];

export async function measureSize() {
  const rows = [];
  let quarter;
  for (const [name, kind, megabytes] of SAMPLES) {
    const { of } = await measured(kind, megabytes);
    const both = of(({ addMs, removeMs }) => addMs + removeMs);
    if (kind === 'toml') quarter ??= both;
    const ratio =
      kind !== 'toml'
        ? shown(
            of(({ addMs, removeMs, parseMs }) => Math.max(addMs, removeMs) / parseMs),
            2,
          )
        : quarter === both
          ? ''
          : `${fixed(both.middle / quarter.middle)} × the time of 0.25 MB`;
    rows.push([
      `${name}, ${megabytes} MB`,
      shown(
        of(({ addMs }) => addMs),
        0,
      ),
      shown(
        of(({ removeMs }) => removeMs),
        0,
      ),
      ratio,
      shown(
        of(({ warmMemory }) => warmMemory),
        1,
      ),
      shown(
        of(({ memory }) => memory),
        1,
      ),
    ]);
  }
  return table(
    [
      'file',
      'add, ms',
      'remove, ms',
      'the longer of both / `parseTree` of the file',
      'memory / size of the file',
      'the same, first edit of a process',
    ],
    rows,
  );
}

if (process.argv[1] === import.meta.filename) {
  const [first, second, folder] = process.argv.slice(2);
  const result =
    first === '--edit' || first === '--warm'
      ? await one(second, folder, first === '--warm')
      : first === '--parse'
        ? await parse(second)
        : await withFolder(first, Number(second), (laid) => measuredOnce(first, laid));
  console.log(JSON.stringify(result));
}
