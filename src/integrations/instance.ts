import { posix } from 'node:path';
import { TenonError } from '../errors/error.ts';
import type { Artifact } from './schema.ts';
import type { LoadedIntegration } from './types.ts';

/**
 * A definition as one of several instances (contract, section 5): it is called `name` everywhere, and so is its server.
 * A hook for that server gets a copy of its script under a name of its own and `--server=<name>` as its last argument;
 * everything else stays equal and is shared with other instances. Throws `integration/invalid` (exit 4) where there is
 * no server to call so.
 */
export function asInstance(loaded: LoadedIntegration, name: string): LoadedIntegration {
  const { artifacts } = loaded.manifest;
  const main = artifacts.find((one) => one.kind === 'mcp-server')?.server;
  if (main === undefined) {
    throw new TenonError('integration/invalid', `${loaded.ref} has no server, so it has no instances.`, {
      exit: 4,
      remedy: { text: 'Set it up without --name' },
    });
  }
  const files = new Map(loaded.files);
  const expand = [...loaded.manifest.expand];
  const renamed = artifacts.map((artifact): Artifact => {
    if (!('server' in artifact) || artifact.server !== main) return artifact;
    if (artifact.kind !== 'hook' || artifact.script === undefined) return { ...artifact, server: name };
    const script = posix.join(posix.dirname(artifact.script), `${name}-${posix.basename(artifact.script)}`);
    const bytes = files.get(artifact.script);
    if (bytes !== undefined) files.set(script, bytes);
    if (expand.includes(artifact.script)) expand.push(script);
    return { ...artifact, server: name, script, args: [...artifact.args, `--server=${name}`] };
  });
  return {
    ...loaded,
    ref: name,
    of: loaded.ref,
    files,
    manifest: { ...loaded.manifest, artifacts: renamed, expand },
  };
}
