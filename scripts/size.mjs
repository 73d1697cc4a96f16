// Edits of large files with their proof, for npm run bench -- --size. Each measurement has a process of its own, so that
// its memory is its own: `node scripts/size.mjs KIND MEGABYTES` prints it as JSON.
import { spawnSync } from 'node:child_process';
import { bundleModule } from './bundle-module.mjs';
import { fixed, median, table } from './measure.mjs';

const ROUNDS = 3;

/** Entries with a comment each, as a generator would leave them: none of them is ours. */
const ENTRIES = {
  json: (at) =>
    `    "server-${at}": { "type": "local", "command": ["run-${at}", "--flag", "value-${at}"], "environment": { "A": "x${at}" } }, // number ${at}\n`,
  toml: (at) =>
    `[mcp_servers.server-${at}] # number ${at}\ncommand = "run-${at}"\nargs = ["--flag", "value-${at}"]\n\n[mcp_servers.server-${at}.env]\nA = "x${at}"\n\n`,
};
const AROUND = {
  json: [
    '{\n  // the servers of the team\n  "mcp": {\n',
    '    "last": { "type": "local" }\n  },\n  "theme": "dark"\n}\n',
  ],
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

async function one(kind, megabytes) {
  const { jsonFormat } = await bundleModule('src/formats/json.ts');
  const format = kind === 'json' ? jsonFormat : (await bundleModule('src/formats/toml.ts')).tomlFormat;
  const { parseTree } = await bundleModule('node_modules/jsonc-parser/lib/esm/main.js');
  const place = { kind: 'key', path: [kind === 'json' ? 'mcp' : 'mcp_servers', 'ours'] };
  const text = sample(kind, megabytes * 1e6);
  const time = (run) => {
    const before = process.cpuUsage();
    const result = run();
    const { user, system } = process.cpuUsage(before);
    return [(user + system) / 1000, result];
  };
  const must = (result) => {
    if (!result.ok) throw new Error(result.fault.message);
    return result.value;
  };
  const before = process.resourceUsage().maxRSS;
  const [addMs, added] = time(() => must(format.insert(text, place, { url: 'http://127.0.0.1:1/mcp' }, {})));
  const { trace, containers } = added;
  const [removeMs, removed] = time(() => must(format.remove(added.text, place, { trace, containers })));
  if (removed.text !== text) throw new Error('the removal did not give the text back');
  const memory = ((process.resourceUsage().maxRSS - before) * 1024) / text.length;
  const parseMs =
    kind === 'json' ? time(() => parseTree(text, [], { allowTrailingComma: true }))[0] : undefined;
  return { addMs, removeMs, parseMs, memory };
}

/** The same in a new process each time: median, least and most of each figure. */
function measured(kind, megabytes) {
  const runs = Array.from({ length: ROUNDS }, () => {
    const run = spawnSync(process.execPath, [import.meta.filename, kind, String(megabytes)], {
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout);
  });
  const of = (read) => {
    const all = runs.map(read);
    return { middle: median(all), low: Math.min(...all), high: Math.max(...all) };
  };
  return { of };
}

const shown = ({ middle, low, high }, digits) =>
  `**${fixed(middle, digits)}** (${fixed(low, digits)} – ${fixed(high, digits)})`;

export function measureSize() {
  const json = [1, 4.9].map((megabytes) => {
    const { of } = measured('json', megabytes);
    return [
      `JSONC, ${megabytes} MB`,
      shown(
        of(({ addMs }) => addMs),
        0,
      ),
      shown(
        of(({ removeMs }) => removeMs),
        0,
      ),
      shown(
        of(({ addMs, removeMs, parseMs }) => Math.max(addMs, removeMs) / parseMs),
        2,
      ),
      shown(
        of(({ memory }) => memory),
        1,
      ),
    ];
  });
  let quarter;
  const toml = [0.25, 0.99].map((megabytes) => {
    const { of } = measured('toml', megabytes);
    const both = of(({ addMs, removeMs }) => addMs + removeMs);
    quarter ??= both;
    return [
      `TOML, ${megabytes} MB`,
      shown(
        of(({ addMs }) => addMs),
        0,
      ),
      shown(
        of(({ removeMs }) => removeMs),
        0,
      ),
      quarter === both ? '' : `${fixed(both.middle / quarter.middle)} × the time of 0.25 MB`,
      shown(
        of(({ memory }) => memory),
        1,
      ),
    ];
  });
  return table(
    [
      'file',
      'add, ms',
      'remove, ms',
      'the longer of both / `parseTree` of the file',
      'memory / size of the file',
    ],
    [...json, ...toml],
  );
}

const [kind, megabytes] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await one(kind, Number(megabytes))));
