import type { Scope } from '../engine/types.ts';
import { getIn, isObject, type Json, type JsonPath } from '../lib/json.ts';
import { memberPath } from './places.ts';
import type { RuntimeSpec } from './schema.ts';

/** A server that stands in a document, of any owner. */
export interface FoundServer {
  readonly name: string;
  readonly path: JsonPath;
  readonly entry: Json;
  readonly url?: string;
  /** Program and arguments. */
  readonly launch?: readonly string[];
  /** The entry's own switch is off. */
  readonly isOff: boolean;
}

/** The path of a server's entry in the file of a scope; undefined when the runtime has no servers of that scope. */
export function serverPath(
  spec: RuntimeSpec,
  scope: Scope,
  server: string,
  root: string,
  platform: NodeJS.Platform,
  document?: Json,
): { readonly file: string; readonly path: string[] } | undefined {
  const place = spec.mcp?.places.find((one) => one.scope === scope);
  if (place === undefined) return undefined;
  return { file: place.file, path: memberPath(place.at, { server }, root, platform, document) };
}

/**
 * The servers of a document by a runtime's reading, for duplicate endpoints (case C03), shadowing (I01) and switches
 * (I03). Values are as they stand; comparing URLs is the caller's matter.
 */
export function serversIn(
  spec: RuntimeSpec,
  scope: Scope,
  document: Json | undefined,
  root: string,
  platform: NodeJS.Platform,
): FoundServer[] {
  const { mcp } = spec;
  const place = serverPath(spec, scope, '', root, platform, document);
  if (mcp === undefined || place === undefined) return [];
  const container = place.path.slice(0, -1);
  const entries = getIn(document, container);
  if (!isObject(entries)) return [];
  return Object.entries(entries).map(([name, entry]): FoundServer => {
    const url = mcp.urlMembers.map((member) => textAt(entry, [member])).find((text) => text !== undefined);
    const launch = launchOf(entry, mcp.commandMember);
    const off = mcp.off === undefined ? undefined : getIn(entry, mcp.off.pointer.split('/').slice(1));
    return {
      name,
      path: [...container, name],
      entry,
      ...(url === undefined ? {} : { url }),
      ...(launch === undefined ? {} : { launch }),
      isOff: off !== undefined && off === mcp.off?.off,
    };
  });
}

function launchOf(entry: Json, member: string | undefined): string[] | undefined {
  const command = member === undefined ? undefined : getIn(entry, [member]);
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string');
  if (typeof command !== 'string') return undefined;
  const args = getIn(entry, ['args']);
  return [command, ...(Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [])];
}

function textAt(value: Json, path: JsonPath): string | undefined {
  const found = getIn(value, path);
  return typeof found === 'string' ? found : undefined;
}
