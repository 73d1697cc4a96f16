import type { Context } from '../../cli/context.ts';
import { sameEndpoint } from '../../endpoint/url.ts';
import type { Duplicate } from '../../engine/plan-request.ts';
import type { Wish } from '../../engine/wishes.ts';
import { formatOf } from '../../formats/index.ts';
import { getIn, type Json } from '../../lib/json.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import { type FoundServer, serversIn } from '../../runtimes/servers.ts';
import { fromDisplay } from '../../system/paths.ts';
import type { Workspace } from './workspace.ts';

/**
 * Finds a server of somebody else in the same file that already points to what a wish wants (case C03). Compared are
 * endpoints (localhost = 127.0.0.1, a trailing slash ignored) and launches; nothing on disk is normalised.
 */
export function duplicateFinder(
  context: Context,
  workspace: Workspace,
): (wish: Wish) => Duplicate | undefined {
  const documents = new Map<string, Json | undefined>();
  const known = new Map<string, readonly FoundServer[]>();
  const serversOf = (wish: Wish, spec: RuntimeSpec): readonly FoundServer[] => {
    const { path } = wish.target;
    if (!documents.has(path)) documents.set(path, parse(context, workspace, wish));
    const key = `${spec.id} ${wish.main.scope} ${path}`;
    const { platform } = context.system.host;
    const servers =
      known.get(key) ?? serversIn(spec, wish.main.scope, documents.get(path), workspace.root, platform);
    known.set(key, servers);
    return servers;
  };
  return (wish) => {
    const place = wish.target.place;
    if (place.kind !== 'key' || !wish.classes.some((one) => one === 'connects' || one === 'executes'))
      return undefined;
    for (const id of wish.runtimes) {
      const spec = workspace.specs.get(id);
      if (spec?.mcp === undefined) continue;
      const name = place.path.at(-1);
      const found = serversOf(wish, spec).find(
        (server) => server.name !== name && isSame(server, wish.value, spec),
      );
      if (found !== undefined) return { name: found.name, path: found.path };
    }
    return undefined;
  };
}

function parse(context: Context, workspace: Workspace, wish: Wish): Json | undefined {
  const { reader, host } = context.system;
  const abs = fromDisplay(wish.target.path, {
    root: workspace.root,
    home: host.home,
    platform: host.platform,
  });
  const bytes = reader.readFile(abs);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  const parsed = formatOf(wish.target.format).parse(text);
  return parsed.ok ? parsed.value : undefined;
}

/** Whether a server that stands there means the same endpoint or launch as a value of ours. */
export function isSame(server: FoundServer, value: Json, spec: RuntimeSpec): boolean {
  const url = spec.mcp?.urlMembers
    .map((member) => getIn(value, [member]))
    .find((text): text is string => typeof text === 'string');
  if (url !== undefined && server.url !== undefined) return sameEndpoint(server.url, url);
  const command = spec.mcp?.commandMember === undefined ? undefined : getIn(value, [spec.mcp.commandMember]);
  if (command === undefined || server.launch === undefined) return false;
  const args = getIn(value, ['args']);
  const own = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [])];
  return JSON.stringify(own) === JSON.stringify(server.launch);
}
