import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';

const CODEX = ['codex'];
const withProject = (name: string, ...more: string[]) =>
  setupVera(CODEX, '--set', `PROJECT=${name}`, ...more);

async function enrolled(...more: string[]) {
  const repo = bench();
  expectCode(await repo.run(withProject('a', ...more)), 0);
  return repo;
}

describe('the project of a root', () => {
  it('goes into manifest and hook arguments; the same again changes nothing', async () => {
    const repo = await enrolled();
    expect(JSON.parse(repo.text('.tenon/manifest.json')).integrations.vera.inputs.PROJECT).toBe('a');
    expect(repo.text('.codex/config.toml') + hooksOf(repo)).toContain('--project=a');
    const before = repo.tree();
    expectCode(await repo.run(withProject('a')), 0);
    expectCode(await repo.run(setupVera(CODEX)), 0);
    expect(repo.tree()).toEqual(before);
  });

  it.each([['--yes'], ['--dry-run'], ['--local']])(
    'is not changed in passing (%s): a conflict with both values and the two choices',
    async (flag) => {
      const repo = await enrolled();
      const before = repo.stamps();
      const run = await repo.json(withProject('b', flag));
      expectCode(run, 4);
      const { error } = run.document;
      expect(error.code).toBe('input/conflict');
      expect(error.message).toContain('"a"');
      expect(error.message).toContain('"b"');
      expect(error.remedy.text).toContain('--resolve input:PROJECT=replace');
      expect(error.remedy.text).toContain('--resolve input:PROJECT=keep');
      expect(repo.stamps()).toEqual(before);
    },
  );

  it('=replace takes the new one into manifest and hook, =keep stays', async () => {
    const repo = await enrolled();
    const before = repo.tree();
    expectCode(await repo.run(withProject('b', '--resolve', 'input:PROJECT=keep')), 0);
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(withProject('b', '--resolve', 'input:PROJECT=replace')), 0);
    expect(JSON.parse(repo.text('.tenon/manifest.json')).integrations.vera.inputs.PROJECT).toBe('b');
    expect(repo.text('.codex/config.toml') + hooksOf(repo)).toContain('--project=b');
    expect(repo.text('.codex/config.toml') + hooksOf(repo)).not.toContain('--project=a');
  });

  it('is as fixed where only this host records it, and in a plan', async () => {
    const repo = await enrolled('--local');
    expect(repo.text('.tenon/manifest.json')).not.toContain('PROJECT');
    expect((await repo.json(withProject('b'))).document.error.code).toBe('input/conflict');
    const plan = ['plan', 'vera', '--runtime', 'codex', '--set', 'PROJECT=b'];
    const refused = await repo.json(plan);
    expectCode(refused, 4);
    expect(refused.document.error.code).toBe('input/conflict');
    expectCode(await repo.run([...plan, '--resolve', 'input:PROJECT=replace']), 0);
  });

  it('a saved plan keeps the decision', async () => {
    const repo = await enrolled();
    const plan = path.join(path.dirname(repo.root), 'plan.json');
    const made = ['plan', 'vera', '--runtime', 'codex', '--set', 'PROJECT=b', '--out', plan];
    expectCode(await repo.run([...made, '--resolve', 'input:PROJECT=replace']), 0);
    expectCode(await repo.run(['apply', plan, '--offline', '--yes']), 0);
    expect(JSON.parse(repo.text('.tenon/manifest.json')).integrations.vera.inputs.PROJECT).toBe('b');
  });

  it('other inputs change as before, and an unknown one is no address', async () => {
    const repo = await enrolled();
    expectCode(await repo.run(setupVera(CODEX, '--set', 'SAVE_MODE=off')), 0);
    const run = await repo.json(setupVera(CODEX, '--resolve', 'input:SAVE_MODE=replace'));
    expectCode(run, 2);
    expect(run.document.error.code).toBe('usage/unknown-address');
  });
});

function hooksOf(repo: ReturnType<typeof bench>): string {
  return repo.exists('.codex/hooks.json') ? repo.text('.codex/hooks.json') : '';
}
