// The like commands of other tools, for npm run bench -- --peers. They are installed from npm, in the newest version that
// runs on this Node, into a folder for temporary files, and run in the scratch repository with its home.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pairs } from './measure.mjs';

/** Package, program, and its words: the version, and what looks at a repository without changing it. */
const PEERS = [
  ['add-mcp', 'add-mcp', [['--version'], ['list']]],
  ['skills', 'skills', [['--version'], ['list']]],
  ['@intellectronica/ruler', 'ruler', [['--version']]],
  ['rulesync', 'rulesync', [['--version']]],
  ['@sentry/dotagents', 'dotagents', [['--version'], ['list'], ['doctor']]],
  ['ctx7', 'ctx7', [['--version']]],
];

function install(folder, name) {
  const there = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(there)) {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(join(folder, 'package.json')))
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', name];
    const npm = spawnSync('npm', words, {
      cwd: folder,
      stdio: 'ignore',
      shell: process.platform === 'win32',
    });
    if (npm.status !== 0) return undefined;
  }
  return JSON.parse(readFileSync(there, 'utf8'));
}

/** Name with version, and the pairs; a program that does not run here is told and left out. */
export function measurePeers(scratch, rounds) {
  const measured = [];
  for (const [name, program, calls] of PEERS) {
    const folder = join(tmpdir(), `tenon-peers-${process.versions.node}`, name.replace('/', '+'));
    const manifest = install(folder, name);
    const bin = typeof manifest?.bin === 'string' ? manifest.bin : manifest?.bin?.[program];
    if (bin === undefined) {
      console.error(`${name} could not be installed, or has no program ${program}`);
      continue;
    }
    for (const words of calls) {
      const title = `${program} ${words.join(' ')} (${name} ${manifest.version})`;
      try {
        const options = { cwd: scratch.repo, env: scratch.env, codes: [0, 1], timeout: 60_000 };
        measured.push({
          name: title,
          result: pairs([join(folder, 'node_modules', name, bin), ...words], options, Math.min(rounds, 11)),
        });
      } catch (error) {
        console.error(`${title}: ${error.message.slice(0, 200)}`);
      }
    }
  }
  return measured;
}
