// npm run bench: how long the program takes, as ratios to an empty Node process. --rounds N
//   --peers   the like command of other tools beside it, installed from npm into a folder for temporary files
//   --size    edits of large files       --scale  many roots in one repository (--roots 1000,5000)
//   --servers many servers in one root (--counts 50,200)
//   --all     all of these               --write  puts what was measured into docs/performance.md
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, machine, once, pairs, table } from './measure.mjs';
import { BIN, ROOT } from './project.mjs';
import { makeScratch, startSandbox } from './scratch.mjs';

const args = process.argv.slice(2);
const has = (flag) => args.includes(flag) || (flag !== '--write' && args.includes('--all'));
const flagValue = (flag, otherwise) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : otherwise);
const rounds = Number(flagValue('--rounds', '21'));
const roots = flagValue('--roots', '1000,5000').split(',').map(Number);
const counts = flagValue('--counts', '50,200').split(',').map(Number);

const HEAD = ['command', 'ratio, median', 'middle half', 'processor time', 'ms', 'pairs'];
const rowOf = (name, result) => [
  name,
  `**${fixed(result.ratio)}**`,
  `${fixed(result.low)} – ${fixed(result.high)}`,
  fixed(result.cpu),
  fixed(result.ms, 0),
  String(result.rounds),
];

/**
 * The commands that people wait for most, in a repository that is set up for three coding tools: as they are answered while
 * nothing has changed since, and the long way, as after a change of anything that they look at.
 */
async function coldStart(scratch) {
  const sandbox = await startSandbox(scratch.env);
  let setup;
  try {
    const urls = ['--set', `VERA_API_URL=${sandbox.apiUrl}`, '--set', `VERA_MCP_URL=${sandbox.mcpUrl}`];
    const runtimes = ['--runtime', 'claude-code', '--runtime', 'codex', '--runtime', 'opencode'];
    setup = ['setup', 'vera', ...urls, ...runtimes, '--yes'];
    once([BIN, ...setup], { cwd: scratch.repo, env: scratch.env });
  } finally {
    sandbox.stop();
  }
  const cases = [
    ['tenon status', ['status']],
    ['tenon setup, a second time', [...setup, '--offline']],
    ['tenon doctor --offline', ['doctor', '--offline']],
    ['tenon sync --check', ['sync', '--check']],
  ];
  const measure = (name, words, env) =>
    rowOf(name, pairs([BIN, ...words], { cwd: scratch.repo, env, codes: [0, 1] }, rounds));
  const longWay = { ...scratch.env, TENON_ANSWERS: '0' };
  return [
    measure('tenon --version', ['--version'], scratch.env),
    ...cases.map(([name, words]) => measure(`${name}, nothing changed`, words, scratch.env)),
    ...cases.map(([name, words]) => measure(`${name}, after a change`, words, longWay)),
  ];
}

async function sections() {
  const made = {};
  const scratch = makeScratch();
  try {
    if (!args.includes('--only')) {
      const own = await coldStart(scratch);
      const peers = has('--peers')
        ? await import('./peers.mjs').then(({ measurePeers }) => measurePeers(scratch, rounds))
        : [];
      made.start = table(HEAD, [...own, ...peers.map(({ name, result }) => rowOf(name, result))]);
    }
  } finally {
    scratch.remove();
  }
  if (has('--size')) {
    made.size = await import('./size.mjs').then(({ measureSize }) => measureSize());
    made.commands = await import('./size-commands.mjs').then(({ measureCommands }) => measureCommands());
  }
  if (has('--scale'))
    made.scale = await import('./scale.mjs').then(({ measureScale }) => measureScale(roots));
  if (has('--servers'))
    made.servers = await import('./scale.mjs').then(({ measureServers }) => measureServers(counts));
  return made;
}

/** Puts each section between its two marker lines, with the machine that it was measured on. */
function write(made) {
  const file = join(ROOT, 'docs', 'performance.md');
  let text = readFileSync(file, 'utf8');
  for (const [name, body] of Object.entries(made)) {
    const [begin, end] = [`<!-- measured:${name} -->`, `<!-- /measured:${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${name}`);
    const date = new Date().toISOString().slice(0, 10);
    text = `${text.slice(0, from + begin.length)}\n\n${body}\n\nMeasured ${date}: ${machine()}.\n\n${text.slice(to)}`;
  }
  writeFileSync(file, text);
}

try {
  const made = await sections();
  for (const body of Object.values(made)) console.log(`${body}\n`);
  console.log(machine());
  if (args.includes('--write')) write(made);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
