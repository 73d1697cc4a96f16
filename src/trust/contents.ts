import { formatOf } from '../formats/index.ts';
import { getIn, isObject, type Json, toPointer } from '../lib/json.ts';
import { redactValue } from '../lib/secrets.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { serversIn } from '../runtimes/servers.ts';
import type { AbsPath } from '../system/ports.ts';
import { unpinnedPackage } from './launch.ts';
import type { Match, Reading, ScanClass } from './places.ts';

/** A server that stands in a file of the repository. */
export interface ScannedServer {
  readonly pointer: string;
  readonly name: string;
  readonly launch: readonly string[];
  readonly url: string;
  /** The package that its launch fetches without a fixed version. */
  readonly unpinned: string;
}

export interface Contents {
  readonly class: ScanClass;
  readonly servers: readonly ScannedServer[];
}

/** Members whose text a tool may run. */
const RUNS = /command|script|helper|exec|notify|shell|hook|plugin|statusline|runner/i;
/** Texts that are read, not run. */
const PROSE = /\.(md|mdc|markdown|txt|rst)$/i;

/**
 * What a file of the inventory does. A configuration that cannot be read counts as executable, since nobody can say
 * what it holds.
 */
export function contentsOf(
  path: string,
  text: string | undefined,
  match: Match,
  isExecutable: boolean,
  where: { readonly root: AbsPath; readonly platform: NodeJS.Platform },
): Contents {
  if (match.kind === 'instructions') return { class: 'model-influencing', servers: [] };
  if (match.kind === 'hook' || match.kind === 'environment' || match.kind === 'git-hook')
    return { class: 'executable', servers: [] };
  if (match.kind !== 'config') {
    const reads = PROSE.test(path) && !isExecutable && !text?.startsWith('#!');
    return { class: reads ? 'model-influencing' : 'executable', servers: [] };
  }
  const seen = match.readings.map((reading) => configOf(reading, text, where));
  const servers = new Map(seen.flatMap((one) => one.servers).map((server) => [server.pointer, server]));
  return { class: strongest(seen.map((one) => one.class)), servers: [...servers.values()] };
}

const ORDER: readonly ScanClass[] = ['executable', 'model-influencing', 'declarative-only'];
const strongest = (classes: readonly ScanClass[]): ScanClass =>
  ORDER.find((one) => classes.includes(one)) ?? 'executable';

function configOf(
  { spec, file }: Reading,
  text: string | undefined,
  where: { readonly root: AbsPath; readonly platform: NodeJS.Platform },
): Contents {
  const fileSpec = spec.files[file];
  const document = fileSpec === undefined || text === undefined ? undefined : parse(fileSpec.format, text);
  if (document === undefined || fileSpec === undefined) return { class: 'executable', servers: [] };
  const isServers = spec.mcp?.places.some((place) => place.file === file) ?? false;
  const servers = isServers ? serversOf(spec, file, document.value, where) : [];
  const runs = servers.some(({ launch }) => launch.length > 0) || runsSomething(document.value);
  const steers = servers.length > 0 || holdsPermissions(spec, file, document.value);
  return { class: runs ? 'executable' : steers ? 'model-influencing' : 'declarative-only', servers };
}

function parse(
  format: Parameters<typeof formatOf>[0],
  text: string,
): { readonly value: Json | undefined } | undefined {
  const parsed = formatOf(format).parse(text);
  return parsed.ok ? { value: parsed.value } : undefined;
}

function serversOf(
  spec: RuntimeSpec,
  file: string,
  document: Json | undefined,
  { root, platform }: { readonly root: AbsPath; readonly platform: NodeJS.Platform },
): ScannedServer[] {
  const scopes = (spec.mcp?.places ?? []).filter((place) => place.file === file).map(({ scope }) => scope);
  return scopes.flatMap((scope) =>
    serversIn(spec, scope, document, root, platform).map((server) => ({
      pointer: toPointer(server.path),
      name: server.name,
      // Masked as a list, where an option tells that the next word is a secret.
      launch: redactValue([...(server.launch ?? [])]) as readonly string[],
      url: server.url ?? '',
      unpinned: unpinnedPackage(server.launch ?? []) ?? '',
    })),
  );
}

/** Whether a member of a telling name holds a text, a list or anything but an empty object. */
function runsSomething(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some((item: Json) => runsSomething(item));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    const says =
      typeof member === 'string'
        ? member !== ''
        : Array.isArray(member)
          ? member.length > 0
          : isObject(member) && Object.keys(member).length > 0;
    return (RUNS.test(name) && says) || runsSomething(member);
  });
}

function holdsPermissions(spec: RuntimeSpec, file: string, document: Json | undefined): boolean {
  const { permissions } = spec;
  const places =
    permissions === undefined ? [] : [permissions.ask, permissions.deny, permissions.allow].flat();
  return places.some((place) => {
    const [container] = place.at;
    return place.file === file && container !== undefined && getIn(document, [container]) !== undefined;
  });
}
