// Loads the program's chunks with the code that V8 made of them in an earlier run. Compiling is about a third of the time
// of a short command, and Node 20 has no compile cache of its own. The cache stands inside this package (`dist/cache`),
// where whoever can write can change the program itself: not in the user's home, where an environment variable would
// decide whose code runs, and not in a shared folder for temporary files. It is begun only by a run that wrote something
// anyway; once it is there, the first run of each command adds what that command needed. Where it cannot be written the
// program is compiled anew each time. NODE_DISABLE_COMPILE_CACHE switches it off.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const DIST = path.join(__dirname, '..', 'dist');
const CACHE = path.join(DIST, 'cache', `${process.version}-${process.arch}`);
/** Before source and code: size and time of change of the chunk that they were made of, and the length of the source. */
const HEAD = 24;
const isOff = (process.env.NODE_DISABLE_COMPILE_CACHE || '') !== '';

const chunks = new Map();
const scripts = new Map();

/** Commands whose answers are kept; the command `setup` with them, because it mostly has nothing to do. */
const KEPT = new Set(['status', 'doctor', 'sync', 'setup']);

/** Runs the command line of this process. */
exports.run = () => {
  const words = process.argv.slice(2);
  const exit = KEPT.has(words[0]) ? load('answer.cjs').answer(words) : undefined;
  if (exit !== undefined) {
    process.exitCode = exit;
    return;
  }
  load('cli.cjs')
    .start()
    .then(({ command, wrote }) => {
      if (!isOff) keep(command, wrote);
    });
};

/** Runs a thread of a command over many roots. */
exports.lane = () => load('lane.cjs').start();

/** `require` of the chunks: another chunk, or a module of Node. */
const requireChunk = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));

function load(name) {
  const known = chunks.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  chunks.set(name, module);
  try {
    run(name, module);
  } catch (error) {
    // What could not be read now may be later; half a chunk is none.
    chunks.delete(name);
    throw error;
  }
  return module.exports;
}

function run(name, module) {
  // Chunks that are seldom loaded are kept compressed (scripts/pack-chunks.mjs).
  const isPacked = name.startsWith('packed-');
  const file = path.join(DIST, isPacked ? `${name}.br` : name);
  const stat = fs.statSync(file);
  const kept = isOff ? undefined : read(name, stat);
  const source = kept === undefined ? sourceOf(file, isPacked) : kept.source;
  const cachedData = kept === undefined ? undefined : kept.code;
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname) { ${source}\n})`,
    {
      filename: file,
      cachedData,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  );
  scripts.set(name, { script, stat, source, isRefused: script.cachedDataRejected === true });
  script.runInThisContext().call(module.exports, module.exports, requireChunk, module, file, DIST);
}

/** The build leaves nothing but ASCII in a chunk (tsdown.config.ts). */
function sourceOf(file, isPacked) {
  const bytes = fs.readFileSync(file);
  return (isPacked ? require('node:zlib').brotliDecompressSync(bytes) : bytes).toString('latin1');
}

/** Source and code of a chunk as it is now; V8 itself refuses code of another version or of other flags. */
function read(name, stat) {
  let bytes;
  try {
    bytes = fs.readFileSync(path.join(CACHE, name));
  } catch {
    return undefined;
  }
  if (bytes.length <= HEAD || bytes.readDoubleLE(0) !== stat.size || bytes.readDoubleLE(8) !== stat.mtimeMs)
    return undefined;
  const end = HEAD + bytes.readDoubleLE(16);
  if (!(end < bytes.length)) return undefined;
  return { source: bytes.toString('latin1', HEAD, end), code: bytes.subarray(end) };
}

/** The commands whose code is kept, one a line. */
const COMMANDS = path.join(CACHE, 'commands');

/**
 * Keeps the code of every chunk of this run, all functions that ran so far included, unless an earlier run of the command
 * did. Code that V8 refused (other flags) is replaced by a writing run alone, so that two ways of starting do not undo
 * each other's each time. All this only saves time: no fault is told.
 */
function keep(command, wrote) {
  let known = '';
  try {
    known = fs.readFileSync(COMMANDS, 'utf8');
  } catch {
    // Not begun.
  }
  const isRefused = [...scripts.values()].some((one) => one.isRefused);
  const isKept = known.split('\n').includes(command);
  if (wrote ? isKept && !isRefused : isKept || isRefused || known === '') return;
  try {
    fs.mkdirSync(CACHE, { recursive: true });
    for (const [name, { script, stat, source }] of scripts) {
      const head = Buffer.alloc(HEAD);
      const text = Buffer.from(source, 'latin1');
      head.writeDoubleLE(stat.size, 0);
      head.writeDoubleLE(stat.mtimeMs, 8);
      head.writeDoubleLE(text.length, 16);
      write(path.join(CACHE, name), Buffer.concat([head, text, script.createCachedData()]));
    }
    write(COMMANDS, `${known}${command}\n`);
  } catch {
    // A package folder of another user, or a full disk.
  }
}

/** On the disk before it has its name: V8 does not look whether the middle of it is sound. */
function write(file, bytes) {
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, bytes, { flag: 'wx', flush: true });
  fs.renameSync(temporary, file);
}
