import { getIn, isObject, type Json, type JsonPath } from '../lib/json.ts';
import { fillText } from './dialect.ts';
import { memberPath } from './places.ts';
import type { RuntimeSpec } from './schema.ts';

export type GateData = RuntimeSpec['gates'][number];

/** What one gate of a client says of a server in a folder. */
export interface GateReading {
  readonly gate: GateData;
  /** Where it stands in its file. */
  readonly path: JsonPath;
  readonly state: /** the gate applies: off, approved, trusted, denied, hooks off */
    | 'set'
    /** the place holds something else, or nothing */
    | 'unset';
  /** Names in a list of servers that this document holds, for unknown ones (case I02). */
  readonly names?: readonly string[];
}

/**
 * Reads one gate in the document of its file. `trust` and switches compare with the gate's value (an array counts when
 * it holds it), lists look for the server's name, a denied-server list for its name, URL pattern or command.
 */
export function readGate(
  gate: GateData,
  document: Json | undefined,
  about: { readonly server: string; readonly url?: string; readonly command?: readonly string[] },
  root: string,
  platform: NodeJS.Platform,
): GateReading {
  const path = memberPath(gate.at, { server: about.server }, root, platform, document);
  const value = getIn(document, path);
  const list = Array.isArray(value) ? (value as readonly Json[]) : undefined;
  const reading = (isSet: boolean): GateReading => {
    const names = list?.filter((item): item is string => typeof item === 'string');
    return { gate, path, state: isSet ? 'set' : 'unset', ...(names === undefined ? {} : { names }) };
  };
  if (gate.kind === 'off-list' || gate.kind === 'on-list')
    return reading(list?.includes(about.server) ?? false);
  if (gate.kind === 'denied-servers') return reading(list?.some((item) => denies(item, about)) ?? false);
  const wanted =
    typeof gate.value === 'string' ? fillText(gate.value, { server: about.server, root }) : gate.value;
  return reading(
    list === undefined ? value !== undefined && value === wanted : list.includes(wanted as Json),
  );
}

function denies(
  item: Json,
  about: { readonly server: string; readonly url?: string; readonly command?: readonly string[] },
): boolean {
  if (!isObject(item)) return false;
  if (item['serverName'] === about.server) return true;
  const pattern = item['serverUrl'];
  if (typeof pattern === 'string' && about.url !== undefined) return wildcard(pattern).test(about.url);
  const command = item['serverCommand'];
  return (
    Array.isArray(command) &&
    about.command !== undefined &&
    JSON.stringify(command) === JSON.stringify(about.command)
  );
}

/** `*` stands for any text. */
const wildcard = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/gu, '\\$&'))
      .join('.*')}$`,
    'u',
  );
