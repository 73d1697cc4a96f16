import type { Context } from '../cli/context.ts';
import { askList } from '../clients/ask.ts';
import type { SeenServer } from '../clients/read-list.ts';
import type { ClientVersion } from '../clients/version.ts';
import { TenonError } from '../errors/error.ts';
import { loadFormats } from '../formats/index.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { ClientList } from '../runtimes/schema-list.ts';
import { showText } from '../runtimes/show.ts';
import type { Sandbox } from '../sandbox/options.ts';
import { TEMPLATE } from './binding.ts';
import { consentIn } from './consent.ts';
import { OFFLINE, type World } from './world.ts';

/** One thing that the scenario proves. Ids are permanent. */
export interface Step {
  readonly id: StepId | 'version';
  readonly title: string;
  readonly status: 'pass' | 'fail' | 'skip';
  readonly message: string;
}

const TITLES = {
  'list-before': 'The client lists what is there',
  setup: 'tenon sets up',
  asks: 'The client asks first',
  seen: 'The client has the server',
  reached: 'The server was reached',
  uninstall: 'tenon takes out',
  tree: 'Every byte is as before',
  'list-after': 'The client lists what it listed before',
} as const;

export type StepId = keyof typeof TITLES;

/** The server that the integration brings, and one that is somebody else's. */
const SERVER = 'vera';
const NEIGHBOUR = 'neighbour';

/** Thrown to end the scenario at a step; everything behind it is skipped. */
class Failed extends Error {}

/**
 * The conformance scenario: in a scratch repository with a scratch home, next to a server of somebody else, tenon sets up an
 * integration against endpoints on loopback; the real client lists it, and reaches it where its list tries to; tenon takes
 * it out; every byte is as before, and the client lists what it listed before. Consent that the client asks of its user is
 * given in the scratch home alone. Every run of the client is bounded. Never throws for what the client does.
 */
export async function runScenario(
  context: Context,
  world: World,
  spec: RuntimeSpec,
  list: ClientList,
  version: ClientVersion,
): Promise<readonly Step[]> {
  const { startSandbox } = await import('../sandbox/server.ts');
  await loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']);
  const sandbox = await startSandbox();
  const other = await startSandbox();
  const steps: Step[] = [];
  const note = (id: StepId, status: Step['status'], message: string): void => {
    steps.push({ id, title: TITLES[id], status, message });
  };
  const prove = async (id: StepId, work: () => Promise<string> | string): Promise<void> => {
    try {
      note(id, 'pass', await context.reporter.progress(TITLES[id], async () => work()));
    } catch (error) {
      if (!(error instanceof Failed) && !(error instanceof TenonError)) throw error;
      note(id, 'fail', error.message);
      throw new Failed(error.message);
    }
  };
  try {
    await play({ context, spec, list, version, sandbox, other, world, prove, note });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    for (const id of Object.keys(TITLES) as StepId[]) {
      if (!steps.some((step) => step.id === id)) note(id, 'skip', 'an earlier step failed');
    }
  } finally {
    await Promise.all([sandbox.close(), other.close()]);
  }
  return steps;
}

interface Stage {
  readonly context: Context;
  readonly spec: RuntimeSpec;
  readonly list: ClientList;
  readonly version: ClientVersion;
  readonly sandbox: Sandbox;
  readonly other: Sandbox;
  readonly world: World;
  readonly prove: (id: StepId, work: () => Promise<string> | string) => Promise<void>;
  readonly note: (id: StepId, status: Step['status'], message: string) => void;
}

async function play(stage: Stage): Promise<void> {
  const { spec, list, sandbox, world, prove, note } = stage;
  const { system, root } = world;
  const base = {
    root,
    home: system.host.home,
    platform: system.host.platform,
    env: system.host.env,
    reader: system.reader,
  };
  await addNeighbour(stage);
  consentIn(spec, { kind: 'folder' }, base, system.writer);

  let before: readonly SeenServer[] = [];
  await prove('list-before', async () => {
    before = await listed(stage);
    if (before.some(({ name }) => name === SERVER)) throw new Failed(`it lists ${SERVER} already`);
    return names(before);
  });
  const tree = world.tree(spec);
  await prove('setup', async () => {
    const { run } = await import('../commands/setup.ts');
    const set = { VERA_API_URL: sandbox.apiUrl, VERA_MCP_URL: sandbox.mcpUrl };
    const outcome = await run(world.context({ runtimes: [spec.id], set }), {
      positionals: [TEMPLATE],
      flags: {},
    });
    if (outcome.exit !== 0) throw new Failed(`tenon setup ended with exit ${outcome.exit}`);
    return `${TEMPLATE}, against endpoints on loopback`;
  });

  const asks = spec.gates.some(({ kind }) => kind === 'on-list' || kind === 'decision');
  if (!asks) note('asks', 'skip', `${spec.title} asks nothing about a single server`);
  else {
    await prove('asks', async () => {
      const own = find(await listed(stage));
      if (own?.state === 'connected') throw new Failed(`it uses ${SERVER} although nobody approved it`);
      const said = own === undefined ? 'does not list it' : `says ${own.state ?? showText(own.says ?? '')}`;
      const files = consentIn(spec, { kind: 'server', name: SERVER }, base, system.writer);
      if (files.length === 0) throw new Failed('where its user approves is not known');
      return `it ${said} until its user approves it`;
    });
  }

  const asked = sandbox.seen.length;
  await prove('seen', async () => {
    const servers = await listed(stage);
    const own = find(servers);
    if (own === undefined) throw new Failed(`it does not list ${SERVER}, only ${names(servers)}`);
    const wanted = list.proves === 'connected' ? ['connected'] : ['connected', 'listed'];
    if (own.state === undefined || !wanted.includes(own.state))
      throw new Failed(`it lists ${SERVER} as ${own.state ?? showText(own.says ?? '')}`);
    if (own.url !== undefined && own.url !== sandbox.mcpUrl)
      throw new Failed(`it lists ${SERVER} with another address: ${showText(own.url)}`);
    return `${SERVER}: ${own.state}`;
  });
  if (list.proves !== 'connected') note('reached', 'skip', 'its list tries no server');
  else {
    await prove('reached', () => {
      const requests = sandbox.seen.slice(asked).filter(({ path }) => path === '/mcp').length;
      if (requests === 0) throw new Failed('it says that it is connected, and no request of it arrived');
      return `${requests} requests arrived`;
    });
  }

  await prove('uninstall', async () => {
    const { run } = await import('../commands/uninstall.ts');
    const outcome = await run(world.context({}), { positionals: [TEMPLATE], flags: {} });
    if (outcome.exit !== 0) throw new Failed(`tenon uninstall ended with exit ${outcome.exit}`);
    return 'nothing was kept';
  });
  await prove('tree', () => {
    const after = world.tree(spec);
    const paths = [...new Set([...Object.keys(tree), ...Object.keys(after)])];
    const changed = paths.filter((path) => tree[path] !== after[path]);
    if (changed.length > 0)
      throw new Failed(`not as before: ${changed.slice(0, 5).map(showText).join(', ')}`);
    return `${paths.length} files and folders`;
  });
  await prove('list-after', async () => {
    const after = await listed(stage);
    if (names(after) !== names(before)) throw new Failed(`${names(after)}, and before ${names(before)}`);
    return names(after);
  });
}

/**
 * A server of somebody else, written as tenon writes them and then forgotten: its ledger is another one, and the manifest
 * goes. So the client has a file of its own before, in the shape that it reads.
 */
async function addNeighbour({ spec, other, world }: Stage): Promise<void> {
  const { run } = await import('../commands/add.ts');
  const { system } = world;
  const elsewhere = `${system.host.env['TENON_STATE_DIR']}-of-somebody`;
  const context = world.context({ runtimes: [spec.id], offline: true });
  await run(
    {
      ...context,
      system: {
        ...system,
        host: { ...system.host, env: { ...system.host.env, TENON_STATE_DIR: elsewhere } },
      },
    },
    { positionals: [NEIGHBOUR, other.mcpUrl], flags: {} },
  );
  const folder = `${world.root}/.tenon`;
  for (const name of system.reader.list(folder) ?? []) system.writer.remove(`${folder}/${name}`);
  if (system.reader.lstat(folder) !== undefined) system.writer.removeDir(folder);
}

/** What the client lists now. Throws {@link Failed} with the reason where it gives no list. */
async function listed({ context, spec, version, world }: Stage): Promise<readonly SeenServer[]> {
  const { root, system, signal, scale } = world;
  const answer = await askList({ spec, root, system, version, names: OFFLINE, scale, signal });
  if (answer.state === 'skipped') throw new Failed(answer.reason);
  if (answer.state === 'refused')
    throw new Failed(`${answer.command} ended with exit code ${answer.code}: ${answer.says}`);
  context.reporter.debug(`${answer.command}: ${names(answer.servers)}`);
  return answer.servers;
}

const find = (servers: readonly SeenServer[]): SeenServer | undefined =>
  servers.find(({ name }) => name === SERVER);

const names = (servers: readonly SeenServer[]): string =>
  servers.length === 0
    ? 'no server'
    : servers
        .map(({ name }) => showText(name))
        .sort()
        .join(', ');
