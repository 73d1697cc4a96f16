import { describe, expect, it } from 'vitest';
import { bench, expectCode } from '../helpers/bench.ts';

// What becomes the user's stays, and does not stand in the way of what is still ours.

const FILE = '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n';
const add = (name: string): string[] => [
  ...['add', name, `http://127.0.0.1:9/${name}`, '--runtime', 'claude-code', '--offline', '--yes'],
];

describe('a file of which one entry was forgotten', () => {
  it.each([
    ['the first', 's0', ['s1']],
    ['the last', 's1', ['s0']],
  ])('gives up the others: %s', async (_, forgotten, others) => {
    const repo = bench({ '.mcp.json': FILE });
    for (const name of ['s0', 's1']) expectCode(await repo.run(add(name)), 0);
    expectCode(await repo.run(['forget', `.mcp.json#/mcpServers/${forgotten}`, '--yes']), 0);
    expectCode(await repo.run(add('s2')), 0);
    const out = await repo.json(['uninstall', '--yes']);
    expectCode(out, 0);
    const left = JSON.parse(repo.text('.mcp.json')).mcpServers;
    expect(Object.keys(left)).toEqual(['mine', forgotten]);
    for (const name of others) expect(out.document.data.changed.addresses.join()).toContain(name);
    expect((await repo.json(['status'])).document.data.state).toBe('not-set-up');
  });

  it('that was ours as a whole stays with what was forgotten', async () => {
    const repo = bench();
    for (const name of ['s0', 's1']) expectCode(await repo.run(add(name)), 0);
    expectCode(await repo.run(['forget', '.mcp.json#/mcpServers/s0', '--yes']), 0);
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expect(Object.keys(JSON.parse(repo.text('.mcp.json')).mcpServers)).toEqual(['s0']);
  });
});
