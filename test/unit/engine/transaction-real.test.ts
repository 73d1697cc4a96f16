import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv, scratch, treeOf, writeTree } from '../../helpers/repo.ts';
import { changedBefore } from '../../helpers/warm.ts';

const helpers = path.join(import.meta.dirname, '../../helpers');
let child = '';

beforeAll(async () => {
  const outDir = scratch();
  await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: path.join(helpers, 'apply-child.ts'), outDir, target: 'node20', minify: false },
  });
  child = path.join(outDir, 'apply-child.js');
  fs.writeFileSync(path.join(outDir, 'package.json'), '{"type":"module"}');
}, 60_000);

interface World {
  readonly repo: string;
  readonly state: string;
}

function world(): World {
  const repo = scratch();
  writeTree(repo, {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.mcp.json': { text: '{ "mcpServers": {} }\n', mode: 0o600 },
    'linked.json': '{ "linked": "no, not yet, and longer" }\n',
    'other-name.json': { hardLink: 'linked.json' },
    'old/gone.json': { text: 'gone\n', mode: 0o755 },
  });
  return { repo, state: path.join(scratch(), 'state') };
}

function run(at: World, verb: string, env: Record<string, string> = {}) {
  const result = spawnSync(
    process.execPath,
    ['--require', path.join(helpers, 'fault-preload.cjs'), child, verb, at.repo],
    { env: cleanEnv(at.repo, { TENON_STATE_DIR: at.state, ...env }), encoding: 'utf8', timeout: 30_000 },
  );
  return { signal: result.signal, output: result.stdout, errors: result.stderr };
}
const ledgers = (at: World): string[] => {
  const folder = path.join(at.state, 'ledger');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
};
const seen = (at: World) => ({ tree: treeOf(at.repo), ledgers: ledgers(at).map((name) => name.length) });

/** Old and new tree; paths differ in every world, so trees are compared without them. */
function extremes() {
  const at = world();
  const before = seen(at);
  const countFile = path.join(scratch(), 'count');
  const statesFile = path.join(scratch(), 'states');
  const noted = {
    COUNT_FILE: countFile,
    STATES: [at.repo, at.state].join(path.delimiter),
    STATES_FILE: statesFile,
  };
  expect(run(at, 'apply', noted)).toMatchObject({ output: 'applied', errors: '' });
  const states: string[] = JSON.parse(fs.readFileSync(statesFile, 'utf8'));
  return { before, after: seen(at), count: Number(fs.readFileSync(countFile, 'utf8')), states };
}

describe('applyPlan on the real disk', () => {
  it('can be ended by SIGKILL at every write, then recovers to old or new (F08)', () => {
    const { before, after, count, states } = extremes();
    expect(after).not.toEqual(before);
    expect(after.tree['.claude/skills/SKILL.md']).toMatch(/^file 755 /);
    expect(after.tree['linked.json']).toMatch(/^file 644 2 /);
    expect(count).toBeGreaterThan(40);
    expect(states).toHaveLength(count);
    // Before each write that finds something new, and after the last; the others would leave what one of these does.
    const points = changedBefore({ states });
    expect(points.length).toBeGreaterThan(count / 2);
    const outcomes = new Set<string>();
    for (const [index, at] of [...points, count].entries()) {
      const here = world();
      const killed = run(here, 'apply', { [index < points.length ? 'KILL_AT' : 'KILL_AFTER']: String(at) });
      expect([at, killed.signal]).toEqual([at, 'SIGKILL']);
      const recovered = run(here, index % 3 === 0 ? 'undo' : 'recover');
      outcomes.add(recovered.output);
      const state = seen(here);
      const expected =
        recovered.output === 'finished' ? after : recovered.output === 'undone' ? before : undefined;
      const where = `killed at ${at} of ${count}: ${recovered.output} ${recovered.errors}`;
      if (expected === undefined) {
        expect([where, recovered.output]).toEqual([where, 'nothing']);
        expect({
          where,
          either: [before, after].some((one) => JSON.stringify(one) === JSON.stringify(state)),
        }).toEqual({ where, either: true });
      } else expect({ where, state }).toEqual({ where, state: expected });
      expect([
        where,
        Object.values(fs.existsSync(here.state) ? treeOf(here.state) : {}).filter(
          (line) => !/^(folder 700|file 600)/.test(line),
        ),
      ]).toEqual([where, []]);
    }
    expect([...outcomes].sort()).toEqual(['finished', 'nothing', 'undone']);
  }, 600_000);

  it('restores everything when a rename fails for good (case F09)', () => {
    const { before, after } = extremes();
    for (const [times, output, state] of [
      ['3', 'applied', after],
      ['forever', 'apply/rolled-back 5 restored', before],
    ] as const) {
      const here = world();
      const result = run(here, 'apply', {
        FAULT_CALL: 'renameSync',
        FAULT_CODE: 'EPERM',
        FAULT_TIMES: times,
        FAULT_PATH: `${here.repo}/.mcp.json`,
      });
      expect([times, result.output, result.errors]).toEqual([times, output, '']);
      expect([times, seen(here)]).toEqual([
        times,
        state.ledgers.length === 0 ? { ...state, ledgers: [] } : state,
      ]);
    }
  }, 60_000);

  it.each([
    ['writeSync', 'ENOSPC', ''],
    ['fsyncSync', 'EIO', ''],
    ['fchmodSync', 'EPERM', ''],
    ['renameSync', 'ENOSPC', ''],
    ['mkdirSync', 'EACCES', '/.claude'],
    ['unlinkSync', 'EBUSY', 'gone.json'],
    ['rmdirSync', 'EBUSY', '/old'],
    ['openSync', 'EMFILE', '.tenon-'],
  ])(
    'leaves the old or the new state when %s fails once, anywhere',
    (call, code, holds) => {
      const { before, after } = extremes();
      const outputs = new Set<string>();
      for (let at = 1; at <= 25; at += holds === '' ? 2 : 1) {
        const here = world();
        const env = { FAULT_CALL: call, FAULT_CODE: code, FAULT_AT: String(at), FAULT_PATH: holds };
        const result = run(here, 'apply', env);
        outputs.add(result.output);
        const where = `${at}: ${result.output}`;
        expect([where, result.errors]).toEqual([where, '']);
        expect([where, seen(here)]).toEqual([where, result.output === 'applied' ? after : before]);
        if (result.output === 'applied' && holds !== '') break;
      }
      expect(outputs).toContain('apply/rolled-back 5 restored');
    },
    600_000,
  );
});
