import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import data from '../clients.json' with { type: 'json' };

export type ClientId = keyof typeof data.clients;

/** A coding tool of the cache, as its program is started. */
export interface Installed {
  /** The program's name on PATH. */
  readonly program: string;
  /** Folders for PATH, the tool's own first. */
  readonly folders: readonly string[];
  /** A folder below HOME that every home shares, and where it lies: what the tool unpacks at its first start. */
  readonly shared?: { readonly below: string; readonly folder: string };
}

/**
 * Where the cache has a coding tool; undefined when it is not (wholly) there. `scripts/clients.mjs` fills the cache and
 * names it in TENON_TEST_CLIENTS.
 */
export function installed(id: ClientId): Installed | undefined {
  const cache = process.env['TENON_TEST_CLIENTS'];
  if (cache === undefined) return undefined;
  const client: { package: string; version: string; program: string; node?: string; unpacks?: string } =
    data.clients[id];
  const folder = folderOf(cache, client.package, client.version, '.bin');
  const node = client.node === undefined ? undefined : folderOf(cache, 'node', client.node, 'node/bin');
  if (folder === undefined || (client.node !== undefined && node === undefined)) return undefined;
  return {
    program: client.program,
    folders: [folder, node ?? dirname(process.execPath)],
    ...(client.unpacks === undefined
      ? {}
      : { shared: { below: client.unpacks, folder: join(cache, 'unpacked', `${id}@${client.version}`) } }),
  };
}

function folderOf(cache: string, name: string, version: string, below: string): string | undefined {
  const prefix = join(cache, `${name.replace('/', '+')}@${version}`);
  return isComplete(prefix) ? join(prefix, 'node_modules', below) : undefined;
}

const isComplete = (prefix: string): boolean => {
  const mark = join(prefix, 'complete.json');
  return existsSync(mark) && JSON.parse(readFileSync(mark, 'utf8')).complete === true;
};
