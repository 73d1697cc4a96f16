import type { Remedy } from '../errors/error.ts';
import type { RuntimeSpec } from './schema.ts';

/**
 * How far a coding tool is usable here (contract, section 3), beside `support`, which is a fact of the spec. `not-detected`:
 * nothing of it is here.
 */
export type Tier = 'detected' | 'configured' | 'certified' | 'degraded' | 'unsupported' | 'not-detected';

/** Why a tool is not certified (requirement K15). */
export type FailureClass =
  | 'none'
  | 'not-installed'
  | 'disabled'
  | 'unauthenticated'
  | 'incompatible-build'
  | 'adapter-unavailable'
  | 'unsafe-configuration'
  | 'probe-failed'
  | 'launch-failed'
  | 'run-failed'
  | 'certification-stale'
  | 'unsupported-platform';

/** What the recorded evidence says of this host's client and of tenon's data as they are now. */
export type Certification =
  | { readonly state: 'none' }
  | { readonly state: 'passed' }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'stale'; readonly reason: string };

export interface TierInput {
  readonly spec: Pick<RuntimeSpec, 'id' | 'title' | 'support' | 'supportReason' | 'platforms'>;
  readonly platform: NodeJS.Platform;
  /** Whether it can be certified at all: its spec says how it is asked. */
  readonly isCertifiable: boolean;
  /** Set up in this repository. */
  readonly enabled: boolean;
  /** What speaks for it here, in words; empty = nothing. */
  readonly signs: readonly string[];
  /** `none`: it has no program of its own (an editor). `name` is the program's. */
  readonly program: {
    readonly state: 'found' | 'absent' | 'inside' | 'broken' | 'none';
    readonly name: string;
  };
  /** Configuration that no tool should be started with: a credential in a tracked file. */
  readonly unsafe?: string | undefined;
  /** Of its login, where a check of this run says; diagnostic everywhere else. */
  readonly authenticated?: boolean | undefined;
  /** What a check of this run saw. */
  readonly probe?: TierProbe | undefined;
  readonly certification: Certification;
}

export interface TierProbe {
  /** The program on PATH is another one, or a build that nobody knows. */
  readonly isOther?: string;
  /** It could not be started, or gave no answer. */
  readonly launch?: string;
  /** It answered, and something is not as it must be: its list, its configuration. */
  readonly faults?: string;
  readonly version?: { readonly found: string; readonly minimum: string; readonly isOld: boolean };
}

export interface Tiered {
  readonly tier: Tier;
  readonly failureClass: FailureClass;
  readonly reason: string;
  readonly remedy?: Remedy;
}

/**
 * The tier of a coding tool, decided in the order of requirement K14: platform, adapter, identity of the program, unsafe
 * configuration, program, set up here, login, launch, probe, version, conformance, stale evidence, certified, configured.
 * Two answers are the product's own: a program that is not on this machine leaves the tool `configured` (files are for
 * everybody who uses the repository, programs are a matter of the machine), and stale evidence counts as none.
 */
export function decideTier(input: TierInput): Tiered {
  const { spec, program, probe, certification, enabled, signs } = input;
  const { id, title } = spec;
  const certify: Remedy = input.isCertifiable
    ? { text: 'Prove it with the client itself', command: `tenon certify ${id}` }
    : { text: `How ${title} is asked without a person is not known; look at it in the tool` };

  if (spec.platforms !== undefined && !spec.platforms.some((one) => one === input.platform)) {
    return unsupported('unsupported-platform', `${title} does not run on ${input.platform}`);
  }
  if (spec.support === 'none') {
    return unsupported('adapter-unavailable', spec.supportReason ?? 'nothing can be written for it');
  }
  if (enabled && probe?.isOther !== undefined) {
    return degraded('incompatible-build', probe.isOther, {
      text: `See to it that ${program.name} on PATH is ${title}`,
    });
  }
  if (enabled && input.unsafe !== undefined) {
    return degraded('unsafe-configuration', input.unsafe, {
      text: 'Take the credential out, and change it where it is valid',
      command: 'tenon doctor',
    });
  }
  if (enabled && program.state === 'broken') {
    return degraded('not-installed', `${program.name} on PATH leads nowhere or is no program`, {
      text: `Install ${title} again`,
    });
  }
  if (enabled && (program.state === 'absent' || program.state === 'inside')) {
    const reason =
      program.state === 'absent'
        ? `set up here; ${program.name} is not on PATH of this machine`
        : `set up here; ${program.name} on PATH is a file of this repository, which tenon never starts`;
    return {
      tier: 'configured',
      failureClass: 'not-installed',
      reason,
      remedy: {
        text: `Certify it where ${title} is installed; where it never is, accept this finding in .tenon/manifest.json`,
      },
    };
  }
  if (!enabled) {
    return signs.length > 0
      ? {
          tier: 'detected',
          failureClass: 'disabled',
          reason: signs.join(', '),
          remedy: {
            text: 'Nothing is set up for it here',
            command: `tenon setup <integration> --runtime ${id}`,
          },
        }
      : { tier: 'not-detected', failureClass: 'not-installed', reason: 'nothing of it is here' };
  }
  if (input.authenticated === false) {
    return degraded('unauthenticated', `${title} is not logged in`, { text: `Log in with ${title} itself` });
  }
  if (probe?.launch !== undefined) {
    return degraded('launch-failed', probe.launch, {
      text: `Start ${program.name} by hand and see what it says`,
    });
  }
  if (probe?.faults !== undefined) {
    return degraded('probe-failed', probe.faults, {
      text: 'The finding of that check says what to do',
      command: 'tenon doctor',
    });
  }
  if (probe?.version?.isOld === true) {
    const { found, minimum } = probe.version;
    return degraded(
      'incompatible-build',
      `${title} ${found} is older than ${minimum}, the oldest that was tested`,
      {
        text: `Update ${title}`,
      },
    );
  }
  if (certification.state === 'failed') {
    return degraded('run-failed', `its certification failed: ${certification.reason}`, certify);
  }
  if (certification.state === 'stale') {
    return {
      tier: 'configured',
      failureClass: 'certification-stale',
      reason: `set up here; certified before, and since then ${certification.reason}`,
      remedy: certify,
    };
  }
  if (certification.state === 'passed') {
    return {
      tier: 'certified',
      failureClass: 'none',
      reason: 'set up here, and proved with this build of the client',
    };
  }
  return { tier: 'configured', failureClass: 'none', reason: 'set up here, not certified', remedy: certify };
}

const unsupported = (failureClass: FailureClass, reason: string): Tiered => ({
  tier: 'unsupported',
  failureClass,
  reason,
  remedy: { text: 'Choose another coding tool, or take this one out with tenon uninstall --runtime ID' },
});

const degraded = (failureClass: FailureClass, reason: string, remedy: Remedy): Tiered => ({
  tier: 'degraded',
  failureClass,
  reason,
  remedy,
});
