// node scripts/roundtrip.mjs <folder> [--json]
// Puts entries into every configuration file below a folder, in memory, and takes them out again; no file is written.
// Each file is tried as it is and with CRLF, without a final newline and with a byte-order mark. Exit 1 when a text
// came back different, an edit could not be read back, or something crashed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const SOURCE = fileURLToPath(new URL('../src/formats', import.meta.url));
const PROBE = { command: 'tenon-probe', args: ['--stdio', 'a b'], env: { MODE: 'probe' } };
const HOOK = { hooks: [{ type: 'command', command: 'sh .tenon/probe.sh', timeout: 5 }] };

/** The TypeScript as a module that this Node can run. */
async function loadEditors() {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-roundtrip-'));
  try {
    await build({
      config: false,
      entry: { formats: join(SOURCE, 'index.ts'), style: join(SOURCE, 'text-style.ts') },
      format: 'esm',
      platform: 'node',
      outDir: folder,
      outExtensions: () => ({ js: '.mjs' }),
      dts: false,
      logLevel: 'error',
      inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    });
    const formats = await import(pathToFileURL(join(folder, 'formats.mjs')).href);
    await formats.loadFormats(['json', 'toml', 'markdown', 'lines']);
    return { ...formats, ...(await import(pathToFileURL(join(folder, 'style.mjs')).href)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const key = (path, value = PROBE) => ({ place: { kind: 'key', path }, value });
const item = (path, value, tag) => ({ place: { kind: 'item', path, value, tag }, value });

/** What is tried on a file, by its name; every job with a second entry for the same container. */
function jobsOf(name) {
  if (/\.toml$/.test(name)) {
    return [
      { format: 'toml', one: key(['mcp_servers', 'tenon-probe']), two: key(['mcp_servers', 'tenon-other']) },
    ];
  }
  if (/\.md$/.test(name)) {
    const block = (id) => ({ place: { kind: 'block', id }, value: `Text of ${id}.\nSecond line.\n` });
    return [{ format: 'markdown', one: block('tenon-probe'), two: block('tenon-other') }];
  }
  if (/\.gitignore$/.test(name)) {
    const line = (text) => ({ place: { kind: 'line', line: text }, value: text });
    return [{ format: 'lines', one: line('.tenon-probe/'), two: line('.tenon-other/') }];
  }
  if (!/\.jsonc?$/.test(name)) return [];
  const container = /opencode/.test(name)
    ? 'mcp'
    : /vscode.*mcp/.test(name)
      ? 'servers'
      : /zed/.test(name)
        ? 'context_servers'
        : 'mcpServers';
  const jobs = [
    { format: 'json', one: key([container, 'tenon-probe']), two: key([container, 'tenon-other']) },
  ];
  if (/claude.*settings/.test(name)) {
    const ask = (rule) => item(['permissions', 'ask'], rule);
    const start = (tag) => item(['hooks', 'SessionStart'], { ...HOOK, matcher: tag }, tag);
    jobs.push({ format: 'json', one: ask('mcp__tenon-probe__put'), two: ask('mcp__tenon-other__put') });
    jobs.push({ format: 'json', one: start('startup'), two: start('resume') });
  }
  return jobs;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The same file as other editors would have saved it; one that makes no difference is left out. */
function variantsOf(bytes) {
  const text = bytes.toString('latin1');
  const variants = [['as is', bytes]];
  const add = (name, other) => {
    if (!other.equals(bytes)) variants.push([name, other]);
  };
  add('CRLF', Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1'));
  add('no final newline', Buffer.from(text.replace(/[\r\n]+$/, ''), 'latin1'));
  if (!bytes.subarray(0, 3).equals(MARK)) add('BOM', Buffer.concat([MARK, bytes]));
  return variants;
}

class Refused extends Error {
  constructor(fault) {
    super(`${fault.code}: ${fault.message}`);
    this.line = fault.at?.line;
  }
}

function taken(result) {
  if (!result.ok) throw new Refused(result.fault);
  return result.value;
}

/** What a ledger would give back: the memory of an edit after it was written and read. */
const remembered = (value) => JSON.parse(JSON.stringify(value));

/** Runs one job; returns what went wrong, or nothing. Throws {@link Refused} where the editor refuses the file. */
function tryJob(editors, bytes, { format: id, one, two }) {
  const format = editors.formatOf(id);
  const { text, bom } = taken(editors.decodeText(bytes));
  taken(format.parse(text));
  const first = taken(format.insert(text, one.place, one.value, {}));
  const problem = missing(format, first.text, one);
  if (problem !== undefined) return problem;
  const same = (edit, how) => {
    const back = Buffer.from(editors.encodeText(edit.text, bom));
    return back.equals(bytes) ? undefined : `the file differs after ${how}`;
  };
  const remove = (from, entry, trace, containers) =>
    sure(format.remove(from, entry.place, { trace: remembered(trace), containers: remembered(containers) }));
  const alone = same(remove(first.text, one, first.trace, first.containers), 'insert and remove');
  if (alone !== undefined) return alone;

  const second = sure(format.insert(first.text, two.place, two.value, {}));
  const both = [...first.containers, ...second.containers];
  for (const [order, a, b] of [
    ['oldest first', [one, first], [two, second]],
    ['newest first', [two, second], [one, first]],
  ]) {
    const half = remove(second.text, a[0], a[1].trace, both);
    const gone = missing(format, half.text, b[0]);
    if (gone !== undefined) return gone;
    const whole = same(remove(half.text, b[0], b[1].trace, half.containers), `two entries, ${order}`);
    if (whole !== undefined) return whole;
  }
  return undefined;
}

/** A file that took the first edit must take the others. */
function sure(result) {
  if (!result.ok)
    throw new Error(`${result.fault.code}: ${result.fault.message} (line ${result.fault.at?.line})`);
  return result.value;
}

function missing(format, text, { place, value }) {
  const reading = sure(format.read(text, place));
  if (reading.state !== 'present' || reading.byTag)
    return `the entry is ${reading.state} after the insertion`;
  const plain = (json) => (typeof json === 'string' ? json.trimEnd() : JSON.stringify(json));
  return plain(reading.value) === plain(value) ? undefined : 'the entry reads differently';
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git')
      yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function run(editors, folder) {
  const totals = {};
  const refused = [];
  const failed = [];
  for (const path of filesBelow(folder)) {
    const file = relative(folder, path).replaceAll('\\', '/');
    const jobs = jobsOf(file);
    if (jobs.length === 0) continue;
    for (const [variant, bytes] of variantsOf(readFileSync(path))) {
      for (const job of jobs) {
        totals[job.format] ??= {};
        totals[job.format][variant] ??= { jobs: 0, exact: 0, refused: 0, failed: 0 };
        const total = totals[job.format][variant];
        total.jobs += 1;
        const at = { file, variant, place: (job.one.place.path ?? []).join('.') };
        try {
          const problem = tryJob(editors, bytes, job);
          if (problem === undefined) total.exact += 1;
          else failed.push({ ...at, reason: problem });
        } catch (error) {
          if (error instanceof Refused) {
            total.refused += 1;
            refused.push({ ...at, line: error.line, reason: error.message });
          } else failed.push({ ...at, reason: error instanceof Error ? error.message : String(error) });
        }
        total.failed = total.jobs - total.exact - total.refused;
      }
    }
  }
  return { totals, refused, failed };
}

function print({ totals, refused, failed }) {
  console.log('format    variant            jobs  exact  refused  failed');
  for (const [format, variants] of Object.entries(totals)) {
    for (const [variant, { jobs, exact, refused: no, failed: bad }] of Object.entries(variants)) {
      const numbers = [
        String(jobs).padStart(5),
        String(exact).padStart(7),
        String(no).padStart(9),
        String(bad).padStart(8),
      ];
      console.log(`${format.padEnd(9)} ${variant.padEnd(17)} ${numbers.join('')}`);
    }
  }
  for (const [title, list] of [
    ['Refused', refused],
    ['Failed', failed],
  ]) {
    if (list.length > 0) console.log(`\n${title}:`);
    for (const { file, variant, place, line, reason } of list) {
      console.log(`  ${file}${line === undefined ? '' : `:${line}`} (${variant}) ${place}  ${reason}`);
    }
  }
}

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('-'));
if (folder === undefined) {
  console.error('usage: node scripts/roundtrip.mjs <folder> [--json]');
  process.exitCode = 2;
} else {
  const report = run(await loadEditors(), resolve(folder));
  if (process.argv.includes('--json')) console.log(JSON.stringify(report, undefined, 2));
  else print(report);
  if (report.failed.length > 0) process.exitCode = 1;
}
