import { createServer, type RequestListener, type Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { type EndpointReport, validateEndpoints } from '../../src/endpoint/validate.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/options.ts';
import { startSandbox } from '../../src/sandbox/server.ts';

/** What a busy machine may add to a deadline, in milliseconds. What has no deadline never ends. */
export const GRACE = 8000;

/** A sandbox that ends with the test. */
export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const running = await startSandbox(options);
  onTestFinished(() => running.close());
  return running;
}

/** Any http server on a free port that ends with the test; returns its origin. */
export async function serve(handler: RequestListener, host = '127.0.0.1'): Promise<string> {
  return listen(createServer(handler), host);
}

export async function listen(server: Server, host = '127.0.0.1', scheme = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export interface CheckOptions {
  readonly kind?: 'health' | 'mcp';
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly ca?: readonly string[];
  readonly anonymousRemote?: 'refuse' | 'accept';
}

/** One endpoint through the public door, with the time it took. */
export async function check(
  url: string,
  options: CheckOptions = {},
): Promise<EndpointReport & { took: number }> {
  const started = performance.now();
  const { kind = 'mcp', timeoutMs = 3000, env = {}, ca, anonymousRemote } = options;
  const endpoint = { kind, url, ...(anonymousRemote === undefined ? {} : { anonymousRemote }) };
  const [report] = await validateEndpoints([endpoint], {
    timeoutMs,
    env,
    offline: false,
    ...(ca === undefined ? {} : { ca }),
  });
  if (report === undefined) throw new Error('no report');
  return { ...report, took: performance.now() - started };
}

export const initializeResult = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  result: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 'fixture', version: '1.2.3' },
  },
});
