import type { Context } from '../../cli/context.ts';
import type { Scope } from '../../engine/types.ts';
import type { Wish } from '../../engine/wishes.ts';
import type { Finding } from '../../errors/error.ts';
import { formatOf } from '../../formats/index.ts';
import { type PathBase, resolvePath } from '../../runtimes/paths.ts';
import { documentAt, filesOn } from '../../runtimes/places.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import { type FoundServer, serversIn } from '../../runtimes/servers.ts';
import { showLaunch, showText } from '../../runtimes/show.ts';
import { glance } from '../../system/paths.ts';
import { isSame } from './duplicates.ts';
import type { Workspace } from './workspace.ts';

interface Elsewhere extends FoundServer {
  readonly scope: Scope;
  readonly file: string;
  readonly line: number | undefined;
}

/**
 * Servers of the same name in other scopes of a runtime, and which one it uses here (case I01): a warning where another
 * entry is used instead of ours, else for information. An equal one is shown and never reused (contract, section 4).
 */
export function otherScopes(context: Context, workspace: Workspace, wishes: readonly Wish[]): Finding[] {
  const { host, reader } = context.system;
  const base: PathBase = {
    root: workspace.root,
    home: host.home,
    platform: host.platform,
    env: host.env,
    reader,
  };
  const known: Known = new Map();
  return wishes.flatMap((wish) => {
    const { place } = wish.target;
    const isServer = wish.classes.some((one) => one === 'connects' || one === 'executes');
    const name = place.kind === 'key' ? place.path.at(-1) : undefined;
    if (!isServer || name === undefined) return [];
    return wish.runtimes.flatMap((id) => {
      const spec = workspace.specs.get(id);
      if (spec === undefined) return [];
      return elsewhere(spec, wish.main.scope, name, base, known).map((other) =>
        tell(spec, wish, name, other),
      );
    });
  });
}

/** The servers of a scope of a runtime in one file, by name; read once for all wishes. */
type Known = Map<string, ReadonlyMap<string, FoundServer>>;

function elsewhere(spec: RuntimeSpec, scope: Scope, name: string, base: PathBase, known: Known): Elsewhere[] {
  const others = (spec.mcp?.places ?? []).filter((place) => place.scope !== scope);
  return others.flatMap((place): Elsewhere[] => {
    const file = spec.files[place.file];
    if (file === undefined) return [];
    const there = filesOn(file, base.platform)
      .paths.map((template) => resolvePath(template, base))
      .filter((path) => path.problem?.severity !== 'error' && glance(base.reader, path.abs)?.kind === 'file');
    return (file.merged ? there : there.slice(0, 1)).flatMap((path) => {
      const key = `${spec.id} ${place.scope} ${path.abs}`;
      let servers = known.get(key);
      if (servers === undefined) {
        const document = documentAt(path, file.format, base);
        const all = serversIn(spec, place.scope, document, base.root, base.platform);
        servers = new Map(all.map((server) => [server.name, server]));
        known.set(key, servers);
      }
      const found = servers.get(name);
      if (found === undefined) return [];
      const text = new TextDecoder().decode(base.reader.readFile(path.abs));
      const line = formatOf(file.format).locate(text, found.path)?.line;
      return [{ ...found, scope: place.scope, file: path.display, line }];
    });
  });
}

function tell(spec: RuntimeSpec, wish: Wish, name: string, other: Elsewhere): Finding {
  const order = spec.mcp?.precedence ?? [];
  const [own, theirs] = [order.indexOf(wish.main.scope), order.indexOf(other.scope)];
  const isKnown = own >= 0 && theirs >= 0;
  const isEqual = isSame(other, wish.value, spec);
  const line = other.line === undefined ? '' : `, line ${other.line}`;
  const there = `${showText(other.file)} (${other.scope} scope${line}, ${meaning(other)})`;
  const uses = !isKnown
    ? `which of the two ${spec.title} uses is not known`
    : theirs < own
      ? `that one is what ${spec.title} uses here, not this entry`
      : `${spec.title} uses this entry here`;
  const equal = isEqual ? '; both mean the same server, and the other one is not reused' : '';
  const isShadowed = !isEqual && (!isKnown || theirs < own);
  return {
    code: 'host/shadowed',
    severity: isShadowed ? 'warning' : 'info',
    subject: wish.address,
    message: `${showText(name)} stands in ${there} too; ${uses}${equal}`,
    ...(isShadowed
      ? { remedy: { text: `Take ${showText(name)} out of ${showText(other.file)}, or use another name` } }
      : {}),
    data: { runtimes: [spec.id], scope: other.scope, file: other.file, wins: isKnown && own < theirs },
  };
}

/** What an entry connects to or starts, without the query of a URL, whose values may be secret. */
function meaning({ url, launch }: FoundServer): string {
  if (url !== undefined) return showText(url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//'));
  return launch === undefined ? 'no server that can be read' : showLaunch(launch);
}
