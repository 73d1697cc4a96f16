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

  describe('changed in the manifest by somebody else', () => {
    const manifest = '.tenon/manifest.json';
    async function edited() {
      const repo = await enrolled('--set', 'SAVE_MODE=suggest');
      repo.write(manifest, repo.text(manifest).replace('"PROJECT": "a"', '"PROJECT": "b"'));
      return repo;
    }

    it('is a conflict for every command, and what names it is left as it is', async () => {
      const repo = await edited();
      const before = repo.tree();
      for (const [args, code] of [
        [['sync', '--yes'], 1],
        [['sync', '--dry-run'], 4],
        [['plan'], 4],
        [['status'], 1],
        [setupVera(CODEX), 4],
      ] as const) {
        const run = await repo.json(args);
        expectCode(run, code);
        const told = run.document.error ?? run.document.findings.find(isConflict);
        expect(told?.code, args.join(' ')).toBe('input/conflict');
        expect(told.message).toMatch(/PROJECT "a".*"b"/);
        expect(told.remedy.text).toContain('--resolve input:PROJECT=replace');
      }
      const doctor = await repo.json(['doctor', '--offline']);
      expect(doctor.document.findings.some(isConflict)).toBe(true);
      expect(repo.tree()).toEqual(before);
    });

    it('goes back with keep, and needs the trust that every choice of a manifest needs with replace', async () => {
      const repo = await edited();
      const followed = await repo.json(['sync', '--yes', '--resolve', 'input:PROJECT=replace']);
      expect(followed.document.findings.some(isConflict)).toBe(false);
      expect(followed.stdout).toContain('trust/required');
      expect(hooksOf(repo)).toContain('--project=a');
      expectCode(await repo.run(['sync', '--yes', '--resolve', 'input:PROJECT=keep']), 0);
      expect(JSON.parse(repo.text(manifest)).integrations.vera.inputs.PROJECT).toBe('a');
      expect((await repo.json(['status'])).document.data.state).toBe('ok');
      expectCode(await repo.run(['sync', '--yes']), 0);
    });

    it('is none where the files say the same, as on another branch', async () => {
      const repo = await edited();
      const file = '.codex/hooks.json';
      repo.write(file, repo.text(file).replaceAll('--project=a', '--project=b'));
      const run = await repo.json(['plan']);
      expect(run.document.findings.some(isConflict)).toBe(false);
    });

    it('is one as well when it was taken out', async () => {
      const repo = await enrolled();
      repo.write(manifest, repo.text(manifest).replace(/ *"PROJECT": "a",\n/, ''));
      const run = await repo.json(['sync', '--yes']);
      expectCode(run, 1);
      expect(run.document.findings.find(isConflict)?.message).toContain('the manifest now says none');
      expect(hooksOf(repo)).toContain('--project=a');
    });
  });

  it('other inputs change as before, and an unknown one is no address', async () => {
    const repo = await enrolled();
    expectCode(await repo.run(setupVera(CODEX, '--set', 'SAVE_MODE=off')), 0);
    const run = await repo.json(setupVera(CODEX, '--resolve', 'input:SAVE_MODE=replace'));
    expectCode(run, 2);
    expect(run.document.error.code).toBe('usage/unknown-address');
  });
});

const isConflict = ({ code }: { readonly code: string }): boolean => code === 'input/conflict';

function hooksOf(repo: ReturnType<typeof bench>): string {
  return repo.exists('.codex/hooks.json') ? repo.text('.codex/hooks.json') : '';
}
