// node scripts/fuzz.mjs [--seconds N | --inputs N] [--target NAME]… [--seed TEXT] [--keep]
// Coverage-guided fuzzing of everything that reads what others wrote (test/fuzz/targets.ts). The bundled source is
// instrumented; an input that reaches a branch, or a count of it, that none before it reached is kept and mutated
// further. A run with `--inputs` and a seed is the same on every machine. `--keep` writes the smallest set with the same
// coverage back to test/fuzz/corpus/, which the tests replay.
// Exit 1 when an input breaks a law, crashes a reader or keeps it busy; the input is printed as JSON.
// Why our own loop: the fuzzers on npm bind libFuzzer with prebuilt binaries that not every supported system loads.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { rolldown } from 'rolldown';
import { ROOT } from './project.mjs';

const CORPUS = join(ROOT, 'test', 'fuzz', 'corpus');
const LONGEST = 2048;
/** An input that takes longer is a fault: the longest is four kilobytes. Generous, for a loaded machine. */
const BUSY_MS = 20_000;

/** The targets as an instrumented module; returns its folder. */
async function bundle() {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'fuzz-'));
  const built = await rolldown({
    input: join(ROOT, 'test', 'fuzz', 'targets.ts'),
    platform: 'node',
    cwd: ROOT,
    resolve: { mainFields: ['module', 'main'] },
  });
  const { output } = await built.generate({ format: 'esm', codeSplitting: false });
  await built.close();
  const instrumenter = createInstrumenter({
    esModules: true,
    coverageVariable: '__fuzz__',
    compact: true,
    produceSourceMap: false,
  });
  writeFileSync(
    join(folder, 'targets.mjs'),
    instrumenter.instrumentSync(output[0].code, join(folder, 'targets.mjs')),
  );
  return folder;
}

/** A small generator of random numbers, so that a run can be repeated by its seed (xorshift32). */
function randomOf(seed) {
  let state = seed | 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const CHARACTERS = [
  ...'{}[]",:\\/*#=.-_ \n\r\t\'`<>!@?%~0129aAzZ\u0000\u001b\u0085\u00a0\u00e9\u200b\u2028\u202e\ufeff',
];

function mutated(input, corpus, words, random) {
  let text = input;
  for (let left = 1 + random(6); left > 0; left -= 1) {
    const at = random(text.length + 1);
    const end = Math.min(text.length, at + 1 + random(1 + random(40)));
    switch (random(8)) {
      case 0:
      case 1:
        text = text.slice(0, at) + words[random(words.length)] + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + text.slice(end);
        break;
      case 3:
        text = text.slice(0, at) + CHARACTERS[random(CHARACTERS.length)] + text.slice(at + 1);
        break;
      case 4:
        text = text.slice(0, end) + text.slice(at, end).repeat(1 + random(3)) + text.slice(end);
        break;
      case 5: {
        const other = corpus[random(corpus.length)];
        text = text.slice(0, at) + other.slice(random(other.length + 1));
        break;
      }
      case 6: {
        const lines = text.split('\n');
        const [a, b] = [random(lines.length), random(lines.length)];
        [lines[a], lines[b]] = [lines[b], lines[a]];
        text = lines.join('\n');
        break;
      }
      default:
        text =
          text.slice(0, at) +
          text.slice(at).replace(words[random(words.length)], words[random(words.length)]);
    }
  }
  // A lone surrogate is no text that a file can hold.
  return text.slice(0, LONGEST).toWellFormed();
}

/** Counters of the instrumented module as one list of branches, with what was seen of each (once, twice, four times, more). */
function coverageOf() {
  const modules = Object.values(globalThis.__fuzz__);
  const branches = modules.flatMap(({ b }) => Object.values(b));
  const functions = modules.map(({ f }) => f);
  const size =
    branches.reduce((sum, one) => sum + one.length, 0) +
    functions.reduce((sum, f) => sum + Object.keys(f).length, 0);
  const seen = new Uint32Array(size);
  const clear = () => {
    for (const one of branches) one.fill(0);
    for (const f of functions) for (const id in f) f[id] = 0;
  };
  const features = () => {
    const found = [];
    let index = 0;
    const add = (count) => {
      if (count > 0) found.push(index * 32 + Math.min(3, 31 - Math.clz32(count)));
      index += 1;
    };
    for (const one of branches) for (let k = 0; k < one.length; k += 1) add(one[k]);
    for (const f of functions) for (const id in f) add(f[id]);
    return found;
  };
  /** Marks what the last input reached; true when some of it is new. */
  const take = (found) => {
    let isNew = false;
    for (const feature of found) {
      const [index, bit] = [Math.floor(feature / 32), feature % 32];
      if ((seen[index] & (1 << bit)) === 0) {
        seen[index] |= 1 << bit;
        isNew = true;
      }
    }
    return isNew;
  };
  return { clear, features, take, reached: () => seen.filter((bits) => bits !== 0).length, size };
}

/** In a thread of its own: runs one target until its time is over. Sends what it found. */
async function work({ module, name, seconds, inputs, seed, corpus: kept, shared }) {
  const random = randomOf(createHash('sha256').update(`${seed} ${name}`).digest().readInt32LE());
  // The readers take the seed of their hash tables from it, and another seed is another way through them.
  Math.random = () => random(0x7fffffff) / 0x7fffffff;
  const { TARGETS } = await import(module);
  const target = TARGETS.find((one) => one.name === name);
  const coverage = coverageOf();
  const current = new Uint8Array(shared, 8);
  const progress = new Int32Array(shared, 0, 2);
  const encoder = new TextEncoder();
  let runs = 0;
  const attempt = async (input) => {
    runs += 1;
    progress[1] = encoder.encodeInto(input, current).written;
    Atomics.add(progress, 0, 1);
    coverage.clear();
    try {
      const result = target.check(input);
      if (result !== undefined) await result;
    } catch (error) {
      return error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
    }
    return undefined;
  };

  const corpus = [];
  const reach = [];
  const fail = (input, why) => parentPort.postMessage({ name, failed: { input, why }, runs });
  for (const input of [...target.seeds, ...kept]) {
    const why = await attempt(input);
    if (why !== undefined) return fail(input, why);
    const found = coverage.features();
    if (coverage.take(found) || corpus.length === 0) {
      corpus.push(input);
      reach.push(found);
    }
  }
  const start = corpus.length;
  const until = Date.now() + seconds * 1000;
  const isOver = () => (inputs === undefined ? runs % 64 === 0 && Date.now() >= until : runs >= inputs);
  while (!isOver()) {
    // Half of the time one of the latest finds: there the frontier is.
    const from =
      random(2) === 0 ? random(corpus.length) : corpus.length - 1 - random(Math.min(corpus.length, 16));
    const input = mutated(corpus[from], corpus, target.words, random);
    const why = await attempt(input);
    if (why !== undefined) {
      const small = await smallest(input, attempt);
      return fail(small.input, small.why ?? why);
    }
    const found = coverage.features();
    if (coverage.take(found)) {
      corpus.push(input);
      reach.push(found);
    }
  }
  parentPort.postMessage({
    name,
    runs,
    start,
    found: corpus.length - start,
    reached: coverage.reached(),
    size: coverage.size,
    corpus: cover(corpus, reach),
  });
}

/** The shortest input that still fails, by taking pieces out. */
async function smallest(input, attempt) {
  let [text, why] = [input, undefined];
  for (let size = Math.ceil(text.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 1; at < text.length; ) {
      const shorter = (text.slice(0, at) + text.slice(at + size)).toWellFormed();
      const still = shorter === text ? undefined : await attempt(shorter);
      if (still === undefined) at += size;
      else [text, why] = [shorter, still];
    }
  }
  return { input: text, why };
}

/** A small set of inputs that reaches everything the whole corpus reaches, shortest first. */
function cover(corpus, reach) {
  const order = corpus.map((_, index) => index).sort((a, b) => corpus[a].length - corpus[b].length);
  const have = new Set();
  const kept = [];
  for (const index of order) {
    const before = have.size;
    for (const feature of reach[index]) have.add(feature);
    if (have.size > before) kept.push(corpus[index]);
  }
  return kept;
}

const corpusFile = (name) => join(CORPUS, `${name}.json`);
const corpusOf = (name) =>
  existsSync(corpusFile(name)) ? JSON.parse(readFileSync(corpusFile(name), 'utf8')) : [];

/** One input a line, in ASCII: a file of this repository shows no character that hides another. */
const corpusText = (inputs) => {
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(inputs, undefined, 2).replace(/[^\n -~]/g, escaped)}\n`;
};

/** Runs one target in a thread and watches it. */
function fuzz(module, name, { seconds, inputs, seed }) {
  return new Promise((resolve) => {
    const shared = new SharedArrayBuffer(8 + LONGEST * 4);
    const progress = new Int32Array(shared, 0, 2);
    const worker = new Worker(fileURLToPath(import.meta.url), {
      workerData: { module, name, seconds, inputs, seed, corpus: corpusOf(name), shared },
    });
    let [last, since] = [-1, Date.now()];
    const input = () => new TextDecoder().decode(new Uint8Array(shared, 8, progress[1]).slice());
    const watch = setInterval(() => {
      const now = Atomics.load(progress, 0);
      if (now !== last || now === 0) [last, since] = [now, Date.now()];
      else if (Date.now() - since > BUSY_MS)
        end({ name, failed: { input: input(), why: 'keeps the reader busy' }, runs: now });
    }, 250);
    const end = (result) => {
      clearInterval(watch);
      void worker.terminate();
      resolve(result);
    };
    worker.once('message', end);
    worker.once('error', (error) =>
      end({ name, failed: { input: input(), why: String(error) }, runs: progress[0] }),
    );
  });
}

function optionsOf(argv) {
  const options = { seconds: 5, inputs: undefined, seed: String(Date.now()), targets: [], keep: false };
  for (let i = 0; i < argv.length; i += 1) {
    if (argv[i] === '--keep') options.keep = true;
    else if (argv[i] === '--target') options.targets.push(argv[++i]);
    else if (argv[i] === '--seconds') options.seconds = Number(argv[++i]);
    else if (argv[i] === '--inputs') options.inputs = Number(argv[++i]);
    else if (argv[i] === '--seed') options.seed = argv[++i] || options.seed;
    else throw new Error(`unknown argument ${argv[i]}`);
  }
  return options;
}

async function main() {
  const options = optionsOf(process.argv.slice(2));
  const folder = await bundle();
  let failures = 0;
  try {
    const module = pathToFileURL(join(folder, 'targets.mjs')).href;
    const names = (await import(module)).TARGETS.map((target) => target.name);
    const chosen = options.targets.length > 0 ? options.targets : names;
    for (const name of chosen)
      if (!names.includes(name)) throw new Error(`no target ${name}; there are ${names.join(', ')}`);
    const length = options.inputs === undefined ? `${options.seconds} s` : `${options.inputs} inputs`;
    console.log(`seed ${options.seed}, ${length} for each of ${chosen.length} targets`);
    const queue = [...chosen];
    const lane = async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        const result = await fuzz(module, name, options);
        if (result.failed !== undefined) {
          failures += 1;
          console.log(
            `${name}: FAILED after ${result.runs} inputs\n  input ${JSON.stringify(result.failed.input)}\n  ${result.failed.why}`,
          );
          continue;
        }
        const { runs, start, found, reached, size } = result;
        console.log(
          `${name}: ${runs} inputs, ${start} known + ${found} new ways, ${reached} of ${size} branches`,
        );
        if (options.keep) {
          mkdirSync(CORPUS, { recursive: true });
          writeFileSync(corpusFile(name), corpusText(result.corpus));
        }
      }
    };
    await Promise.all([lane(), lane()]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failures > 0 ? 1 : 0;
}

if (isMainThread) await main();
else await work(workerData);
