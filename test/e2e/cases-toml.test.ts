import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { addVera, bench, expectCode } from '../helpers/bench.ts';
import { runTerminal } from '../helpers/cli.ts';
import { expectRoundTrip } from '../helpers/round-trip.ts';

const MANAGED = `# kept by hand\r\nmodel = "m"\r\n\r\n# BEGIN frob managed\r\n[mcp_servers.frob]\r\ncommand = "frob"\r\n# END frob managed\r\n`;

const cases: Record<string, { text: string; holds?: (after: string, before: string) => void }> = {
  'comments, unknown keys, floats without fraction and notes at the end': {
    text: `# see the wiki
model = "m-1" # do not raise

[mcp_servers.tickets] # run by support
command = "npx"
args = [ "-y", "tickets-mcp" ]
tool_timeout_sec = 45.0
x_unknown = { deep = [ 1, 2 ] }

[features]
fast = true
# -- end --
# talk to support first
`,
    holds(after) {
      expect(after).toContain('tool_timeout_sec = 45.0\nx_unknown = { deep = [ 1, 2 ] }\n');
      expect(after).toContain('fast = true\n# -- end --\n# talk to support first\n');
    },
  },
  'servers as dotted keys at the root': {
    text: 'mcp_servers.tickets.command = "tickets"\nmcp_servers.tickets.enabled = false\nsandbox_mode = "read-only"\n\n[profiles.slow]\nmodel = "m"\n',
    holds(after) {
      expect(Object.keys(parse(after)['mcp_servers'] as object)).toEqual(['tickets', 'vera']);
      expect(parse(after)).toMatchObject({ sandbox_mode: 'read-only', profiles: { slow: { model: 'm' } } });
    },
  },
  'CRLF and the block of another tool at the end': {
    text: MANAGED,
    holds(after) {
      const inside = /# BEGIN frob managed([\s\S]*)# END frob managed/.exec(after)?.[1];
      expect(inside).toBe('\r\n[mcp_servers.frob]\r\ncommand = "frob"\r\n');
    },
  },
  'no newline at the end': { text: '[mcp_servers.tickets]\ncommand = "tickets"' },
  'a comment without newline at the end': { text: 'model = "m"\n# last' },
  'a byte order mark': { text: '\uFEFFmodel = "m"\n\n[mcp_servers.tickets]\ncommand = "tickets"\n' },
  'the largest integer of 64 bits': {
    text: 'limit = 9223372036854775807\n\n[mcp_servers.tickets]\ncommand = "tickets"\n',
    holds: (after) => expect(after).toContain('limit = 9223372036854775807\n'),
  },
  'an inline table of servers': {
    text: 'mcp_servers = { tickets = { command = "tickets" } }\n[features]\nfast = true\n',
  },
  'a header with blanks and quotes': {
    text: '[ mcp_servers . "ti.ckets" ]\ncommand = \'C:\\tools\\x.exe\'\n',
    holds: (after) => expect(after).toContain("'C:\\tools\\x.exe'"),
  },
  'dates and multi-line strings that look like tables': {
    text: 'since = 1979-05-27T07:32:00-08:00\nnotes = """\n[mcp_servers.vera]\nurl = "x"\n"""\n',
  },
  'an empty file': { text: '' },
  'comments only': { text: '# nothing here yet\n' },
};

describe('a TOML file gets the server and gets back to what it was', () => {
  it.each(Object.entries(cases))('with %s', async (_, one) => {
    expect.hasAssertions();
    await expectRoundTrip({ runtime: 'codex', ...one });
  });

  it('also when its line ends were converted in between', async () => {
    const file = '.codex/config.toml';
    const repo = bench({ [file]: MANAGED });
    expectCode(await repo.run(addVera(['codex'])), 0);
    repo.write(file, repo.text(file).replaceAll('\r\n', '\n'));
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['doctor', '--offline']), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.text(file)).toBe(MANAGED.replaceAll('\r\n', '\n'));
  });

  it('and writes a path with backslashes so that it reads back as typed', async () => {
    const repo = bench({ '.codex/config.toml': 'model = "m"\n' });
    const command = 'C:\\Users\\sam\\new "tools"\\mcp.exe';
    // A server that starts a program is trusted by the person who approves it at a terminal.
    const typed = ['add', 'files', '--runtime', 'codex', '--', command, "it's", 'a\\b'];
    const steps = [{ expect: /Apply/, send: '\u001b[B\r' }];
    const result = await runTerminal(typed, steps, { cwd: repo.root, home: repo.home });
    expect(result.code, result.screen).toBe(0);
    expect(parse(repo.text('.codex/config.toml'))).toEqual({
      model: 'm',
      mcp_servers: { files: { command, args: ["it's", 'a\\b'] } },
    });
    expectCode(await repo.run(['uninstall', 'files', '--yes']), 0);
    expect(repo.text('.codex/config.toml')).toBe('model = "m"\n');
  });
});
