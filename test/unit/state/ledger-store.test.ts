import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import { TenonError } from '../../../src/errors/error.ts';
import type { Json } from '../../../src/lib/json.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { ledgerProblem } from '../../../src/state/ledger-check.ts';
import {
  emptyLedger,
  isEmptyLedger,
  ledgerBytes,
  ledgerPath,
  loadLedger,
} from '../../../src/state/ledger-store.ts';
import { LedgerSchema } from '../../../src/state/schema.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import fc from '../../helpers/fc.ts';
import { ledgerOf } from '../../helpers/ledger.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const stateDir = '/home/u/.local/state/tenon';
const rootFile = `${stateDir}/ledger/${sha256('/repo').slice(7, 39)}.json`;

function load(content: string | Uint8Array, root = '/repo') {
  const system = memorySystem({ [rootFile]: content });
  return loadLedger(system, openStateFolder(system), root);
}
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return `${error.code} ${error.exit} ${error.message}`;
    throw error;
  }
  return 'none';
}

describe('the ledger store', () => {
  it('keys a ledger by its canonical root', () => {
    const state = openStateFolder(memorySystem());
    expect(ledgerPath(state, '/repo')).toBe(rootFile);
    expect(ledgerPath(state, '~')).toBe(`${stateDir}/ledger/user.json`);
  });

  it('reads back what it wrote, and takes a missing ledger for an empty one', () => {
    const bytes = ledgerBytes(ledgerOf('/repo'));
    const { ledger, hash } = load(bytes);
    expect(hash).toBe(sha256(bytes));
    expect(text(ledgerBytes(ledger))).toBe(text(bytes));
    const system = memorySystem();
    const missing = loadLedger(system, openStateFolder(system), '/repo');
    expect(missing).toEqual({ ledger: emptyLedger('/repo'), hash: 'absent' });
    expect(isEmptyLedger(missing.ledger)).toBe(true);
    expect(isEmptyLedger(ledger)).toBe(false);
  });

  it('gives equal bytes for equal ledgers in any order (law 10)', () => {
    const ledger = ledgerOf('/repo');
    const expected = text(ledgerBytes(ledger));
    const shuffled = fc.tuple(
      fc.shuffledSubarray([...ledger.files], { minLength: ledger.files.length }),
      fc.shuffledSubarray([...ledger.records], { minLength: ledger.records.length }),
    );
    fc.assert(
      fc.property(shuffled, ([files, records]) => {
        expect(text(ledgerBytes({ ...ledger, files, records }))).toBe(expected);
      }),
    );
    expect(expected.endsWith('}\n')).toBe(true);
  });

  it('refuses what it cannot use, and resets nothing', () => {
    expect(codeOf(() => load('{'))).toMatch(/^state\/unreadable 2 .*it is no JSON/);
    expect(codeOf(() => load(''))).toMatch(/^state\/unreadable 2/);
    expect(codeOf(() => load('{"schemaVersion":2}'))).toMatch(
      /^state\/unreadable 2 .*version 2, and this tenon knows version 1/,
    );
    expect(codeOf(() => load(ledgerBytes(ledgerOf('/other'))))).toMatch(
      /^state\/unreadable 2 .*another folder/,
    );
    const broken = text(ledgerBytes(ledgerOf('/repo'))).replace('"scope":"project"', '"scope":"planet"');
    expect(codeOf(() => load(broken))).toMatch(
      /^state\/unreadable 2 .*\/records\/\d\/scope has an unknown value/,
    );
  });

  it('is checked by hand exactly as its schema says', () => {
    const ledger = JSON.parse(text(ledgerBytes(ledgerOf('/repo')))) as Json;
    expect(LedgerSchema.safeParse(ledger).error).toBeUndefined();
    expect(ledgerProblem(ledger)).toBeUndefined();
    const paths = pathsIn(ledger);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...paths),
        fc.oneof(fc.constant(undefined), fc.constantFrom<Json>(null, 7, 'x', true, [], {}, ['x'], { x: 1 })),
        fc.boolean(),
        (path, value, extra) => {
          const changed = replaced(ledger, path, value, extra);
          const byHand = ledgerProblem(changed) === undefined;
          expect([path, byHand]).toEqual([path, LedgerSchema.safeParse(changed).success]);
          if (!byHand) refused += 1;
        },
      ),
      { numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

function pathsIn(value: Json, path: string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))];
}

/** A copy with the value at a path replaced, removed (undefined), or given an unknown neighbour. */
function replaced(value: Json, path: readonly string[], put: Json | undefined, extra: boolean): Json {
  const copy = structuredClone(value) as Json;
  let at = copy as Record<string, Json>;
  for (const part of path.slice(0, -1)) at = at[part] as Record<string, Json>;
  const last = path.at(-1);
  if (last === undefined) return put ?? copy;
  if (extra && !Array.isArray(at)) at['neighbour'] = 'x';
  else if (put === undefined) {
    if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  } else at[last] = put;
  return copy;
}
