// Puts real output into README.md: runs the built program in a repository made for it, in a home of its own, and writes
// what it printed between the marks. With --check it only tells whether README.md shows what the program prints today.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BIN, ROOT } from './project.mjs';

const BEGIN = '<!-- printed by scripts/readme.mjs -->\n';
const END = '<!-- end of what was printed -->\n';
const FILES = {
  '.codex/config.toml':
    '# how we use Codex here\nmodel = "team-default"\n\n[mcp_servers.wiki]\ncommand = "wiki-mcp"\nargs = ["--port", "8080"] # not 80\n',
  '.mcp.json': '{\n  "mcpServers": {\n    "wiki": { "command": "wiki-mcp" }\n  }\n}\n',
};
const ADD = 'tenon add docs https://docs.example/mcp --offline';
/** What is typed, and whether all of its output is shown or only its last line. */
const TYPED = [
  [`${ADD} --runtime claude-code --runtime codex --dry-run`, 'all'],
  [`${ADD} --runtime claude-code --runtime codex --yes`, 'last'],
  ['tenon status', 'all'],
  ['tenon uninstall docs --yes', 'last'],
  ['git status --short', 'all'],
];

const home = mkdtempSync(join(tmpdir(), 'tenon-readme-'));
const repo = join(home, 'code', 'shop');
const file = join(ROOT, 'README.md');
try {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  const git = (...args) => execFileSync('git', args, { cwd: repo, env: environment() });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=tenon', '-c', 'user.email=tenon@example.invalid', 'commit', '-q', '-m', 'Start');
  const shown = `${TYPED.map(([line, part]) => printed(line, part)).join('\n\n')}\n`;
  const readme = readFileSync(file, 'utf8');
  const [head, rest] = readme.split(BEGIN);
  const [, tail] = (rest ?? '').split(END);
  if (tail === undefined) throw new Error('README.md has lost its marks');
  const wanted = `${head}${BEGIN}\n\`\`\`console\n${shown}\`\`\`\n\n${END}${tail}`;
  if (!process.argv.includes('--check')) writeFileSync(file, wanted);
  else if (wanted !== readme) {
    console.error('README.md does not show what the program prints: run npm run generate');
    process.exitCode = 1;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

function printed(line, part) {
  const [name, ...args] = line.split(' ');
  const command = name === 'tenon' ? [process.execPath, BIN] : [name];
  const { status, stdout, stderr } = spawnSync(command[0], [...command.slice(1), ...args], {
    cwd: repo,
    env: environment(),
    input: '',
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${line} ended with ${status}: ${stderr}`);
  const text = stdout.trimEnd();
  return [
    `$ ${line}`,
    ...(text === '' ? [] : [part === 'all' ? text : `…\n${text.split(/\n\n/).at(-1)}`]),
  ].join('\n');
}

function environment() {
  return { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', NO_COLOR: '1' };
}
