import { getIn, isObject, type Json } from '../lib/json.ts';
import type { ListOutput, SeenState } from '../runtimes/schema-list.ts';

/** A server as the client lists it. Every text is the client's own: not masked, not escaped. */
export interface SeenServer {
  readonly name: string;
  /** Undefined where the client says something that its spec does not know; `says` holds it. */
  readonly state: SeenState | undefined;
  readonly says?: string;
  readonly url?: string;
  /** Program and arguments as one text. */
  readonly launch?: string;
  /** Names of the tools that the entry lets through; absent where the list does not say, or lets all through. */
  readonly tools?: readonly string[];
}

/** The servers, or that the output is no list as the spec describes it. */
export type ListReading =
  | { readonly isList: true; readonly servers: readonly SeenServer[] }
  | { readonly isList: false };

const MAX_LINES = 5000;
const MAX_LINE = 2000;
const MAX_SERVERS = 1000;

/** Reads a client's list by its spec. Bounded: of a very long output the beginning counts. Never throws. */
export function readList(
  output: ListOutput,
  printed: { readonly stdout: string; readonly stderr: string },
): ListReading {
  const text = textOf(output, printed);
  return output.form === 'json' ? readJson(output, text) : readLines(output, text);
}

function textOf({ stream }: ListOutput, { stdout, stderr }: { stdout: string; stderr: string }): string {
  if (stream === 'both') return `${stdout}\n${stderr}`;
  return stream === 'stdout' ? stdout : stderr;
}

function readJson(output: ListOutput & { form: 'json' }, text: string): ListReading {
  const value = parse(text);
  const found = value === undefined ? undefined : getIn(value, output.at);
  const servers = found === undefined ? undefined : membersOf(found, output.name);
  if (servers === undefined) return { isList: false };
  return {
    isList: true,
    servers: servers.slice(0, MAX_SERVERS).map(([name, entry]): SeenServer => {
      const url = textAt(entry, output.url);
      const command = textAt(entry, output.command);
      const args = output.args === undefined ? undefined : getIn(entry, output.args);
      const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
      const tools = output.tools === undefined ? undefined : getIn(entry, output.tools);
      const names = Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : undefined;
      return {
        name,
        state:
          output.states.find(({ at, equals }) => (getIn(entry, at) ?? null) === equals)?.state ??
          output.otherwise,
        ...(url === undefined ? {} : { url }),
        ...(command === undefined ? {} : { launch: [command, ...words].join(' ') }),
        ...(names === undefined || names.includes('*') ? {} : { tools: names }),
      };
    }),
  };
}

/** The document, also where the client prints a line of its own before it. */
function parse(text: string): Json | undefined {
  const start = text.search(/^\s*[[{]/mu);
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start)) as Json;
  } catch {
    return undefined;
  }
}

function membersOf(value: Json, nameMember: string | undefined): [string, Json][] | undefined {
  if (nameMember === undefined) return isObject(value) ? Object.entries(value) : undefined;
  if (!Array.isArray(value)) return undefined;
  return (value as readonly Json[]).flatMap((entry): [string, Json][] => {
    const name = getIn(entry, [nameMember]);
    return typeof name === 'string' ? [[name, entry]] : [];
  });
}

function textAt(entry: Json, path: readonly string[] | undefined): string | undefined {
  const value = path === undefined ? undefined : getIn(entry, path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readLines(output: ListOutput & { form: 'lines' }, text: string): ListReading {
  const entry = new RegExp(output.entry, 'u');
  const detail = output.detail === undefined ? undefined : new RegExp(output.detail, 'u');
  const frame = output.frame.map((pattern) => new RegExp(pattern, 'u'));
  const states = output.states.map(({ matches, state }) => ({ matches: new RegExp(matches, 'u'), state }));
  const servers: { -readonly [K in keyof SeenServer]: SeenServer[K] }[] = [];
  let isList = false;
  for (const whole of text.split('\n', MAX_LINES)) {
    const line = whole.slice(0, MAX_LINE).trimEnd();
    isList ||= frame.some((pattern) => pattern.test(line));
    const groups = entry.exec(line)?.groups;
    const last = servers.at(-1);
    if (groups !== undefined && servers.length < MAX_SERVERS) {
      const { name = '', state: says = '', url, launch } = groups;
      const state = states.find(({ matches }) => matches.test(says))?.state ?? output.otherwise;
      servers.push({
        name,
        state,
        ...(state === undefined ? { says } : {}),
        ...(url === undefined ? {} : { url }),
        ...(launch === undefined ? {} : { launch }),
      });
    } else if (detail !== undefined && last !== undefined) {
      const { url, launch } = detail.exec(line)?.groups ?? {};
      if (url !== undefined) last.url ??= url;
      if (launch !== undefined) last.launch ??= launch;
    }
  }
  return isList || servers.length > 0 ? { isList: true, servers } : { isList: false };
}
