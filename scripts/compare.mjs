// Measures what installers of MCP servers do to configuration files that people wrote, and writes docs/comparison.md.
// Each tool puts one server into a copy of the same three files and takes it out again; what is said is what the bytes
// were. Needs the network once: the other tools are installed, exact versions, into a folder for temporary files.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BIN, ROOT } from './project.mjs';

const URL = 'http://127.0.0.1:9/mcp';
const TOOLS = {
  tenon: {
    version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
    add: (run) =>
      run(BIN, ['add', 'vera', URL, '--offline', '--yes', ...runtimes(['claude-code', 'codex', 'vscode'])]),
    remove: (run) => run(BIN, ['uninstall', 'vera', '--yes']),
  },
  'add-mcp': {
    version: '2.4.0',
    bin: 'add-mcp/dist/index.js',
    add: (run, bin) =>
      run(bin, [URL, '--name', 'vera', '--yes', ...agents(['claude-code', 'codex', 'vscode'])]),
    remove: (run, bin) => run(bin, ['remove', 'vera', '--yes']),
  },
  '@intellectronica/ruler': {
    version: '0.3.44',
    bin: '@intellectronica/ruler/dist/cli/index.js',
    prepare: (repo) => {
      mkdirSync(join(repo, '.ruler'));
      writeFileSync(join(repo, '.ruler', 'AGENTS.md'), '# Rules\n');
      writeFileSync(join(repo, '.ruler', 'ruler.toml'), `[mcp_servers.vera]\nurl = "${URL}"\n`);
    },
    add: (run, bin) =>
      run(bin, ['apply', '--agents', 'claude,codex,copilot', '--no-gitignore', '--local-only']),
    remove: (run, bin) => run(bin, ['revert', '--agents', 'claude,codex,copilot', '--local-only']),
  },
};

/** What people have: comments, another server, their own layout. Nothing exotic. */
const FILES = {
  '.mcp.json':
    '{\n    "mcpServers": {\n        "docs": { "command": "docs-mcp", "args": ["--port", "8080"] }\n    }\n}\n',
  '.codex/config.toml':
    '# ours\nmodel = "gpt-5" # the team\'s\n\n# index of the wiki\n[mcp_servers.docs]\ncommand = "docs-mcp"\nargs = ["--port", "8080"] # not 80\n',
  '.vscode/mcp.json':
    '{\n  // shared by the team\n  "servers": {\n    "docs": { "type": "stdio", "command": "docs-mcp" } // local\n  }\n}\n',
};
const BROKEN = '{ "mcpServers": { "docs": { "command": "docs-mcp" }\n';

const modules = install();
const rows = Object.entries(TOOLS).map(([name, tool]) => ({ name, ...tool, ...measure(tool) }));
writeFileSync(join(ROOT, 'docs', 'comparison.md'), page(rows));
console.log(page(rows));

function measure(tool) {
  const repo = repository(FILES, tool);
  const added = tool.add(...runner(repo, tool));
  const after = states(repo);
  const isThere = Object.values(after).filter((text) => text?.includes(URL)).length;
  const kept = Object.entries(FILES).filter(
    ([path, text]) => lostLines(text, after[path] ?? '') === 0,
  ).length;
  const comments = Object.values(after).reduce((sum, text) => sum + commentsOf(text ?? ''), 0);
  tool.add(...runner(repo, tool));
  const isSame = JSON.stringify(states(repo)) === JSON.stringify(after);
  tool.remove(...runner(repo, tool));
  const back = states(repo);
  const returned = Object.entries(FILES).filter(([path, text]) => back[path] === text).length;

  const hurt = repository({ ...FILES, '.mcp.json': BROKEN }, tool);
  const broken = tool.add(...runner(hurt, tool));
  const untouched = Object.entries(states(hurt)).every(
    ([path, text]) => text === (path === '.mcp.json' ? BROKEN : FILES[path]),
  );
  for (const one of [repo, hurt]) rmSync(dirname(one), { recursive: true, force: true });
  return {
    exit: added.status,
    isThere,
    kept,
    comments,
    isSame,
    returned,
    broken: { exit: broken.status, untouched },
  };
}

function page(measured) {
  const all = Object.values(FILES);
  const total = all.reduce((sum, text) => sum + commentsOf(text), 0);
  const head = ['', ...measured.map(({ name, version }) => `${name} ${version}`)];
  const yes = (value) => (value ? 'yes' : 'no');
  const lines = [
    ['server written to files of 3', ...measured.map(({ isThere, exit }) => `${isThere} (exit ${exit})`)],
    ['files of 3 whose lines are all still there', ...measured.map(({ kept }) => kept)],
    [`comments of ${total} still there`, ...measured.map(({ comments }) => comments)],
    ['a second run changes nothing', ...measured.map(({ isSame }) => yes(isSame))],
    ['files of 3 byte for byte as before after its removal', ...measured.map(({ returned }) => returned)],
    [
      'one file is malformed: exit, and nothing written at all',
      ...measured.map(({ broken }) => `${broken.exit}, ${yes(broken.untouched)}`),
    ],
  ];
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    '# Comparison',
    '',
    `Measured ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${process.platform} by \`node scripts/compare.mjs\`,`,
    'which puts one HTTP server into the same three files (`.mcp.json`, `.codex/config.toml` and `.vscode/mcp.json`, with',
    'comments, another server and a layout of their own) with each tool, runs it again, takes the server out again, and',
    'compares bytes. It says nothing of what it does not measure, such as which coding tools each knows.',
    '',
    row(head),
    row(head.map(() => '---')),
    ...lines.map(row),
    '',
    'A line counts as still there when it stands in the file as it was, white space and all; one comma after it is allowed.',
    '',
  ].join('\n');
}

function repository(files, tool) {
  const repo = join(mkdtempSync(join(tmpdir(), 'tenon-compare-')), 'repo');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  execFileSync('git', ['init', '-q'], { cwd: repo });
  tool.prepare?.(repo);
  return repo;
}

function runner(repo, tool) {
  const home = join(dirname(repo), 'home');
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', CI: '1', DO_NOT_TRACK: '1' };
  const run = (bin, args) =>
    spawnSync(process.execPath, [bin, ...args], {
      cwd: repo,
      env,
      input: '',
      encoding: 'utf8',
      timeout: 120_000,
    });
  return [run, tool.bin === undefined ? undefined : join(modules, tool.bin)];
}

function states(repo) {
  return Object.fromEntries(
    Object.keys(FILES).map((path) => {
      try {
        return [path, readFileSync(join(repo, path), 'utf8')];
      } catch {
        return [path, undefined];
      }
    }),
  );
}

function lostLines(before, after) {
  const lines = new Set(after.split('\n').flatMap((line) => [line, line.replace(/,(?=\s*(\/\/.*)?$)/, '')]));
  return before.split('\n').filter((line) => !lines.has(line)).length;
}

function commentsOf(text) {
  return (text.match(/(^|\s)(#|\/\/) /gm) ?? []).length;
}

function runtimes(ids) {
  return ids.flatMap((id) => ['--runtime', id]);
}

function agents(ids) {
  return ids.flatMap((id) => ['--agent', id]);
}

function install() {
  const folder = join(tmpdir(), 'tenon-compare-tools');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const wanted = Object.entries(TOOLS)
    .filter(([, tool]) => tool.bin !== undefined)
    .map(([name, { version }]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(folder, 'node_modules');
}
