import { type Finding, TenonError } from '../errors/error.ts';
import { canonicalJson, isObject, type Json } from '../lib/json.ts';
import { maskHome } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, type StateFolder, unreadable, writeState } from './folder.ts';

/** What a certification is bound to: any other value makes it stale (requirement K16). Digests are `sha256:` and hex. */
export interface Binding {
  /** What the client says of itself. */
  readonly version: string;
  /** The bytes of the client's program and package. */
  readonly build: string;
  /** The spec of the runtime. */
  readonly spec: string;
  /** The files of the integration that the scenario sets up. */
  readonly template: string;
  /** The scenario and the commands that it runs, credential-like arguments redacted before hashing. */
  readonly probe: string;
}

/** Size and times of one file of the client; while they are the same, its bytes are taken as the same. */
export interface Stamp {
  readonly path: AbsPath;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** The newest run of the conformance scenario for one runtime on this host. */
export interface Evidence {
  readonly runtime: string;
  readonly result: 'passed' | 'failed';
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `failed`: what did not hold. */
  readonly reason: string;
  readonly binding: Binding;
  readonly program: AbsPath;
  readonly stamps: readonly Stamp[];
}

const VERSION = 1;
const MAX_STAMPS = 64;

export const evidencePath = (state: StateFolder, runtime: string): AbsPath =>
  state.path('evidence', `${runtime}.json`);

/**
 * The evidence of a runtime. A file that is damaged, foreign or writable by others is no evidence, and a finding; never
 * throws for it.
 */
export function loadEvidence(
  system: Pick<System, 'reader' | 'host'>,
  state: StateFolder,
  runtime: string,
): { readonly evidence?: Evidence; readonly problem?: Finding } {
  const path = evidencePath(state, runtime);
  try {
    const evidence = readEvidence(system, path);
    if (evidence !== undefined && evidence.runtime !== runtime)
      throw unreadable(system, path, 'it belongs to another coding tool');
    return evidence === undefined ? {} : { evidence };
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    return {
      problem: {
        code: 'state/evidence',
        severity: 'warning',
        subject: maskHome(path, system.host.home),
        message: `${error.message.replace(/\.$/, '')}; it certifies nothing`,
        remedy: { text: 'Certify again', command: `tenon certify ${runtime}` },
      },
    };
  }
}

/** Throws `state/unreadable` for a file that cannot be used. */
export function readEvidence(system: Pick<System, 'reader' | 'host'>, path: AbsPath): Evidence | undefined {
  const bytes = readState(system, path);
  if (bytes === undefined) return undefined;
  const stat = system.reader.lstat(path);
  if (system.host.platform !== 'win32' && stat !== undefined) {
    if (stat.uid !== system.host.uid || (stat.mode & 0o022) !== 0)
      throw unreadable(system, path, 'others may write it');
  }
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw unreadable(system, path, 'it is no JSON');
  }
  if (!isObject(value) || value['schemaVersion'] !== VERSION)
    throw unreadable(system, path, 'its version is not known');
  const { schemaVersion: _, ...rest } = value;
  if (!isEvidence(rest)) throw unreadable(system, path, 'it is damaged');
  return rest as unknown as Evidence;
}

/** Replaces the evidence of its runtime. Throws `state/unwritable`, `state/unsafe`. */
export function saveEvidence(system: System, state: StateFolder, evidence: Evidence): void {
  const document = { schemaVersion: VERSION, ...evidence } as unknown as Json;
  const path = evidencePath(state, evidence.runtime);
  writeState(system, state, path, new TextEncoder().encode(`${canonicalJson(document)}\n`));
}

const BOUND = ['version', 'build', 'spec', 'template', 'probe'] as const;

function isEvidence(value: Record<string, Json> | Json): boolean {
  if (!isObject(value)) return false;
  const { binding, stamps, result, at } = value;
  const texts = ['runtime', 'at', 'reason', 'program'];
  return (
    texts.every((name) => typeof value[name] === 'string') &&
    (result === 'passed' || result === 'failed') &&
    Number.isFinite(Date.parse(String(at))) &&
    isObject(binding) &&
    BOUND.every((name) => typeof binding[name] === 'string') &&
    Array.isArray(stamps) &&
    stamps.length <= MAX_STAMPS &&
    stamps.every(isStamp)
  );
}

const isStamp = (value: Json): boolean =>
  isObject(value) &&
  typeof value['path'] === 'string' &&
  ['size', 'mtimeMs', 'ino'].every((name) => typeof value[name] === 'number');
