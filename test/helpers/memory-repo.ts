import { expect } from 'vitest';
import { buildPlan, type PlanResult } from '../../src/engine/plan.ts';
import type { PlanRequest } from '../../src/engine/plan-request.ts';
import type { Desired, Ledger } from '../../src/engine/types.ts';
import { composeWishes } from '../../src/engine/wishes.ts';
import type { Json } from '../../src/lib/json.ts';
import { memorySystem } from '../../src/system/memory.ts';

export const ROOT = '/repo';
/** A ledger without any record. */
export const emptyLedgerOf = (root: string): Ledger => ({
  schemaVersion: 1,
  root,
  files: [],
  records: [],
  enrolments: [],
});

/** A wish for one key of a file. */
export function want(
  path: string,
  pointer: readonly string[],
  value: Json,
  more: Partial<Desired> = {},
): Desired {
  return {
    owner: { integration: 'vera', artifact: 'server', version: '1.0.0' },
    runtimes: ['claude-code'],
    scope: 'project',
    target: { path, format: path.endsWith('.toml') ? 'toml' : 'json', place: { kind: 'key', path: pointer } },
    value,
    class: 'connects',
    rules: { reads: 'strict', bom: 'ok' },
    switches: ['/enabled'],
    trust: 'bundled',
    summary: 'http://127.0.0.1:8765/mcp',
    order: 'normal',
    ...more,
  };
}

/** Files in memory with a ledger: plans as the commands do, and takes over what a plan would write. */
export class MemoryRepo {
  readonly files = new Map<string, string>();
  ledgers = { root: emptyLedgerOf(ROOT), user: emptyLedgerOf('~') };

  constructor(files: Record<string, string>) {
    for (const [path, text] of Object.entries(files)) this.files.set(path, text);
  }

  plan(desired: readonly Desired[], more: Partial<PlanRequest> = {}): PlanResult {
    const system = memorySystem(
      Object.fromEntries([...this.files].map(([path, text]) => [`${ROOT}/${path}`, text])),
      { home: '/home/me', cwd: ROOT },
    );
    const { wishes, problems, findings } = composeWishes(desired, () => false);
    return buildPlan({
      command: 'setup',
      root: ROOT,
      home: '/home/me',
      env: {},
      platform: 'linux',
      reader: system.reader,
      ledgers: this.ledgers,
      wishes,
      problems,
      findings,
      known: { external: new Set(), excluded: new Set(), listed: new Set() },
      choices: { resolve: () => undefined, force: () => false, restore: () => false },
      uncovered: () => 'leave',
      tolerant: false,
      showUntrusted: false,
      readReplaced: () => undefined,
      refusedByClient: () => undefined,
      duplicateOf: () => undefined,
      umask: 0o022,
      protectedDirs: [],
      ...more,
    });
  }

  apply({ plan }: PlanResult): void {
    expect(plan.conflicts).toEqual([]);
    for (const file of plan.files) {
      if (file.result === undefined) this.files.delete(file.path);
      else this.files.set(file.path, new TextDecoder().decode(file.result));
    }
    this.ledgers = { ...this.ledgers, ...plan.ledgers };
  }

  snapshot(): Record<string, string> {
    return Object.fromEntries([...this.files].sort());
  }
}
