import { createHash } from 'node:crypto';
import { canonicalJson, getIn, isObject, type Json, type JsonPath } from '../lib/json.ts';
import { testPattern } from '../lib/pattern.ts';
import { matchesWildcard } from '../lib/wildcard.ts';
import { fillText } from './dialect.ts';
import { memberPath } from './places.ts';
import type { RuntimeSpec } from './schema.ts';

export type GateData = RuntimeSpec['gates'][number];

/** A server as lists of denied and allowed servers know it. */
export interface ServerFacts {
  readonly server: string;
  readonly url?: string;
  readonly command?: readonly string[];
}

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
  about: ServerFacts,
  root: string,
  platform: NodeJS.Platform,
): GateReading {
  const path = memberPath(gate.at, { server: about.server }, root, platform, document);
  const value = getIn(document, path);
  if (gate.decision !== undefined) return { gate, path, state: value === undefined ? 'unset' : 'set' };
  const list = Array.isArray(value) ? (value as readonly Json[]) : undefined;
  const reading = (isSet: boolean): GateReading => {
    const names = list?.filter((item): item is string => typeof item === 'string');
    return { gate, path, state: isSet ? 'set' : 'unset', ...(names === undefined ? {} : { names }) };
  };
  if (gate.kind === 'off-list' || gate.kind === 'on-list')
    return reading(list?.includes(about.server) ?? false);
  if (gate.kind === 'denied-servers') return reading(list?.some((item) => matches(item, about)) ?? false);
  if (gate.kind === 'allowed-table') return reading(isObject(value) && !isInTable(value, about));
  const wanted =
    typeof gate.value === 'string' ? fillText(gate.value, { server: about.server, root }) : gate.value;
  return reading(
    list === undefined ? value !== undefined && value === wanted : list.includes(wanted as Json),
  );
}

/**
 * Whether lists of allowed servers, taken together, let a server in. Where one of them names URLs, a server with a URL must
 * match one, whatever its name; in the same way commands; otherwise its name must be there.
 */
export function isAllowed(items: readonly Json[], about: ServerFacts): boolean {
  const has = (member: string) => items.some((item) => isObject(item) && item[member] !== undefined);
  const without = (member: string) => items.filter((item) => isObject(item) && item[member] === undefined);
  const byKind =
    (about.url !== undefined && has('serverUrl')) || (about.command !== undefined && has('serverCommand'));
  return (byKind ? without('serverName') : items).some((item) => matches(item, about));
}

function matches(item: Json, about: ServerFacts): boolean {
  if (typeof item === 'string') return item === about.server;
  if (!isObject(item)) return false;
  if (item['serverName'] === about.server) return true;
  const pattern = item['serverUrl'];
  if (typeof pattern === 'string' && about.url !== undefined) return matchesWildcard(pattern, about.url);
  const command = item['serverCommand'];
  return (
    Array.isArray(command) &&
    about.command !== undefined &&
    JSON.stringify(command) === JSON.stringify(about.command)
  );
}

/** Whether a table of allowed servers lets this one in; a form that is not known forbids nothing. */
function isInTable(table: Readonly<Record<string, unknown>>, about: ServerFacts): boolean {
  if (!Object.hasOwn(table, about.server)) return false;
  const entry = table[about.server];
  const identity = isObject(entry) ? entry['identity'] : undefined;
  if (!isObject(identity)) return true;
  if (!Object.hasOwn(identity, about.url === undefined ? 'command' : 'url')) return false;
  return about.url === undefined || isUrl(identity['url'], about.url);
}

/** `"text"`, `{match: "prefix", value}` or `{match: "regex", expression}`; what cannot be found out forbids nothing. */
function isUrl(matcher: unknown, url: string): boolean {
  if (typeof matcher === 'string') return matcher === url;
  if (!isObject(matcher)) return true;
  const { match, value, expression } = matcher;
  if (match === 'prefix' && typeof value === 'string') return url.startsWith(value);
  if (match !== 'regex' || typeof expression !== 'string') return true;
  return testPattern(expression, 'u', url) ?? true;
}

/** What a client's user decided on one server, as far as the record of it tells. */
export type Decision =
  | 'approved'
  | 'rejected'
  /** nothing is recorded, or nothing that is understood */
  | 'none'
  /** it was decided on another content of the entry, so it counts no more */
  | 'changed'
  /** the entry refers to variables whose values count, and with those of this environment it is another content */
  | 'cannot-tell';

/**
 * Reads a gate of the kind `decision` for an entry. The values of variables are used for the comparison of hashes alone
 * and never leave this function. `expands`: the patterns of references that the client replaces; one to an unset variable
 * stays as it stands.
 */
export function readDecision(
  gate: GateData,
  document: Json | undefined,
  about: { readonly server: string; readonly entry: Json },
  host: {
    readonly root: string;
    readonly platform: NodeJS.Platform;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly expands: readonly string[];
  },
): Decision {
  const { decision } = gate;
  if (decision === undefined) return 'none';
  const path = memberPath(gate.at, { server: about.server }, host.root, host.platform, document);
  const record = getIn(document, path);
  if (!isObject(record)) return 'none';
  const status = record[decision.status];
  const word = status === decision.approved ? 'approved' : status === decision.rejected ? 'rejected' : 'none';
  if (word === 'none') return 'none';
  const isOf = (entry: Json): boolean => record[decision.hash] === hashOf(entry, decision.omits);
  const { entry } = about;
  if (isOf(entry)) return word;
  const expanded = expand(entry, host.expands, host.env);
  if (canonicalJson(expanded) !== canonicalJson(entry) && isOf(expanded)) return word;
  return refersTo(entry, host.expands) ? 'cannot-tell' : 'changed';
}

export function hashOf(entry: Json, omits: readonly string[]): string {
  const counted = isObject(entry)
    ? Object.fromEntries(Object.entries(entry).filter(([name]) => !omits.includes(name)))
    : entry;
  return createHash('sha256').update(canonicalJson(counted)).digest('hex');
}

/** The value with every text changed. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

const expand = (
  value: Json,
  patterns: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Json =>
  mapTexts(value, (text) =>
    patterns.reduce(
      (all, pattern) =>
        all.replace(new RegExp(pattern, 'gu'), (match) => env[/\w+/u.exec(match)?.[0] ?? ''] ?? match),
      text,
    ),
  );

function refersTo(value: Json, patterns: readonly string[]): boolean {
  let found = false;
  mapTexts(value, (text) => {
    found ||= patterns.some((pattern) => new RegExp(pattern, 'u').test(text));
    return text;
  });
  return found;
}
