import { isObject, type Json, type JsonObject } from '../lib/json.ts';

/** One step from a version of a document to the next one. Pure; the same input gives the same output. */
export interface Migration {
  readonly from: number;
  readonly migrate: (document: JsonObject) => JsonObject;
}

export type Migrated =
  | { readonly ok: true; readonly value: Json }
  /** `newer`: written by a newer program. `gap`: no step leads on. `failed`: a step could not do it. */
  | { readonly ok: false; readonly why: 'newer' | 'gap' | 'failed'; readonly version: number };

/**
 * Brings an older document to the version that this program knows, step by step, in memory. Nothing is written: the
 * next writing command stores the result with what it changes anyway, so a command that reads never migrates a file, and
 * a step that fails leaves the file with its version. A document without a version, or of the known one, is returned as
 * it is; checking it is the caller's.
 */
export function migrated(value: Json, known: number, steps: readonly Migration[]): Migrated {
  let document: Json = value;
  for (;;) {
    const version = isObject(document) ? document['schemaVersion'] : undefined;
    if (typeof version !== 'number' || version === known) return { ok: true, value: document };
    if (version > known) return { ok: false, why: 'newer', version };
    const step = steps.find(({ from }) => from === version);
    if (step === undefined) return { ok: false, why: 'gap', version };
    try {
      document = { ...step.migrate(document as JsonObject), schemaVersion: version + 1 };
    } catch {
      return { ok: false, why: 'failed', version };
    }
  }
}

/** What to say of a document that cannot be brought to the known version. */
export function migrationProblem(failed: Extract<Migrated, { ok: false }>, known: number): string {
  const is = `it has version ${failed.version}, and this tenon knows version ${known}`;
  return failed.why === 'failed' ? `${is}; bringing it there failed` : is;
}

/** Steps of the ledger, oldest first. Version 1 is the first one that was released. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [];
/** Steps of `.tenon/manifest.json`, oldest first. */
export const MANIFEST_MIGRATIONS: readonly Migration[] = [];
