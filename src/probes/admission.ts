import { getIn, type Json } from '../lib/json.ts';
import { type GateData, isAllowed, type ServerFacts } from '../runtimes/gates.ts';
import type { Document } from './documents.ts';

interface Gated {
  readonly gate: GateData;
  readonly document: Document;
}

/**
 * The gate that keeps a server out because it is not among those that are let in: a file whose servers alone count, or lists
 * of allowed servers that do not have it. Undefined where nothing of the kind stands.
 */
export function notAdmitted(gates: readonly Gated[], about: ServerFacts): Gated | undefined {
  const only = gates.find(
    ({ gate, document }) => gate.kind === 'only-servers' && document.state !== 'absent',
  );
  if (only !== undefined) return only;
  const lists = gates.flatMap((one) => {
    const list = one.gate.kind === 'allowed-servers' ? getIn(one.document.value, one.gate.at) : undefined;
    return Array.isArray(list) ? [{ ...one, list: list as readonly Json[] }] : [];
  });
  const alone = lists.filter(
    ({ gate, document }) => gate.alone !== undefined && getIn(document.value, gate.alone) === true,
  );
  const counting = alone.length > 0 ? alone : lists;
  const together = counting.flatMap(({ list }) => list);
  return counting.find(({ gate, list }) => !isAllowed(gate.each === true ? list : together, about));
}
