import { formatAddress } from '../engine/address.ts';
import type { Desired, Enrolment } from '../engine/types.ts';
import type { ExpandedArtifact, LoadedIntegration } from '../integrations/types.ts';
import type { Draft } from '../runtimes/render-types.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import { artifactItem, choicesItem, type TrustItem } from './item.ts';

/** What one question of trust is about. */
export interface TrustQuestion {
  readonly loaded: LoadedIntegration;
  readonly enrolment: Enrolment;
  readonly artifact: ExpandedArtifact;
  readonly draft: Draft;
  /**
   * Whether every input and override was decided by the operator on this host: a flag, an answer, the environment, or an
   * earlier approval of the same choices. False where the manifest says them.
   */
  readonly ownChoices: boolean;
}

/** Answers questions of trust and remembers what they were about. */
export interface TrustPolicy {
  readonly trustOf: (question: TrustQuestion) => Desired['trust'];
  /** Repository content without a grant, in the order of the questions. */
  readonly pending: () => readonly TrustItem[];
  /** Repository content that is granted. */
  readonly granted: () => readonly TrustItem[];
  /** What the operator typed in this run; a grant for it is recorded after the apply. */
  readonly own: () => readonly TrustItem[];
}

/**
 * The policy of the contract, section 6. `digests` are the grants of this host for this root; `asksPerson` says that a
 * person approves the plan at a terminal, which is what trusts a program that was typed into `add`.
 */
export function createPolicy(input: {
  readonly root: AbsPath;
  readonly reader: Reader;
  readonly platform: NodeJS.Platform;
  readonly digests: ReadonlySet<string>;
  readonly asksPerson: boolean;
}): TrustPolicy {
  const pending = new Map<string, TrustItem>();
  const granted = new Map<string, TrustItem>();
  const own = new Map<string, TrustItem>();
  const isGranted = (item: TrustItem): boolean => {
    const has = input.digests.has(item.digest);
    (has ? granted : pending).set(item.digest, item);
    return has;
  };

  const ofRepository = (question: TrustQuestion): TrustItem => {
    const { loaded, artifact, draft } = question;
    const address = formatAddress(draft.target.path, draft.target.place);
    return artifactItem({ ...input, loaded, artifact, draft, address });
  };

  const ofBundled = ({ enrolment, draft, ownChoices }: TrustQuestion): Desired['trust'] => {
    // Local and user enrolments stand in the ledger of this host alone.
    if (enrolment.scope !== 'project' || !hasChoices(enrolment)) return 'bundled';
    const runtimes = draft.runtimes.length === 0 ? enrolment.runtimes : draft.runtimes;
    const items = runtimes.map((runtime) => choicesItem(input.root, enrolment, runtime));
    if (!ownChoices) return items.map(isGranted).every(Boolean) ? 'trusted' : 'untrusted';
    for (const item of items) own.set(item.digest, item);
    return 'bundled';
  };

  const ofOperator = (question: TrustQuestion): Desired['trust'] => {
    const item = ofRepository(question);
    if (item.class === 'executes' && !input.asksPerson) return isGranted(item) ? 'trusted' : 'untrusted';
    own.set(item.digest, item);
    return 'operator';
  };

  return {
    trustOf(question) {
      const { loaded, enrolment } = question;
      if (loaded.source === 'bundled') return ofBundled(question);
      if (loaded.source === 'operator') return ofOperator(question);
      if (loaded.ref.startsWith('add:') && enrolment.scope !== 'project') return 'operator';
      return isGranted(ofRepository(question)) ? 'trusted' : 'untrusted';
    },
    pending: () => [...pending.values()],
    granted: () => [...granted.values()],
    own: () => [...own.values()],
  };
}

/** Whether anything but the package decides what is rendered. */
export const hasChoices = ({ inputs, overrides }: Enrolment): boolean =>
  Object.keys(inputs).length > 0 || Object.keys(overrides).length > 0;

/** Whether the choices of an enrolment are granted for every runtime of it, or there are none to grant. */
export const choicesGranted = (root: AbsPath, enrolment: Enrolment, digests: ReadonlySet<string>): boolean =>
  enrolment.scope !== 'project' ||
  !hasChoices(enrolment) ||
  enrolment.runtimes.every((runtime) => digests.has(choicesItem(root, enrolment, runtime).digest));
