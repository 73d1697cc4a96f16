import { lookup } from 'node:dns/promises';
import { noteOutside } from '../lib/outside.ts';
import { isAddress, refusedAddress } from './address.ts';
import { within } from './deadline.ts';
import { type Failure, failureOf } from './failure.ts';

export interface Resolved {
  readonly address: string;
  readonly family: 4 | 6;
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

/**
 * Every address of a host, checked (E-06): one refused address refuses the host, because which one gets used is not
 * ours to choose. `localhost` is 127.0.0.1 and ::1 without a lookup (RFC 6761). `undefined` when the signal aborts first.
 */
export async function resolveHost(
  hostname: string,
  subject: string,
  signal: AbortSignal,
): Promise<readonly Resolved[] | Failure | undefined> {
  noteOutside();
  const host = bare(hostname);
  const refusal = (what: string): Failure => ({
    code: 'endpoint/address-refused',
    message: `${subject} leads to ${what}, which is never called.`,
  });
  const literal = refusedAddress(host);
  if (literal !== undefined) return refusal(literal);
  if (host === 'localhost')
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  if (isAddress(host)) return [{ address: host, family: host.includes(':') ? 6 : 4 }];
  let found: readonly { address: string; family: number }[] | undefined;
  try {
    found = await within(lookup(host, { all: true, verbatim: true }), signal);
  } catch (error) {
    return failureOf(error, subject, host);
  }
  if (found === undefined) return undefined;
  for (const { address } of found) {
    const what = refusedAddress(address);
    if (what !== undefined) return refusal(`${what} (${address})`);
  }
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
