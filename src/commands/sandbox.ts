import { Socket } from 'node:net';
import type { Context } from '../cli/context.ts';
import type { ToolProfile } from '../endpoint/tools.ts';
import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import type { Outcome } from '../reporting/types.ts';
import type { Faults } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/options.ts';

export interface SandboxCommandOptions {
  /** As typed; 0 or undefined: any free port. */
  readonly port?: string;
  readonly host?: '127.0.0.1' | '::1';
  readonly toolProfile?: ToolProfile;
  readonly auth?: 'local-dev' | 'remote-authenticated';
  /** As typed: `PLACE=KIND`. */
  readonly faults?: readonly string[];
  /** Called once, when the endpoint listens; prints the outcome. Default: the context's reporter. */
  readonly onListening?: (outcome: Outcome) => void;
  /** Ends the sandbox; besides SIGINT, SIGTERM and the end of a piped stdin. */
  readonly signal?: AbortSignal;
}

/** The flags of the command line as options. */
export function sandboxOptions(flags: Readonly<Record<string, unknown>>): SandboxCommandOptions {
  const { port, auth, fault } = flags;
  return {
    ...(typeof port === 'string' ? { port } : {}),
    ...(auth === 'local-dev' || auth === 'remote-authenticated' ? { auth } : {}),
    ...(Array.isArray(fault) ? { faults: fault.map(String) } : {}),
  };
}

async function faultsOf(texts: readonly string[]): Promise<Faults> {
  const { NAMED_FAULTS, PLACES, parseFault } = await import('../sandbox/faults.ts');
  return Object.fromEntries(
    texts.map((text) => {
      const fault = parseFault(text);
      if (fault !== undefined) return fault;
      throw new TenonError('usage/bad-value', `--fault does not take ${printable(text)}.`, {
        exit: 2,
        remedy: {
          text: `Name a place (${PLACES.join(', ')}) and a kind (${Object.keys(NAMED_FAULTS).join(', ')}, or a status from 400 to 599).`,
          command: 'tenon sandbox --fault mcp=hang',
        },
      });
    }),
  );
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new TenonError('usage/bad-value', '--port takes a number from 0 to 65535.', {
    exit: 2,
    remedy: { text: 'Name a port, or 0 for any free one.', command: 'tenon sandbox --port 0' },
  });
}

function listenError(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const why = { EADDRINUSE: 'is already in use', EACCES: 'may not be used by this account' }[String(code)];
  if (why !== undefined) {
    return new TenonError('sandbox/port', `Port ${port} ${why}.`, {
      exit: 4,
      remedy: { text: 'Take any free port.', command: 'tenon sandbox --port 0' },
    });
  }
  if (code !== 'EADDRNOTAVAIL') return error;
  return new TenonError('sandbox/address', 'This machine does not have that loopback address.', {
    exit: 4,
    remedy: { text: 'Take the IPv4 one.', command: 'tenon sandbox --port 0' },
  });
}

function outcomeOf({ apiUrl, mcpUrl, apiKey, authority }: Sandbox): Outcome {
  // Made up at this start, and worth nothing anywhere else: it is what one types to try a login.
  const key = authority === undefined ? undefined : apiKey;
  return {
    command: 'sandbox',
    exit: 0,
    data: { apiUrl, mcpUrl, ...(key === undefined ? {} : { apiKey: key }) },
    findings: [],
    human: (theme) =>
      [
        `${theme.ok(theme.glyph.ok)} A VERA-compatible endpoint with made-up data, for this machine only`,
        '',
        `  VERA_API_URL  ${theme.accent(apiUrl)}`,
        `  VERA_MCP_URL  ${theme.accent(mcpUrl)}`,
        ...(key === undefined ? [] : [`  API key       ${key}  (made up; no other endpoint takes it)`]),
        '',
        'Try it in another terminal',
        `  tenon setup vera --set VERA_API_URL=${apiUrl} --set VERA_MCP_URL=${mcpUrl}`,
        '',
        theme.dim('Ctrl-C ends it; nothing is kept.'),
      ].join('\n'),
  };
}

/** Resolves when the process is told to end. Only a piped stdin counts: /dev/null ends at once, a terminal is for Ctrl-C. */
function untilEnded(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const piped = process.stdin instanceof Socket && process.stdin.isTTY !== true ? process.stdin : undefined;
    const end = (): void => {
      process.removeListener('SIGINT', end);
      process.removeListener('SIGTERM', end);
      signal?.removeEventListener('abort', end);
      piped?.removeListener('end', end);
      piped?.pause();
      resolve();
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
    signal?.addEventListener('abort', end, { once: true });
    piped?.once('end', end);
    piped?.resume();
    if (signal?.aborted === true) end();
  });
}

/**
 * `tenon sandbox`: serves the embedded endpoint on loopback until it is told to end (contract, section 3). The outcome is
 * handed to `onListening` as soon as the port is open and returned again at the end; print it once.
 * Errors: `usage/bad-value` (exit 2), `sandbox/port` and `sandbox/address` (exit 4).
 */
export async function runSandbox(context: Context, options: SandboxCommandOptions = {}): Promise<Outcome> {
  const port = portOf(options.port);
  const faults = await faultsOf(options.faults ?? []);
  const { startSandbox } = await import('../sandbox/server.ts');
  let sandbox: Sandbox;
  try {
    sandbox = await startSandbox({
      port,
      host: options.host ?? '127.0.0.1',
      faults,
      ...(options.auth === undefined ? {} : { auth: options.auth }),
      ...(options.toolProfile === undefined ? {} : { toolProfile: options.toolProfile }),
    });
  } catch (error) {
    throw listenError(error, port);
  }
  const outcome = outcomeOf(sandbox);
  const ended = untilEnded(options.signal);
  (options.onListening ?? ((listening) => void context.reporter.outcome(listening)))(outcome);
  await ended;
  await sandbox.close();
  return outcome;
}
