import { setupLine } from '../commands/shared/setup-line.ts';
import type { RuntimeId } from '../engine/types.ts';
import type { Finding, Remedy } from '../errors/error.ts';
import { expandLogin } from '../integrations/expand.ts';
import { type Facts, isInspection } from './facts.ts';
import { oursOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

/**
 * Rules of ours that ask before a write, in tools that have ways around such rules (the spec's `bypasses`). The contract
 * wants a read-only credential there, or a word about it.
 */
export const consentProbe: Probe = {
  id: 'consent/bypass',
  title: 'Consent to writes holds',
  run(facts) {
    const asking = oursOf(facts).filter(
      ({ judgement, isThere }) => isThere && (judgement.slot.wish?.classes ?? []).includes('grants'),
    );
    if (asking.length === 0) return idle('no rule of ours asks before a write');
    const runtimes = new Set(asking.flatMap((one) => one.runtimes));
    const findings = facts.examined.flatMap(({ spec }): Finding[] => {
      const bypasses = spec.permissions?.bypasses ?? [];
      if (!runtimes.has(spec.id) || bypasses.length === 0) return [];
      return [
        {
          code: 'consent/bypassable',
          severity: 'info',
          subject: spec.id,
          message: `${spec.title} has ways around a rule that asks: ${bypasses.join('; ')}`,
          remedy: remedyOf(facts, spec.id),
        },
      ];
    });
    return found(
      findings,
      `${asking.length} ${asking.length === 1 ? 'rule asks' : 'rules ask'} before writes`,
    );
  },
};

function remedyOf(facts: Facts, runtime: RuntimeId): Remedy {
  const { inspection } = facts;
  const logins = isInspection(inspection)
    ? inspection.selections.flatMap(({ enrolment, loaded, inputs }) => {
        const login = expandLogin(loaded, inputs);
        return login === undefined || !enrolment.runtimes.includes(runtime) ? [] : [{ login, enrolment }];
      })
    : [];
  const [first] = logins;
  const { read = ['reading'], choice } = first?.login.spec.scopes ?? {};
  const text = `Where it runs without asking anyone, give it a credential for ${read.join(', ')} only`;
  return choice === undefined || first === undefined
    ? { text }
    : {
        text: `${text}, and let its rules deny what writes`,
        command: `${setupLine(first.enrolment)} --set ${choice.input}=${choice.read}`,
      };
}
