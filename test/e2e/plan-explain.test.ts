import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';

interface Origin {
  readonly name: string;
  readonly value: unknown;
  readonly origin: string;
}

const URLS = {
  VERA_API_URL: 'http://127.0.0.1:8765',
  VERA_MCP_URL: 'http://127.0.0.1:8765/mcp',
};
const CODEX = ['codex'];

async function explained(repo: ReturnType<typeof bench>, args: readonly string[], env = {}) {
  const run = await repo.json(['plan', ...args, '--explain'], { env });
  const origins: Origin[] = run.document.data.origins;
  return { run, of: (name: string) => origins.find((one) => one.name === name) };
}

describe('plan --explain', () => {
  it('names for every value the one place that decided it', async () => {
    const repo = bench({ '.codex/config.toml': '# mine\n' });
    const args = ['vera', '--set', 'SAVE_MODE=off', '--set', 'codex-hooks-feature=on', '--without', 'hooks'];
    const { of } = await explained(repo, args, URLS);
    expect(of('VERA_API_URL')).toMatchObject({ value: URLS.VERA_API_URL, origin: 'environment' });
    expect(of('SAVE_MODE')).toMatchObject({ value: 'off', origin: 'flag' });
    expect(of('AUTH')).toMatchObject({ value: 'client', origin: 'default' });
    expect(of('runtimes')).toMatchObject({ value: ['codex'], origin: 'repository' });
    expect(of('without')).toMatchObject({ value: ['hooks'], origin: 'flag' });
    expect(of('codex-hooks-feature')).toMatchObject({ value: 'on', origin: 'override' });
    expect(of('codex-approval-policy')).toMatchObject({ value: 'off', origin: 'definition' });
    // A default is what it really is here, not what the definition would have it be.
    expect(of('defaults.save_mode')).toMatchObject({ value: 'off', origin: 'flag' });
    expect(of('defaults.context_mode')).toMatchObject({ value: 'agent_initiated', origin: 'flag' });
    expect(of('defaults.tool_profile')).toMatchObject({ value: 'coding', origin: 'definition' });
    expect(of('writes.shared_promotion')).toMatchObject({ value: 'forbidden', origin: 'definition' });
  });

  it('tells what the manifest says from what stands on this host alone', async () => {
    const repo = bench();
    expectCode(await repo.run(setupVera(CODEX, '--set', 'TOOL_PROFILE=advanced')), 0);
    const known = await explained(repo, ['vera']);
    expect(known.of('TOOL_PROFILE')).toMatchObject({ value: 'advanced', origin: 'manifest' });
    expect(known.of('runtimes')?.origin).toBe('manifest');
    expect(known.of('defaults.tool_profile')).toMatchObject({ value: 'advanced', origin: 'manifest' });
    const own = bench();
    expectCode(await own.run(setupVera(CODEX, '--local', '--set', 'SAVE_MODE=off')), 0);
    const later = await explained(own, []);
    expect(later.of('SAVE_MODE')).toMatchObject({ value: 'off', origin: 'ledger' });
    expect(later.of('runtimes')?.origin).toBe('manifest');
  });
});

describe('an override of a default', () => {
  it('is an item of its own beside the plan, and stands in manifest and ledger until it goes', async () => {
    const repo = bench();
    const run = await repo.json(
      setupVera(CODEX, '--set', 'SAVE_MODE=off', '--set', 'TOOL_PROFILE=compatibility'),
    );
    expectCode(run, 0);
    const told = run.document.findings.filter(({ code }: { code: string }) => code === 'override/recorded');
    expect(told.map(({ data }: { data: { default: string } }) => data.default)).toEqual([
      'defaults.save_mode',
      'defaults.tool_profile',
      'defaults.legacy_tools',
    ]);
    expect(told[0].message).toBe(
      'overrides the default defaults.save_mode: "off" instead of "suggest" (SAVE_MODE=off)',
    );
    expect(JSON.parse(repo.text('.tenon/manifest.json')).integrations.vera.inputs).toMatchObject({
      SAVE_MODE: 'off',
      TOOL_PROFILE: 'compatibility',
    });
    const overrides = () => JSON.parse(ledgerText(repo)).choices?.[0]?.overrides;
    expect(overrides()).toEqual({
      'defaults.save_mode': 'off',
      'defaults.tool_profile': 'compatibility',
      'defaults.legacy_tools': 'enabled',
    });
    const back = await repo.json(
      setupVera(CODEX, '--set', 'SAVE_MODE=suggest', '--set', 'TOOL_PROFILE=coding'),
    );
    expectCode(back, 0);
    expect(back.stdout).not.toContain('override/recorded');
    expect(overrides()).toBeUndefined();
    expectCode(await repo.run(['uninstall', '--yes']), 0);
  });
});

describe('plan contacts nothing, and names the way of each tool to log in as far as it is known', () => {
  it.each([
    [[], 'not-checked', 'whether a login is needed was not checked'],
    [['--set', 'AUTH=token-env'], 'reference', 'sends the token of the variable VERA_MCP_TOKEN'],
    [['--set', 'AUTH=token-file'], 'literal', 'sends a token that stands in an untracked file'],
  ])('with %j', async (flags, way, text) => {
    const repo = bench();
    const args = [
      'plan',
      ...setupVera(CODEX, ...flags)
        .slice(1)
        .filter((one) => one !== '--yes'),
    ];
    const run = await repo.json(args);
    expect(run.document.data.login.ways, run.stdout).toEqual([{ runtime: 'codex', server: 'vera', way }]);
    expect((await repo.run(args)).stdout.replaceAll(/\s+/g, ' ')).toContain(`Login codex ${text}`);
  });
});

function ledgerText(repo: ReturnType<typeof bench>): string {
  const folder = path.join(repo.home, '.local', 'state', 'tenon', 'ledger');
  const [name] = fs.readdirSync(folder).filter((one) => one !== 'user.json');
  return fs.readFileSync(path.join(folder, name ?? ''), 'utf8');
}
