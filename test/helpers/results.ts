import type { Fault, Result } from '../../src/formats/format.ts';

/** The value of a result that must be good; the fault as the error otherwise. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`unexpected fault ${result.fault.code}: ${result.fault.message}`);
  return result.value;
}

/** The fault of a result that must be refused. */
export function faultOf(result: Result<unknown>): Fault {
  if (result.ok) throw new Error(`unexpected success: ${JSON.stringify(result.value)}`);
  return result.fault;
}
