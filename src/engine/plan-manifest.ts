import type { FileOutcome } from './file-outcome.ts';
import { sha256 } from './fingerprint.ts';
import { lookAt } from './look-at.ts';
import type { PlanFacts, PlanRequest } from './plan-request.ts';
import type { Conflict, Op } from './types.ts';

export const MANIFEST_PATH = '.tenon/manifest.json';

/**
 * The manifest as an ordinary operation of the plan (contract, section 5): tenon's own file, changed by plan on any
 * clone, without a record in the ledger; it goes with its last integration.
 */
export function planManifest(
  request: PlanRequest,
  facts: PlanFacts,
):
  | { plan: FileOutcome['plan']; ops: Omit<Op, 'id'>[]; conflicts: Conflict[]; removeDirs: string[] }
  | undefined {
  if (request.manifest === undefined) return undefined;
  const file = lookAt(MANIFEST_PATH, request);
  const text = request.manifest(facts);
  if (text === file.text && (text !== undefined || !file.exists)) return undefined;
  if (file.problem !== undefined) {
    return {
      plan: undefined,
      ops: [],
      removeDirs: [],
      conflicts: [
        {
          address: file.problem.subject,
          code: file.problem.code,
          message: file.problem.message,
          choices: [],
          remedy: file.problem.remedy?.text ?? 'Mend the manifest by hand',
          runtimes: [],
        },
      ],
    };
  }
  const result = text === undefined ? undefined : new TextEncoder().encode(text);
  const action = result === undefined ? 'delete' : file.exists ? 'edit' : 'create';
  const parent = file.real.slice(0, -'/manifest.json'.length);
  return {
    plan: {
      path: MANIFEST_PATH,
      abs: file.abs,
      real: file.real,
      action,
      order: 'normal',
      base: file.exists ? request.reader.readFile(file.real) : undefined,
      baseHash: file.hash,
      result,
      resultHash: result === undefined ? 'absent' : sha256(result),
      mode: file.mode ?? 0o666 & ~request.umask,
      inPlace: false,
      outside: false,
    },
    ops: [
      {
        action: action === 'create' ? 'create' : action === 'edit' ? 'update' : 'remove',
        address: MANIFEST_PATH,
        target: { path: MANIFEST_PATH, format: 'whole', place: { kind: 'file' } },
        owners: [],
        runtimes: [],
        scope: 'project',
        classes: ['instructs'],
        summary: 'what this repository has set up',
        reason:
          action === 'create'
            ? 'first integration'
            : action === 'delete'
              ? 'last integration'
              : 'choices changed',
        approval: 'project-files',
      },
    ],
    conflicts: [],
    removeDirs: action === 'delete' ? [parent] : [],
  };
}
