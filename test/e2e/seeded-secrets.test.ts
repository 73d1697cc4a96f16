import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runCli, runTerminal, type TerminalStep } from '../helpers/cli.ts';
import { git, gitRepo } from '../helpers/repo.ts';
import { runWarm } from '../helpers/warm.ts';
import { sandbox } from './endpoint-servers.ts';

// Answers are kept as well: they are written, too.
process.env['TENON_TEST_ANSWERS'] ??= 'kept';

const NEIGHBOUR = 'nb-9f8e7d6c5b4a39281706';
const PASSWORD = 'p4ssw0rd-in-a-url';
const PRIVATE = 'private-folder-of-somebody';
const DOWN = '\u001b[B';
const APPROVE: TerminalStep = { expect: /Apply .*\?/, send: `${DOWN}\r` };

/** Every file below a folder with its bytes as text. */
function filesBelow(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    for (const name of readdirSync(path)) {
      const below = join(path, name);
      const stat = lstatSync(below);
      if (stat.isDirectory()) walk(below);
      else if (stat.isFile()) found.set(below, readFileSync(below, 'latin1'));
    }
  };
  if (existsSync(folder)) walk(folder);
  return found;
}

const NEIGHBOURS: Readonly<Record<string, string>> = {
  'claude-code': JSON.stringify(
    {
      mcpServers: {
        mine: { type: 'http', url: `https://u:${PASSWORD}@h.example/mcp`, headers: { 'X-Api': NEIGHBOUR } },
      },
    },
    null,
    2,
  ),
  codex: `[mcp_servers.mine]\nurl = "https://u:${PASSWORD}@h.example/mcp"\nhttp_headers = { X-Api = "${NEIGHBOUR}" }\n`,
  opencode: JSON.stringify(
    {
      mcp: {
        mine: { type: 'remote', url: `https://u:${PASSWORD}@h.example/mcp`, headers: { 'X-Api': NEIGHBOUR } },
      },
    },
    null,
    2,
  ),
};
const FILES: Readonly<Record<string, string>> = {
  'claude-code': '.mcp.json',
  codex: '.codex/config.toml',
  opencode: 'opencode.json',
};

describe('secrets that were seeded', () => {
  it.each(Object.keys(FILES))(
    'reach no byte that a command prints or writes: %s',
    async (runtime) => {
      const server = await sandbox({ auth: 'remote-authenticated' });
      const root = gitRepo();
      git(root, [
        'remote',
        'add',
        'origin',
        `https://user:${PASSWORD}@example.com/Org/Repo.git?token=${NEIGHBOUR}`,
      ]);
      // The home folder itself is a private path; so is a remote that lies on this machine.
      const home = join(makeHome(), PRIVATE);
      mkdirSync(home);
      git(root, ['remote', 'add', 'local', join(home, 'mirror.git')]);
      const file = join(root, FILES[runtime] ?? '');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, NEIGHBOURS[runtime] ?? '');
      chmodSync(file, 0o600);
      const environment = await server.authority?.mint({});
      const token = environment ?? '';
      const options = {
        cwd: root,
        home,
        env: {
          VERA_MCP_TOKEN: token,
          VERA_API_KEY: server.apiKey,
          HTTPS_PROXY: `http://u:${PASSWORD}@127.0.0.1:1`,
        },
      };
      const outputs: [string, string][] = [];
      const say = async (...args: string[]): Promise<void> => {
        // All three voices once; the other tools differ in files alone. The first voice is a process of its own, which keeps
        // its answers, too; the further ones are in the warm process.
        const voices = runtime === 'claude-code' ? [[], ['--json'], ['--debug']] : [['--debug']];
        for (const [index, extra] of voices.entries()) {
          const words = [...args, ...extra];
          const run = await (index === 0 ? runCli(words, options) : runWarm(words, options));
          outputs.push([[...args, ...extra].join(' '), run.stdout + run.stderr]);
        }
      };
      const inputs = [
        '--runtime',
        runtime,
        '--set',
        `VERA_API_URL=${server.apiUrl}`,
        '--set',
        `VERA_MCP_URL=${server.mcpUrl}`,
      ];
      const vera = ['setup', 'vera', ...inputs];
      const literal = [...vera, '--set', 'AUTH=token-file'];
      // Refusals and faults first.
      await say(...literal, '--yes');
      await say(
        'setup',
        'vera',
        '--runtime',
        runtime,
        '--yes',
        '--set',
        `VERA_API_URL=https://u:${PASSWORD}@h.example`,
        '--set',
        `VERA_MCP_URL=${server.mcpUrl}`,
      );
      await say(...vera, '--yes', '--set', `PROJECT=${server.apiKey}`);
      await say('add', 'x', `https://u:${PASSWORD}@h.example/mcp`, '--runtime', runtime, '--yes');
      await say(
        'add',
        'x',
        `https://h.example/mcp?key=${NEIGHBOUR}`,
        '--runtime',
        runtime,
        '--dry-run',
        '--offline',
      );
      await say(
        'add',
        'x',
        'https://h.example/mcp',
        '--header',
        `Authorization: Bearer ${token}`,
        '--runtime',
        runtime,
        '--yes',
      );
      await say('setup', './no/such/tool', '--runtime', runtime, '--dry-run');
      server.update({
        faults: { token: { kind: 'status', status: 500, body: `${server.apiKey} ${token}` } },
      });
      const enter: TerminalStep[] = [
        { expect: 'What may the token do?', send: '\r' },
        APPROVE,
        { expect: 'not shown', send: `${server.apiKey}\r` },
      ];
      const failed = await runTerminal(literal, enter, options);
      outputs.push(['failed exchange', failed.raw]);
      expect(failed.code).toBe(4);
      server.update({ faults: {} });
      // The whole life of a token.
      const entered = await runTerminal(literal, enter, options);
      outputs.push(['setup', entered.raw]);
      expect(entered.code, entered.screen).toBe(0);
      const first = tokenIn(readFileSync(file, 'utf8'));
      const seeds = new Map([
        ['API key', server.apiKey],
        ['token of the environment', token],
        ['token of the file', first],
        ['header of a neighbour', NEIGHBOUR],
        ['password of a URL', PASSWORD],
        ['private path', PRIVATE],
      ]);
      for (const args of [
      ['status'], ['doctor'], ['doctor', '--live'], ['doctor', '--format', 'sarif'], ['plan'], ['plan', 'vera', '--explain', ...inputs],
      ['plan', 'vera', '--patch', ...inputs, '--set', 'SAVE_MODE=off'], ['sync', '--check'], ['sync', '--yes'], ['history'],
      ['trust', '--list'], ['runtimes', runtime], ['state', 'export'], [...vera, '--dry-run', '--set', 'AUTH=token-env'],
      ['doctor', '--format', 'html'], ['doctor', '--format', 'junit'], ['doctor', '--format', 'github'], ['adopt', '--dry-run'],
      ['disable', 'vera', '--dry-run'], ['enable', 'vera', '--dry-run'], ['recover'], ['trust', 'scan'], ['plan', 'vera', ...inputs, '--out', join(home, 'saved.plan')],
      ['apply', join(home, 'saved.plan'), '--dry-run'], ['sync', '--yes', '--set', `PROJECT=${NEIGHBOUR}`], ['sync', '--restore', 'nowhere'],
    ]) await say(...args); // biome-ignore format: one command a piece
      // What the token may do was chosen before, and is recorded.
      const rotated = await runTerminal([...literal, '--rotate'], enter.slice(1), options);
      outputs.push(['rotate', rotated.raw]);
      expect(rotated.code, rotated.screen).toBe(0);
      seeds.set('new token of the file', tokenIn(readFileSync(file, 'utf8')));
      await say('undo', '--dry-run');
      const hits: string[] = [];
      const search = (where: string, text: string): void => {
        for (const [name, secret] of seeds) if (text.includes(secret)) hits.push(`${name} in ${where}`);
      };
      // Paths of this machine are what --debug and an exported ledger are for.
      const shows = (what: string): boolean => what.includes('--debug') || what.startsWith('state export');
      for (const [what, text] of outputs) search(what, shows(what) ? text.replaceAll(PRIVATE, '') : text);
      // Everything that was written, but the one file that is meant to hold the token and its private backups.
      for (const [path, text] of [...filesBelow(root), ...filesBelow(home)]) {
        if (path === file || path.endsWith('/.git/config')) continue;
        if (path.includes('/backup/')) {
          expect(lstatSync(path).mode & 0o777, path).toBe(0o600);
          continue;
        }
        search(path, text);
      }
      expect(hits).toEqual([]);
      const out = await runCli(['uninstall', '--yes'], options);
      outputs.push(['uninstall', out.stdout + out.stderr]);
      search('uninstall', out.stdout + out.stderr);
      expect(hits).toEqual([]);
      expect(readFileSync(file, 'utf8')).toBe(NEIGHBOURS[runtime]);
      expect(outputs.length).toBeGreaterThan(runtime === 'claude-code' ? 60 : 20);
    },
    900_000,
  );
});

const tokenIn = (text: string): string =>
  /Bearer ([\w-]+\.[\w-]+\.[\w-]+)/.exec(text)?.[1] ?? 'no token in the file';
