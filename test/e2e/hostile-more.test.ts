import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { bench, type Files, setupVera } from '../helpers/bench.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, PACKAGE, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, scratch, treeOf, writeTree } from '../helpers/repo.ts';

// What `hostile.test.ts` leaves: names on disk, patterns, names that git keeps, answers of servers, tenon's own MCP server.

const SETUP = setupVera(['claude-code', 'codex']);
const LOOKS = [['status'], ['doctor', '--offline'], ['sync', '--check', '--offline'], ['trust', 'scan']];
const LONG = 120_000;
const EVIL = '\u001b]8;;http://evil.invalid\u0007click\u001b]8;;\u0007\u001b[31m\u202eevil\u2066\u009b2J';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const activeIn = (...texts: string[]): string | undefined =>
  texts.map((text) => ACTIVE.exec(text)?.[0]).find((one) => one !== undefined);

const BLOCK: Files = {
  'acme/integration.json': JSON.stringify({
    ...{ schemaVersion: 1, id: 'acme', version: '1.0.0', title: 'T', summary: 's' },
    artifacts: [{ kind: 'block', name: 'note', block: 'note', source: 'f.md' }],
  }),
  'acme/f.md': 'note\n',
};

test(
  'files with two names on disk are not written, wherever they stand',
  async () => {
    const place = bench({ ...BLOCK });
    const names = {
      '.claude/settings.json': '{}\n',
      'AGENTS.md': '# mine\n',
      '.codex/config.toml': 'model = "m"\n',
      '.tenon/manifest.json': '{"schemaVersion":1}\n',
      '.claude/skills/vera-memory/SKILL.md': 'x\n',
      '.claude/hooks/vera-hook.cjs': 'x\n',
      '.mcp.json': '{}\n',
    };
    const outside = scratch();
    for (const [name, text] of Object.entries(names)) {
      const victim = path.join(outside, path.basename(name));
      fs.writeFileSync(victim, text);
      fs.mkdirSync(path.dirname(path.join(place.root, name)), { recursive: true });
      fs.linkSync(victim, path.join(place.root, name));
    }
    const before = treeOf(outside);
    const refused = new Set<string>();
    for (const args of [
      SETUP,
      ['plan', './acme', '--runtime', 'codex'],
      ['adopt', '--yes'],
      ['sync', '--yes'],
    ]) {
      const { stdout, document } = await place.json(args);
      expect(stdout).not.toMatch(/internal\/|run\/system-error/);
      for (const { code, address } of document.data?.plan?.conflicts ?? [])
        if (code === 'file/hard-linked') refused.add(address.split('#')[0]);
    }
    expect([...refused].sort()).toEqual(
      Object.keys(names)
        .filter((name) => !/SKILL|vera-hook/.test(name))
        .sort(),
    );
    expect(treeOf(outside)).toEqual(before);
  },
  LONG,
);

describe('names that are one where case or accents do not count', () => {
  test(
    'are other files here: they are not read for ours, and stay',
    async () => {
      const files = {
        '.MCP.json': '{"mcpServers":{"vera":{"command":"evil"}}}\n',
        '.Claude/settings.json': '{"hooks":{}}\n',
        '.Tenon/manifest.json': '{"schemaVersion":9}\n',
        '.m\u0441p.json': '{}\n',
        '\u0410GENTS.md': 'x\n',
        'caf\u00e9.md': 'one',
        'cafe\u0301.md': 'two',
      };
      const place = bench(files);
      const before = place.tree();
      for (const args of [SETUP, ...LOOKS]) {
        const { stdout, document } = await place.json(args);
        expect(stdout).not.toMatch(/internal\/|run\/system-error/);
        expect(document.exitCode, `${args.join(' ')}: ${stdout}`).toBeLessThan(2);
      }
      expect(place.text('.mcp.json')).not.toContain('evil');
      expect((await place.run(['uninstall', 'vera', '--yes'])).code).toBe(0);
      expect(place.tree()).toEqual(before);
    },
    LONG,
  );

  const file = (name: string, target: string) => ({ kind: 'file', name, path: target, source: 'f.md' });
  const defined = (id: string, ...targets: string[]): Files => ({
    [`${id}/integration.json`]: JSON.stringify({
      ...{ schemaVersion: 1, id, version: '1.0.0', title: 'T', summary: 's' },
      artifacts: targets.map((target, index) => file(`f${index}`, target)),
    }),
    [`${id}/f.md`]: 'x',
  });
  const PAIRS = [
    ['.claude/commands/caf\u00e9.md', '.claude/commands/cafe\u0301.md'],
    ['.claude/commands/a.md', '.claude/commands/A.md'],
  ] as const;

  test.each(PAIRS)('an integration whose files are one there is refused: %j and %j', async (one, two) => {
    const place = bench(defined('acme', one, two));
    const { document } = await place.json(['plan', './acme', '--runtime', 'claude-code']);
    expect(document.error?.code).toBe('integration/invalid');
  });

  test.each(PAIRS)(
    'two integrations whose files are one there are a conflict: %j and %j',
    async (one, two) => {
      const place = bench({ ...defined('acme', one, '.claude/commands/b.md'), ...defined('other', two) });
      const before = place.tree();
      const both = ['./acme', './other', '--runtime', 'claude-code'];
      const { document } = await place.json(['plan', ...both]);
      const { conflicts } = document.data.plan;
      expect(conflicts.map(({ address }: { address: string }) => address).sort()).toEqual([one, two].sort());
      for (const { code, message } of conflicts) {
        expect(code).toBe('ownership/overlap');
        expect(message).toContain('are one file where case is ignored');
      }
      expect((await place.json(['setup', ...both, '--yes'])).code).toBe(4);
      expect(place.tree()).toEqual(before);
    },
  );
});

describe('keys that JavaScript knows', () => {
  const TOML = [
    '[mcp_servers.__proto__]\ncommand = "x"\n[mcp_servers.constructor]\ncommand = "y"\n',
    'mcp_servers.__proto__.url = "http://x"\n"constructor" = { prototype = { polluted = true } }\n[__proto__]\na = 1\n[[projects.__proto__]]\n',
  ];
  test.each(TOML)(
    'in TOML change nothing but what they say: %j',
    async (text) => {
      const place = bench({ '.codex/config.toml': text }, { home: { '.codex/config.toml': text } });
      const before = place.tree();
      for (const args of [['doctor', '--offline'], SETUP, ...LOOKS]) {
        const { stdout, document } = await place.json(args);
        expect(stdout).not.toMatch(/internal\/|run\/system-error/);
        if (args === SETUP) expect(document.exitCode, stdout).toBe(0);
        expect(place.text('.codex/config.toml').startsWith(text)).toBe(true);
      }
      expect(place.text('.codex/config.toml')).toContain('[mcp_servers.vera]');
      expect((await place.run(['uninstall', '--yes'])).code).toBe(0);
      expect(place.tree()).toEqual(before);
    },
    LONG,
  );

  test.each(['__proto__', 'constructor'])(
    'are names of servers as others are: %s',
    async (name) => {
      const place = bench({ '.codex/config.toml': 'model = "m"\n', '.mcp.json': '{ "mcpServers": {} }\n' });
      const before = place.tree();
      const add = ['add', name, 'http://127.0.0.1:9/mcp', '--runtime', 'codex', '--runtime', 'claude-code'];
      expect((await place.run([...add, '--offline', '--yes'])).code).toBe(0);
      expect(place.text('.codex/config.toml')).toContain(`[mcp_servers.${name}]`);
      expect((await place.json(['status'])).document.data.state).toBe('ok');
      expect((await place.run(['uninstall', '--yes'])).code).toBe(0);
      expect(place.tree()).toEqual(before);
    },
    LONG,
  );
});

describe('patterns that take for ever', () => {
  const BOMB = '^(([a-z])+.)+$';
  test('in a spec are refused with their place, and soon', async () => {
    const spec = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'specs/claude-code.json'), 'utf8'));
    const cwd = scratch();
    const changed: [string, (one: typeof spec) => void][] = [
      ['mcp.expands.0', (one) => one.mcp.expands.splice(0, 1, BOMB)],
      ['mcp.nameRule', (one) => Object.assign(one.mcp, { nameRule: '(?:a?){40}a{40}' })],
      ['version.pattern', (one) => Object.assign(one.version, { pattern: '(\\d+|\\d\\d+)+x' })],
    ];
    for (const [field, change] of changed) {
      const one = structuredClone(spec);
      change(one);
      fs.writeFileSync(path.join(cwd, 'claude-code.json'), JSON.stringify(one));
      const { document, code } = await runJson(['validate', 'claude-code.json'], { cwd });
      expect([field, code]).toEqual([field, 1]);
      expect(JSON.stringify(document.findings)).toContain('can take for ever');
    }
  });

  test(
    'in lists of servers and in rules for inputs stop no command',
    async () => {
      const slow = `*${'a*'.repeat(60)}b`;
      const place = bench(
        {
          '.claude/settings.json': JSON.stringify({
            deniedMcpServers: [{ serverUrl: slow }],
            allowedMcpServers: [{ serverUrl: slow }, { serverName: 'vera' }],
          }),
          'data.json': JSON.stringify({ name: `${'a'.repeat(5000)}!` }),
          'acme/integration.json': JSON.stringify({
            ...{ schemaVersion: 1, id: 'acme', version: '1.0.0', title: 'T', summary: 's' },
            inputs: [
              {
                ...{ name: 'X', type: 'string', prompt: 'x', default: 'none' },
                evidence: [
                  {
                    file: 'data.json',
                    format: 'json',
                    at: ['name'],
                    matches: `${'a*'.repeat(40)}b`,
                    value: 'y',
                    says: 'z',
                  },
                ],
              },
            ],
            artifacts: [{ kind: 'block', name: 'note', block: 'note', source: 'f.md' }],
          }),
          'acme/f.md': 'x',
        },
        { cli: { timeoutMs: LONG } },
      );
      const url = `http://127.0.0.1:9/${'a'.repeat(120)}`;
      expect(
        (await place.run(['add', 'long', url, '--runtime', 'claude-code', '--offline', '--yes'])).code,
      ).toBe(0);
      for (const args of [['doctor', '--offline'], ['plan', './acme', '--runtime', 'codex'], ['status']]) {
        const { stdout } = await place.json(args);
        expect(stdout).not.toMatch(/internal\//);
      }
    },
    LONG,
  );
});

describe('what git keeps', () => {
  test(
    'programs for pages, signatures, credentials and texts are not started',
    async () => {
      const proof = path.join(scratch(), 'ran');
      const evil = path.join(scratch(), 'evil.sh');
      fs.writeFileSync(evil, `#!/bin/sh\ntouch ${proof}\nexit 1\n`, { mode: 0o755 });
      const cwd = gitRepo({
        '.gitattributes': '* diff=evil merge=evil filter=evil\n',
        '.mcp.json': JSON.stringify({
          mcpServers: { n: { command: 'x', env: { API_KEY: 'sk-abcdefghij1234567890' } } },
        }),
      });
      for (const [key, value] of [
        ['diff.evil.textconv', evil],
        ['diff.evil.command', evil],
        ['merge.evil.driver', evil],
        ['filter.evil.smudge', evil],
        ['filter.evil.clean', evil],
        ['filter.evil.required', 'true'],
        ['gpg.program', evil],
        ['gpg.ssh.program', evil],
        ['log.showSignature', 'true'],
        ['commit.gpgSign', 'true'],
        ['credential.helper', `!${evil}`],
        ['core.askPass', evil],
        ['core.gitProxy', evil],
        ['core.alternateRefsCommand', evil],
        ['sequence.editor', evil],
        ['interactive.diffFilter', evil],
        ['pager.status', evil],
        ['pager.config', evil],
        ['remote.origin.url', 'https://example.invalid/x.git'],
        ['remote.origin.vcs', 'evil'],
        ['trailer.x.command', evil],
        ['uploadpack.packObjectsHook', evil],
      ] as const)
        git(cwd, ['config', key, value]);
      const home = makeHome();
      // Changed in the same length, so that git has to look into it to say whether it differs.
      const file = path.join(cwd, '.mcp.json');
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"x"', '"y"'));
      for (const args of [...LOOKS, SETUP, ['doctor', '--offline', '--clients'], ['uninstall', '--yes']]) {
        const { code } = await runCli(args, {
          cwd,
          home,
          env: { GIT_ASKPASS: evil, SSH_ASKPASS: evil, GIT_PAGER: evil },
        });
        expect(code).not.toBeNull();
      }
      expect(fs.existsSync(proof)).toBe(false);
      // The trap works: git itself falls into it.
      spawnSync('git', ['status'], { cwd, env: cleanEnv(home), stdio: 'ignore' });
      expect(fs.existsSync(proof)).toBe(true);
    },
    LONG,
  );

  test(
    'branches, remotes and URLs act on no terminal',
    async () => {
      const cwd = gitRepo();
      const bidi = '\u202eevil\u2066\u200e';
      const head = fs.readFileSync(path.join(cwd, '.git/HEAD'), 'utf8').trim().replace('ref: ', '');
      writeTree(cwd, {
        [`.git/refs/heads/${bidi}`]: fs.readFileSync(path.join(cwd, '.git', head)),
        '.git/HEAD': `ref: refs/heads/${bidi}\n`,
      });
      git(cwd, ['config', `remote.${bidi}.url`, `https://user:hunter2@example.invalid/${EVIL}.git`]);
      git(cwd, ['config', 'remote.origin.url', `https://user:hunter2@example.invalid/${EVIL}${bidi}.git`]);
      git(cwd, ['config', 'core.hooksPath', `hooks${EVIL}`]);
      const home = makeHome();
      for (const args of [
        SETUP,
        ['status'],
        ['doctor', '--offline'],
        ['trust', 'scan'],
        ['plan', '--explain'],
      ])
        for (const more of [['--debug'], ['--json']]) {
          const { stdout, stderr, code } = await runCli([...args, ...more], { cwd, home });
          expect([args, code === null, activeIn(stdout, stderr)]).toEqual([args, false, undefined]);
          expect([args, /hunter2|internal\/bug/.test(stdout + stderr)]).toEqual([args, false]);
        }
    },
    LONG,
  );
});

describe('answers of servers', () => {
  test(
    'act on no terminal, whatever they answer',
    async () => {
      let turn = 0;
      const rpc = (body: object) => JSON.stringify({ jsonrpc: '2.0', id: 0, ...body });
      const server = createServer((request, response) => {
        const text = `${EVIL}${turn}`;
        request.resume();
        request.on('end', () => {
          if (turn === 0) response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
          else if (turn === 1)
            response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(rpc({ error: { code: -32000, message: text, data: { [text]: text } } }));
          else if (turn === 2)
            response
              .writeHead(401, { 'www-authenticate': `Bearer error="x\u0085", error_description="\u009b31m"` })
              .end(text);
          else if (turn === 3)
            response.writeHead(200, { 'content-type': 'application/json' }).end(
              rpc({
                result: {
                  protocolVersion: text,
                  capabilities: { tools: {} },
                  serverInfo: { name: text, version: text },
                  instructions: text,
                },
              }),
            );
          else response.writeHead(302, { location: `http://127.0.0.1:1/${encodeURI(text)}` }).end(text);
        });
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
        const place = bench();
        const to = (name: string, ...more: string[]) => [
          'add',
          name,
          url,
          '--runtime',
          'claude-code',
          '--yes',
          ...more,
        ];
        expect((await place.run(to('docs', '--offline'))).code).toBe(0);
        for (turn = 0; turn < 5; turn++) {
          for (const args of [to(`docs${turn}`), ['doctor']]) {
            const { stdout, stderr } = await place.run([...args, '--debug']);
            expect([args, turn, activeIn(stdout, stderr)]).toEqual([args, turn, undefined]);
            expect([args, turn, /internal\/bug/.test(stdout + stderr)]).toEqual([args, turn, false]);
          }
        }
      } finally {
        server.close();
      }
    },
    LONG,
  );
});

test(
  'tenon mcp hands no acting text on',
  async () => {
    const cwd = gitRepo({
      '.mcp.json': JSON.stringify({
        mcpServers: { [EVIL]: { command: EVIL, args: [EVIL], env: { [EVIL]: EVIL } } },
      }),
      '.claude/settings.json': `{"hooks": ${EVIL}`,
      '.tenon/manifest.json': JSON.stringify({
        schemaVersion: 1,
        integrations: { [EVIL]: { version: EVIL, runtimes: [EVIL] } },
        suppressions: [{ code: EVIL, reason: EVIL, subject: EVIL, expires: '2999-01-01' }],
      }),
    });
    const client = new Client({ name: EVIL, version: EVIL });
    const home = makeHome();
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args: [BIN, 'mcp'], cwd, stderr: 'pipe', env: cleanEnv(home) },
    });
    let logged = '';
    transport.stderr?.on('data', (bytes) => {
      logged += String(bytes);
    });
    await client.connect(transport);
    try {
      for (const [name, args] of [
        ['status', {}],
        ['doctor', {}],
        ['plan', { integrations: [EVIL], runtimes: [EVIL] }],
        ['explain', { code: EVIL }],
        ['runtimes', {}],
        ['discover', { query: EVIL }],
        ['invoke', { verb: EVIL }],
        [EVIL, {}],
      ] as const) {
        // As a client shows it: what comes is text, and its escapes of JSON are gone.
        const shown: string[] = [];
        const gather = (value: unknown): void => {
          if (typeof value === 'string') shown.push(value);
          else if (typeof value === 'object' && value !== null)
            for (const [key, one] of Object.entries(value)) shown.push(key) && gather(one);
        };
        const answer = await client
          .callTool({ name, arguments: args }, undefined, { timeout: LONG })
          .catch((error: unknown) => String(error));
        gather(typeof answer === 'string' ? [answer] : answer);
        const active = shown.find((text) => ACTIVE.test(text));
        expect([name, active]).toEqual([name, undefined]);
      }
      expect(activeIn(logged)).toBeUndefined();
      expect(treeOf(home)).toEqual({});
    } finally {
      await client.close();
    }
  },
  LONG,
);
