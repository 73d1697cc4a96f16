import { sha256 } from '../../src/engine/fingerprint.ts';
import type { ApprovedPlan, FilePlan, Ledger, Plan } from '../../src/engine/types.ts';
import type { System } from '../../src/system/ports.ts';

const bytes = (text: string | undefined) => (text === undefined ? undefined : new TextEncoder().encode(text));
const hashOf = (content: Uint8Array | undefined) =>
  content === undefined ? ('absent' as const) : sha256(content);

/** A planned file with the bytes that stand there now as its base. `to: undefined` deletes. */
export function filePlan(
  system: Pick<System, 'reader'>,
  root: string,
  path: string,
  to: string | undefined,
  change: Partial<FilePlan> = {},
): FilePlan {
  const abs = change.abs ?? (path.startsWith('/') ? path : `${root}/${path}`);
  const real = change.real ?? abs;
  const base = system.reader.readFile(real);
  const result = bytes(to);
  return {
    path,
    abs,
    real,
    action: base === undefined ? 'create' : result === undefined ? 'delete' : 'edit',
    order: 'normal',
    base,
    baseHash: hashOf(base),
    result,
    resultHash: hashOf(result),
    mode: system.reader.stat(real)?.mode ?? 0o644,
    inPlace: false,
    makeDirs: [],
    removeDirs: [],
    ops: [],
    outside: false,
    ...change,
  };
}

/** A plan as the approval hands it over. The brand exists in types alone. */
export function approvedPlan(
  root: string,
  files: readonly FilePlan[],
  ledgers: { readonly root?: Ledger; readonly user?: Ledger } = {},
  command = 'setup',
): ApprovedPlan {
  const plan: Plan = {
    schemaVersion: 1,
    command,
    root,
    files,
    ops: [],
    conflicts: [],
    findings: [],
    isEmpty: false,
    isApplicable: true,
    digest: sha256(JSON.stringify(files.map(({ path, resultHash }) => [path, resultHash]))),
    ledgers,
  };
  return plan as ApprovedPlan;
}
