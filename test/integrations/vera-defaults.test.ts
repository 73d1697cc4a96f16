import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOverrides, defaultsOf, effectiveDefaults } from '../../src/integrations/defaults.ts';
import { loadIntegration } from '../../src/integrations/load.ts';
import { realReader } from '../../src/system/real-files.ts';
import { PACKAGE } from './vera-files.ts';

const load = () => loadIntegration(realReader, PACKAGE, PACKAGE, 'vera');

describe('the defaults of the VERA contract', () => {
  it('are the values of version 1', async () => {
    const block = defaultsOf(await load());
    expect(block?.contract).toBe(1);
    expect(Object.fromEntries((block?.values ?? []).map((one) => [one.key, one.value]))).toEqual({
      'defaults.scope': 'project',
      'defaults.context_mode': 'hybrid',
      'defaults.save_mode': 'suggest',
      'defaults.system_prompt': 'unchanged',
      'defaults.tool_profile': 'coding',
      'defaults.legacy_tools': 'disabled',
      'approval.project_files': 'plan_required',
      'approval.user_files': 'explicit_approval',
      'approval.dependencies': 'explicit_approval',
      'approval.credentials': 'interactive_only',
      'context.session_bootstrap': 'metadata_only',
      'context.prompt_forwarding': false,
      'context.transcript_forwarding': false,
      'context.failure_mode': 'fail_open',
      'writes.proposals': 'user_configurable',
      'writes.snapshots': 'explicit_only',
      'writes.shared_promotion': 'forbidden',
    });
  });

  it('agree with the inputs that make the choice', async () => {
    const { manifest } = await load();
    const mode = manifest.inputs.find((input) => input.name === 'SAVE_MODE');
    expect([mode?.default, mode?.choices]).toEqual(['suggest', ['off', 'suggest', 'auto-propose']]);
    const profile = manifest.inputs.find((input) => input.name === 'TOOL_PROFILE');
    expect([profile?.default, profile?.choices]).toEqual(['coding', ['coding', 'advanced', 'compatibility']]);
  });

  it.each([
    [{}, {}],
    [{ SAVE_MODE: 'off' }, { 'defaults.save_mode': 'off' }],
    [{ SCOPES: 'memory:read' }, { 'defaults.save_mode': 'off' }],
    [{ TOOL_PROFILE: 'advanced' }, { 'defaults.tool_profile': 'advanced' }],
    [
      { TOOL_PROFILE: 'compatibility' },
      { 'defaults.tool_profile': 'compatibility', 'defaults.legacy_tools': 'enabled' },
    ],
    [{ scope: 'local' }, { 'defaults.scope': 'local' }],
    [{ without: 'hooks' }, { 'defaults.context_mode': 'agent_initiated' }],
  ])('are what they are with %j', async (choices: Record<string, string>, other) => {
    const { scope = 'project', without, ...inputs } = choices;
    const effective = effectiveDefaults(await load(), {
      inputs: new Map(
        Object.entries({ SAVE_MODE: 'suggest', SCOPES: 'all', TOOL_PROFILE: 'coding', ...inputs }),
      ),
      scope,
      without: without === undefined ? [] : [without],
    });
    expect(
      Object.fromEntries(effective.filter((one) => one.isOther).map((one) => [one.key, one.value])),
    ).toEqual(other);
  });

  it.each([
    ['writes.shared_promotion', 'allowed'],
    ['defaults.system_prompt', 'replaced'],
    ['approval.credentials', 'flag'],
    ['context.prompt_forwarding', true],
    ['context.prompt_forwarding', 'true'],
    ['context.transcript_forwarding', true],
    ['approval.project_files', 'automatic'],
  ])('refuse %s=%s', async (key, value) => {
    const loaded = await load();
    expect(() => checkOverrides(loaded, { [key]: value })).toThrow(
      expect.objectContaining({ code: 'override/refused', exit: 4 }),
    );
  });

  it('are documented as they are', () => {
    const script = join(PACKAGE, 'scripts', 'vera-defaults.mjs');
    const generated = execFileSync(process.execPath, [script, '--print'], { encoding: 'utf8' });
    expect(readFileSync(join(PACKAGE, 'docs', 'vera-defaults.md'), 'utf8')).toBe(generated);
  });
});
