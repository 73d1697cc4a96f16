import { describe, expect, it } from 'vitest';
import { decideTier, type TierInput } from '../../../src/runtimes/tier.ts';

const FINE: TierInput = {
  spec: { id: 'pantry', title: 'Pantry', support: 'tier1' },
  platform: 'linux',
  isCertifiable: true,
  enabled: true,
  signs: ['.pantry (project)'],
  program: { state: 'found', name: 'pantry' },
  certification: { state: 'passed' },
};

/** Every step of K14 at fault, in its order; each row switches one off, so that the next one speaks. */
const LADDER: readonly (readonly [string, string, string, Partial<TierInput>])[] = [
  ['platform', 'unsupported', 'unsupported-platform', { platform: 'linux' }],
  ['adapter', 'unsupported', 'adapter-unavailable', { spec: FINE.spec }],
  ['identity', 'degraded', 'incompatible-build', { probe: { launch: 'l', faults: 'f', version: old() } }],
  ['unsafe configuration', 'degraded', 'unsafe-configuration', { unsafe: undefined }],
  ['program', 'configured', 'not-installed', { program: FINE.program }],
  ['set up here', 'detected', 'disabled', { enabled: true }],
  ['login', 'degraded', 'unauthenticated', { authenticated: undefined }],
  ['launch', 'degraded', 'launch-failed', { probe: { faults: 'f', version: old() } }],
  ['probe', 'degraded', 'probe-failed', { probe: { version: old() } }],
  ['version', 'degraded', 'incompatible-build', { probe: undefined }],
  ['conformance', 'degraded', 'run-failed', { certification: { state: 'stale', reason: 's' } }],
  ['stale evidence', 'configured', 'certification-stale', { certification: { state: 'passed' } }],
  ['certified', 'certified', 'none', { certification: { state: 'none' } }],
  ['configured', 'configured', 'none', {}],
];

function old() {
  return { found: '0.9.0', minimum: '1.0.0', isOld: true };
}

describe('the tier of a coding tool', () => {
  it('is decided in the order of K14', () => {
    let input: TierInput = {
      ...FINE,
      spec: { ...FINE.spec, support: 'none', platforms: ['darwin'] },
      platform: 'linux',
      unsafe: 'a credential',
      program: { state: 'absent', name: 'pantry' },
      authenticated: false,
      probe: { isOther: 'another program', launch: 'l', faults: 'f', version: old() },
      certification: { state: 'failed', reason: 'it did not connect' },
    };
    for (const [step, tier, failureClass, mended] of LADDER) {
      // A tool that is not set up is asked for its program first only where it is set up: see the rows below.
      if (step === 'set up here') input = { ...input, enabled: false };
      expect([step, decideTier(input).tier, decideTier(input).failureClass]).toEqual([
        step,
        tier,
        failureClass,
      ]);
      input = { ...input, ...mended };
      if (step === 'platform') input = { ...input, spec: { ...input.spec, platforms: ['linux'] } };
    }
  });

  it.each([
    ['nothing of it is here', { enabled: false, signs: [] }, 'not-detected'],
    ['its program alone is here', { enabled: false, signs: ['pantry (binary)'] }, 'detected'],
    ['it is not set up, whatever its evidence says', { enabled: false }, 'detected'],
    ['its program is the repository’s own', { program: { state: 'inside', name: 'pantry' } }, 'configured'],
    ['its program leads nowhere', { program: { state: 'broken', name: 'pantry' } }, 'degraded'],
    [
      'it has no program',
      { program: { state: 'none', name: '' }, certification: { state: 'none' } },
      'configured',
    ],
    ['it runs on this platform', { spec: { ...FINE.spec, platforms: ['linux'] } }, 'certified'],
    [
      'its version is newer than the tested ones',
      { probe: { version: { ...old(), isOld: false } } },
      'certified',
    ],
    ['its login was looked at and is fine', { authenticated: true }, 'certified'],
  ] as const)('%s', (_, change, tier) => {
    expect(decideTier({ ...FINE, ...change } as TierInput).tier).toBe(tier);
  });

  it('has a remedy wherever something can be done', () => {
    const stale = decideTier({ ...FINE, certification: { state: 'stale', reason: 'its build changed' } });
    expect(stale).toMatchObject({
      reason: expect.stringContaining('its build changed'),
      remedy: { command: 'tenon certify pantry' },
    });
    expect(decideTier({ ...FINE, certification: { state: 'none' } }).remedy?.command).toBe(
      'tenon certify pantry',
    );
    const editor = decideTier({ ...FINE, isCertifiable: false, certification: { state: 'none' } });
    expect(editor.remedy?.command).toBeUndefined();
    expect(editor.remedy?.text).toContain('not known');
  });

  it('never follows from support alone', () => {
    for (const support of ['tier1', 'tier2', 'tier3'] as const) {
      const input: TierInput = { ...FINE, spec: { ...FINE.spec, support }, certification: { state: 'none' } };
      expect(decideTier(input).tier).toBe('configured');
    }
  });
});
