// A repository to try things in, with configurations of three coding tools as people write them, and a sandbox endpoint.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { BIN } from './project.mjs';

const FILES = {
  'README.md': '# shop\n',
  // Claude Code reads this file as strict JSON: no comments, but an indent of its own.
  '.mcp.json':
    '{\n    "mcpServers": {\n        "index": { "command": "index-mcp", "args": ["--team"] }\n    }\n}\n',
  '.claude/settings.json': '{\n\t"permissions": { "allow": ["Bash(npm test)"] }\n}\n',
  '.codex/config.toml': [
    '# how we use Codex here',
    'model = "team-default"   # agreed in spring',
    '',
    '[mcp_servers.index]',
    'command = "index-mcp"',
    "args = ['--team'] # literal on purpose",
    '',
  ].join('\r\n'),
  'opencode.jsonc':
    '{\n  // shared by the whole team\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "index": { "type": "local", "command": ["index-mcp"], }, // keep last\n  },\n}',
};

/** Makes the repository, one commit in it, and a home beside it. Everything lies in one temporary folder. */
export function makeScratch() {
  const base = mkdtempSync(join(tmpdir(), 'tenon-scratch-'));
  const repo = join(base, 'shop');
  const home = join(base, 'home');
  mkdirSync(join(home, '.config'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  const env = scratchEnv(home);
  const git = (...args) => {
    const result = spawnSync('git', args, { cwd: repo, env, encoding: 'utf8' });
    if (result.status !== 0)
      throw new Error(`git ${args[0]} failed: ${result.error?.message ?? result.stderr}`);
  };
  git('init', '-q');
  git('config', 'core.autocrlf', 'false');
  git('add', '-A');
  git('-c', 'user.name=Scratch', '-c', 'user.email=scratch@example.invalid', 'commit', '-q', '-m', 'Start');
  return { base, repo, home, env, remove: () => rmSync(base, { recursive: true, force: true }) };
}

/** An environment without CI, agent sessions or proxies: the same result on every machine. */
function scratchEnv(home) {
  const kept = [
    'PATH',
    'Path',
    'TMPDIR',
    'TEMP',
    'TMP',
    'SystemRoot',
    'LANG',
    'TERM',
    'NO_COLOR',
    'FORCE_COLOR',
  ];
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  return {
    ...env,
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    TENON_STATE_DIR: join(home, '.local', 'state', 'tenon'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

/** Path, kind, mode and content of everything below a folder, git's own folder left out. */
export function snapshot(folder) {
  const entries = new Map();
  const walk = (path) => {
    for (const name of readdirSync(path).sort()) {
      const full = join(path, name);
      const shown = relative(folder, full);
      if (shown === '.git') continue;
      const stat = lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) {
        entries.set(`${shown}/`, mode);
        walk(full);
      } else {
        const bytes = stat.isSymbolicLink() ? readlinkSync(full) : readFileSync(full);
        entries.set(shown, `${mode} ${createHash('sha256').update(bytes).digest('hex')}`);
      }
    }
  };
  walk(folder);
  return entries;
}

/** What differs between two snapshots, one line each; none when they are equal. */
export function differences(before, after) {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    if (before.get(path) === after.get(path)) return [];
    if (!after.has(path)) return [`missing  ${path}`];
    return [before.has(path) ? `changed  ${path}` : `new      ${path}`];
  });
}

/** Starts `tenon sandbox` and waits until it tells its URLs. */
export function startSandbox(env) {
  const child = spawn(process.execPath, [BIN, 'sandbox', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill();
      reject(new Error('the sandbox did not start within 15 s'));
    }, 15_000);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (!text.includes('\n')) return;
      clearTimeout(limit);
      const { data } = JSON.parse(text.split('\n')[0]);
      resolve({ apiUrl: data.apiUrl, mcpUrl: data.mcpUrl, stop: () => child.kill('SIGTERM') });
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
}
