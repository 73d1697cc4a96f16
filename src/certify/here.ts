import { findClient } from '../clients/run.ts';
import type { Finding } from '../errors/error.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import {
  type Certification,
  decideTier,
  type Tiered,
  type TierInput,
  type TierProbe,
} from '../runtimes/tier.ts';
import { type Evidence, loadEvidence } from '../state/evidence.ts';
import { openStateFolder, type StateFolder } from '../state/folder.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { certificationOf, ownBinding } from './binding.ts';

export interface TierQuestion {
  readonly spec: RuntimeSpec;
  readonly system: Pick<System, 'reader' | 'host'>;
  readonly packageDir: AbsPath;
  /** Programs inside of it are never started. */
  readonly root: AbsPath;
  /** Set up in this repository. */
  readonly enabled: boolean;
  /** What speaks for it here, in words. */
  readonly signs: readonly string[];
  readonly unsafe?: string | undefined;
  readonly probe?: TierProbe | undefined;
  /** The state folder, where it was opened already. */
  readonly state?: StateFolder | undefined;
}

/** The tier of a coding tool here, and the evidence that it rests on. */
export interface TierHere extends Tiered {
  readonly certification: Certification & { readonly at?: string; readonly version?: string };
  /** The evidence is there and cannot be used. */
  readonly problem?: Finding;
}

/**
 * Gathers what {@link decideTier} needs: the program on PATH and the evidence of this host. Starts nothing; files of the
 * client are read only where their stamps differ from those of the evidence.
 */
export function tierHere(question: TierQuestion): TierHere {
  const { spec, system, enabled, signs, unsafe, probe } = question;
  const program = programOf(question);
  const { evidence, problem } = evidenceOf(question);
  const certification: Certification =
    program.path === undefined
      ? { state: 'none' }
      : certify(question, evidence, program.path, probe?.version?.found);
  return {
    ...decideTier({
      spec,
      platform: system.host.platform,
      isCertifiable: spec.list !== undefined && !spec.list.terminal,
      enabled,
      signs,
      program,
      unsafe,
      probe,
      certification,
    }),
    certification:
      evidence === undefined || program.path === undefined
        ? certification
        : { ...certification, at: evidence.at, version: evidence.binding.version },
    ...(problem === undefined ? {} : { problem }),
  };
}

type Program = TierInput['program'] & { readonly path?: AbsPath };

/** The program that `tenon certify` would start, else the first of its names that is there. */
function programOf({ spec, root, system }: TierQuestion): Program {
  const names = [...new Set([...(spec.list?.command.slice(0, 1) ?? []), ...spec.detect.binaries])];
  const seen = names.map((name) => ({ name, found: findClient(name, root, system) }));
  const best =
    seen.find(({ found }) => found.state === 'found') ??
    seen.find(({ found }) => found.state !== 'absent') ??
    seen[0];
  if (best === undefined) return { state: 'none', name: '' };
  const { name, found } = best;
  return { state: found.state, name, ...(found.state === 'found' ? { path: found.path } : {}) };
}

function evidenceOf({ spec, system, state }: TierQuestion): {
  readonly evidence?: Evidence;
  readonly problem?: Finding;
} {
  const opened = state ?? usableState(system);
  return opened === undefined ? {} : loadEvidence(system, opened, spec.id);
}

/** None where the state folder may not be used, which is told by everything that needs it. */
function usableState(system: Pick<System, 'reader' | 'host'>): StateFolder | undefined {
  try {
    return openStateFolder(system);
  } catch {
    return undefined;
  }
}

function certify(
  { spec, packageDir, system }: TierQuestion,
  evidence: Evidence | undefined,
  program: AbsPath,
  version: string | undefined,
): Certification {
  if (evidence === undefined) return { state: 'none' };
  return certificationOf(evidence, { own: ownBinding(spec, packageDir, system), program, version }, system);
}
