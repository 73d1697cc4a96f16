import { sha256 } from '../engine/fingerprint.ts';
import type { ArtifactClass, Enrolment, Fingerprint, Scope } from '../engine/types.ts';
import { serverDefinition } from '../integrations/server.ts';
import type { ExpandedArtifact, LoadedIntegration } from '../integrations/types.ts';
import { canonicalJson, type Json } from '../lib/json.ts';
import type { Draft } from '../runtimes/render-types.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import { type BoundFile, boundFiles } from './bound-files.ts';
import { launchNotes, launchOf } from './launch.ts';

/**
 * One thing that a person trusts or not, with everything that the grant binds (requirements S10, T-03). What is shown is
 * this value, and the digest is computed over it, so what was shown is what is granted.
 */
export interface TrustItem {
  readonly digest: Fingerprint;
  /** `artifact`: a definition of the repository. `choices`: a bundled definition whose inputs come from the repository. */
  readonly kind: 'artifact' | 'choices';
  readonly integration: string;
  /** Empty for choices. */
  readonly artifact: string;
  readonly class: ArtifactClass | 'choices';
  readonly runtimes: readonly string[];
  readonly scope: Scope;
  /** Where it would be written; empty for choices. */
  readonly address: string;
  /** Folder of the definition below the root, or the manifest. */
  readonly source: string;
  /** Digest over the bytes of every file of the definition; for choices over nothing, since the package holds it. */
  readonly definition: Fingerprint;
  /** The rendered value, or inputs, overrides and parts left out. */
  readonly value: Json;
  readonly executable: boolean;
  /** Program and arguments of a server that is started. */
  readonly launch: readonly string[];
  /** Files of the repository that the launch names, with their bytes. */
  readonly files: readonly BoundFile[];
  /** What a person should know; bound by nothing. */
  readonly notes: readonly string[];
}

const MANIFEST = '.tenon/manifest.json';

/** Digest over a definition: the path and bytes of every file, or what stands inline in the manifest. */
export function definitionPrint(loaded: LoadedIntegration): Fingerprint {
  if (loaded.ref.startsWith('add:')) return sha256(canonicalJson(serverDefinition(loaded)));
  return sha256(canonicalJson([...loaded.files].map(([path, bytes]) => [path, sha256(bytes)])));
}

/** The digest that a grant holds: root and everything of the item but its notes. */
function withDigest(root: AbsPath, item: Omit<TrustItem, 'digest'>): TrustItem {
  const { notes: _notes, ...bound } = item;
  const digest = sha256(canonicalJson({ version: 1, root, ...bound } as unknown as Json));
  return { digest, ...item };
}

/** A rendered artifact whose definition comes from the repository (contract, section 6). */
export function artifactItem(input: {
  readonly root: AbsPath;
  readonly reader: Reader;
  readonly platform: NodeJS.Platform;
  readonly loaded: LoadedIntegration;
  readonly artifact: ExpandedArtifact;
  readonly draft: Draft;
  readonly address: string;
}): TrustItem {
  const { root, loaded, artifact, draft } = input;
  const launch = launchOf(artifact.artifact);
  const source = sourceOf(root, loaded);
  const files = boundFiles(input.reader, input.platform, root, artifact, draft.value, source);
  return withDigest(root, {
    kind: 'artifact',
    integration: loaded.ref,
    artifact: artifact.artifact.name,
    class: draft.class,
    runtimes: [...draft.runtimes].sort(),
    scope: draft.scope,
    address: input.address,
    source,
    definition: definitionPrint(loaded),
    value: draft.value,
    executable: draft.executable === true,
    launch,
    files,
    notes: launchNotes(launch, files),
  });
}

/** Inputs, overrides and left-out parts of a bundled integration for one runtime, as the manifest has them. */
export function choicesItem(root: AbsPath, enrolment: Enrolment, runtime: string): TrustItem {
  const { integration, of, scope, inputs, overrides, without } = enrolment;
  return withDigest(root, {
    kind: 'choices',
    integration,
    artifact: '',
    class: 'choices',
    runtimes: [runtime],
    scope,
    address: '',
    source: MANIFEST,
    definition: sha256(''),
    value: { ...(of === undefined ? {} : { of }), inputs, overrides, without: [...without].sort() },
    executable: false,
    launch: [],
    files: [],
    notes: [],
  });
}

function sourceOf(root: AbsPath, { ref, folder }: LoadedIntegration): string {
  if (ref.startsWith('add:') || folder === undefined) return MANIFEST;
  return folder.startsWith(root) ? folder.slice(root.length + 1).replaceAll('\\', '/') || '.' : folder;
}
