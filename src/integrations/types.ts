import type { Owner } from '../engine/types.ts';
import type { AbsPath } from '../system/ports.ts';
import type { Artifact, Integration } from './schema.ts';

/** Where a definition comes from; decides whether its content must be trusted (contract, section 6). */
export type IntegrationSource = 'bundled' | 'repository' | 'package' | 'operator';

/** A definition read from disk, every file of its folder included, paths contained, sizes bounded. */
export interface LoadedIntegration {
  /** What users and the manifest call it: `vera`, `./tools/x`, a package name, `add:<name>`. */
  readonly ref: string;
  /** An instance of its own name: the definition that it is of, as users call that. */
  readonly of?: string;
  readonly source: IntegrationSource;
  readonly manifest: Integration;
  /** Folder of the definition; undefined for `add:<name>`. */
  readonly folder?: AbsPath;
  /** Posix path below the folder -> bytes; sorted by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** One artifact after inputs were put in and conditions decided. */
export interface ExpandedArtifact {
  /** Every `{INPUT}` is replaced; `when` holds. `${env:NAME}` references are still neutral. */
  readonly artifact: Artifact;
  readonly owner: Owner;
  readonly source: IntegrationSource;
  /** The definition's files (for skill folders, scripts, plugins, block texts). */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Where the effective value of an input comes from; for `plan --explain`. */
export interface ResolvedInput {
  readonly name: string;
  readonly value: string;
  readonly origin: 'flag' | 'environment' | 'prompt' | 'manifest' | 'repository' | 'default' | 'definition';
  /** Only with `repository`: which file says it, and where. */
  readonly says?: string;
}
