import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { sha256 } from './fingerprint.ts';
import type { ApprovedPlan, FilePlan, Ledger, Plan } from './types.ts';

/** What stands in plan, digest and fingerprints where the credential of this name will be (V20). */
export const placeholderOf = (name: string): string => `<${name}>`;

/** How often a text stands in another one. */
export const countOf = (text: string, part: string): number => text.split(part).length - 1;

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** The files of a plan whose result waits for this credential. */
export const filesAwaiting = (plan: Plan, name: string): FilePlan[] =>
  plan.files.filter(({ result }) => textOf(result).includes(placeholderOf(name)));

/**
 * Puts a credential into an approved plan, between approval and the first write (contract, section 4). Digest and
 * operations stay those that were approved; bytes and hashes of the files follow, so that the ledger knows the file as it
 * will be. `secret` must need no escaping in a JSON or TOML string (a JWT does not). A result that holds the placeholder
 * more than once is refused: `credential/placeholder` (4).
 */
export function fillCredential(plan: ApprovedPlan, name: string, secret: string): ApprovedPlan {
  if (!/^[A-Za-z0-9._~+/=-]+$/.test(secret)) throw new Error('the credential needs escaping');
  const hashes = new Map<string, FilePlan>();
  const files = plan.files.map((file): FilePlan => {
    const text = textOf(file.result);
    const count = countOf(text, placeholderOf(name));
    if (count === 0) return file;
    if (count > 1) throw ambiguous(file.path, name, count);
    const result = new TextEncoder().encode(text.replace(placeholderOf(name), () => secret));
    const filled = { ...file, result, resultHash: sha256(result) };
    hashes.set(`${file.path}\0${file.resultHash}`, filled);
    return filled;
  });
  const ledger = (one: Ledger): Ledger => ({
    ...one,
    files: one.files.map((record) => {
      const filled = hashes.get(`${record.path}\0${record.after.hash}`);
      if (filled === undefined) return record;
      return { ...record, after: { hash: filled.resultHash, size: filled.result?.length ?? 0 } };
    }),
  });
  const { root, user } = plan.ledgers;
  return {
    ...plan,
    files,
    ledgers: {
      ...(root === undefined ? {} : { root: ledger(root) }),
      ...(user === undefined ? {} : { user: ledger(user) }),
    },
  };
}

/** A placeholder that is not exactly where a credential goes. */
export const ambiguous = (path: string, name: string, count: number): TenonError =>
  new TenonError(
    'credential/placeholder',
    `${printable(path)} would hold ${placeholderOf(name)} ${count} times, so it is not clear where the credential goes`,
    { exit: 4, remedy: { text: `Take ${placeholderOf(name)} out of the file, then run the command again` } },
  );
