import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { ClientBench } from './bench.ts';
import { killGroup } from './process.ts';

type Json = Record<string, unknown>;

export interface CodexView {
  readonly servers: readonly {
    readonly name: string;
    readonly runtimeStatus: string;
    readonly tools: Json;
  }[];
  readonly hooks: readonly {
    readonly eventName: string;
    readonly trustStatus: string;
    readonly key: string;
    readonly currentHash: string;
  }[];
  readonly warnings: readonly { readonly message: string }[];
  readonly skills: readonly { readonly name: string; readonly scope: string }[];
}

const LIMIT_MS = 60_000;
/** How long a server on stdio may take to start. */
const STARTING_MS = 20_000;

/** What Codex itself says of a folder: `codex app-server` is asked for its servers, hooks and skills there, and ended. */
export async function codexView(
  one: ClientBench,
  env: Readonly<Record<string, string>> = {},
): Promise<CodexView> {
  const all = one.env(env);
  const child = spawn('codex', ['app-server'], {
    cwd: one.root,
    env: all,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const end = () => killGroup(child.pid);
  onTestFinished(end);
  const waiting = new Map<number, (answer: Json) => void>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((text) => text.trim() !== '')) {
      const message = JSON.parse(line) as { id?: number; result?: Json; error?: Json };
      if (message.id === undefined) continue;
      waiting.get(message.id)?.(message.result ?? { error: message.error });
      waiting.delete(message.id);
    }
  });
  child.stdin.on('error', () => {});
  const send = (message: Json) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let last = 0;
  const ask = (method: string, params: Json): Promise<Json> => {
    last += 1;
    const id = last;
    return new Promise((done, fail) => {
      const limit = setTimeout(() => fail(new Error(`codex app-server did not answer ${method}`)), LIMIT_MS);
      child.once('exit', (code) => fail(new Error(`codex app-server ended with ${code}`)));
      waiting.set(id, (answer) => {
        clearTimeout(limit);
        done(answer);
      });
      send({ id, method, params });
    });
  };
  child.on('error', () => {});
  await ask('initialize', {
    clientInfo: { name: 'test', title: 'test', version: '1' },
    capabilities: { experimentalApi: true },
  });
  send({ method: 'initialized' });
  const started = (await ask('thread/start', { cwd: one.root, ephemeral: true })) as {
    thread: { id: string };
  };
  const statuses = () => ask('mcpServerStatus/list', { threadId: started.thread.id, detail: 'full' });
  let status = await statuses();
  for (const until = Date.now() + STARTING_MS; Date.now() < until; status = await statuses()) {
    const servers = status['data'] as CodexView['servers'];
    if (servers.every(({ runtimeStatus }) => runtimeStatus !== 'starting')) break;
    await new Promise((done) => setTimeout(done, 200));
  }
  const hooks = (await ask('hooks/list', { cwds: [one.root] })) as { data: Json[] };
  const skills = (await ask('skills/list', { cwds: [one.root] })) as { data: Json[] };
  end();
  return {
    servers: status['data'] as CodexView['servers'],
    hooks: hooks.data[0]?.['hooks'] as CodexView['hooks'],
    warnings: hooks.data[0]?.['warnings'] as CodexView['warnings'],
    skills: skills.data[0]?.['skills'] as CodexView['skills'],
  };
}
