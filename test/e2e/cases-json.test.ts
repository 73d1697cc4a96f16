import { describe, expect, it } from 'vitest';
import { expectRoundTrip, type RoundTrip } from '../helpers/round-trip.ts';

const cases: Record<string, RoundTrip> = {
  'a comment behind the last member and its trailing comma': {
    runtime: 'vscode',
    text: `{
  // what the team shares
  "servers": {
    "tickets": { "type": "http", "url": "https://tickets.example.com/mcp" }, // ask Kim before changing
  },
}
`,
    holds(after) {
      expect(after).toMatch(/mcp" \}, \/\/ ask Kim before changing\n/);
      expect(after).not.toMatch(/,\s*,/);
    },
  },
  'a comment behind the last member without a comma': {
    runtime: 'vscode',
    text: `{
  "servers": {
    "tickets": { "type": "stdio", "command": "tickets" } // no comma here
    /* the end */
  }
}
`,
    holds: (after) => expect(after).toMatch(/"tickets" \},? \/\/ no comma here\n/),
  },
  'half a quote in a comment, and commas and braces inside strings': {
    runtime: 'opencode',
    file: 'opencode.jsonc',
    text: `{
  // the 24" screen needs it, isn't it
  "watcher": { "ignore": ["src/*.{gen,}", "x,]", "// text", "/* text"] },
  /* "open */
  "mcp": {}
}
`,
    holds(after) {
      expect(after).toContain('"ignore": ["src/*.{gen,}", "x,]", "// text", "/* text"]');
      expect(after).toContain('// the 24" screen needs it, isn\'t it\n');
    },
  },
  'one line with a number that no double holds, and a member named __proto__': {
    runtime: 'claude-code',
    text: '{"mcpServers":{"q":{"command":"q-mcp","env":{"SEED":9007199254740995}}},"__proto__":{"kept":true}}',
    holds(after) {
      expect(after).toContain('"q":{"command":"q-mcp","env":{"SEED":9007199254740995}}');
      expect(after).toContain('"__proto__":{"kept":true}');
      expect(after).not.toContain('\n');
    },
  },
  'tabs and no final newline': {
    runtime: 'cursor',
    text: '{\n\t"mcpServers": {\n\t\t"tickets": {\n\t\t\t"url": "https://tickets.example.com/mcp"\n\t\t}\n\t}\n}',
    holds(after) {
      expect(after.split('\n').filter((line) => /^ /.test(line))).toEqual([]);
      expect(after.endsWith('}')).toBe(true);
    },
  },
  'four spaces': {
    runtime: 'cursor',
    text: '{\n    "mcpServers": {\n        "a": { "command": "a" }\n    }\n}\n',
    holds: (after) => expect(after).toMatch(/\n {8}"vera": /),
  },
  'only a comment in the container': {
    runtime: 'zed',
    text: '// of this folder\n{\n  "vim_mode": true,\n  "context_servers": {\n    // none yet\n  }\n}\n',
    holds: (after) => expect(after).toMatch(/"context_servers": \{\s*\/\/ none yet\n/),
  },
  'nothing but comments in the file': {
    runtime: 'opencode',
    file: 'opencode.jsonc',
    text: '// Agents read this.\n/* Kept by the tools team */\n',
    holds: (after, before) => expect(after.startsWith(before)).toBe(true),
  },
  'no byte at all': { runtime: 'antigravity', text: '' },
  'one line end and nothing else': { runtime: 'claude-code', text: '\n' },
  'white space only, with CRLF': { runtime: 'vscode', text: '  \r\n\r\n' },
  'an empty object': { runtime: 'claude-code', text: '{}' },
  'an empty object over two lines': { runtime: 'gemini-cli', text: '{\n}\n' },
  'no container yet, other members around a comment': {
    runtime: 'zed',
    text: '{\n  "theme": "One Dark", // dark at night\n  "tab_size": 4\n  // more to come\n}\n',
  },
  'a container in one line among many lines': {
    runtime: 'vscode',
    text: '{\n  "servers": { "a": { "command": "a" }, "b": { "command": "b" } },\n  "inputs": []\n}\n',
  },
  'a number spelled in its own way and an escaped key': {
    runtime: 'gemini-cli',
    text: '{ "ui": { "scale": 1.50e0 }, "mcp\\u0053ervers": { "x": { "command": "caf\\u00e9" } } }\n',
    holds(after) {
      expect(after).toContain('1.50e0');
      expect(after).toContain('"mcp\\u0053ervers"');
      expect(after).not.toContain('"mcpServers"');
    },
  },
};

describe('a JSON file gets the server and gets back to what it was', () => {
  it.each(Object.entries(cases))('with %s', async (_, one) => {
    expect.hasAssertions();
    await expectRoundTrip(one);
  });
});
