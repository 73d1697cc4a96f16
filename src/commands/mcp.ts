import { join } from 'node:path';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { TenonError } from '../errors/error.ts';
import { createMcpServer } from '../mcp/server.ts';
import { startWatchdog, WATCHDOG_SWITCH } from '../mcp/watchdog.ts';
import type { Outcome } from '../reporting/types.ts';
import { processState } from '../system/child.ts';
import { findRoot } from '../system/root.ts';

/** A message of an agent is a few kB; one over this bound ends the connection instead of filling the memory. */
const MAX_MESSAGE = 16 * 1024 * 1024;

/**
 * `tenon mcp`: serves the read-only verbs on stdio until the client closes its end, is gone, or a signal comes. stdout
 * carries the protocol alone; what there is to say goes to stderr, one JSON document a line.
 */
export async function run(context: Context, { flags }: CommandArgs): Promise<Outcome> {
  const { system, packageDir, version } = context;
  const log = (line: object): void => {
    process.stderr.write(`${JSON.stringify({ program: 'tenon mcp', ...line })}\n`);
  };
  const server = createMcpServer(
    {
      program: join(packageDir, 'bin', 'cli.cjs'),
      cwd: system.host.cwd,
      root: rootOf(context),
      env: system.host.env,
    },
    version,
  );
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE });
  server.onerror = (error) => log({ event: 'protocol-error', message: error.message.slice(0, 300) });
  const parentPid = flags['parentPid'];
  await new Promise<void>((resolve) => {
    const disarm = startWatchdog(
      {
        switch: system.host.env[WATCHDOG_SWITCH],
        parentPid: typeof parentPid === 'string' ? parentPid : undefined,
        ownParent: process.ppid,
      },
      { state: processState, every: repeat, log },
      () => end(),
    );
    const end = (): void => {
      disarm();
      for (const signal of SIGNALS) process.removeListener(signal, end);
      process.stdin.removeListener('end', end).removeListener('close', end);
      resolve();
    };
    for (const signal of SIGNALS) process.once(signal, end);
    process.stdin.once('end', end).once('close', end);
    // A client that is gone cannot be written to either.
    process.stdout.once('error', end);
    server.onclose = end;
    server.connect(transport).catch((error: unknown) => {
      log({ event: 'not-started', message: error instanceof Error ? error.message : String(error) });
      end();
    });
  });
  // Ends what still runs: the handlers' signals are aborted with the connection.
  await server.close();
  process.stdin.destroy();
  return { command: 'mcp', exit: 0, data: {}, findings: [], human: () => '' };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function repeat(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  timer.unref();
  return () => clearInterval(timer);
}

/** The one root of this server. Where there is none, the verbs say so themselves. */
function rootOf({ system, options }: Context): string | undefined {
  if (options.root !== undefined) return options.root;
  try {
    return findRoot(system, options).root;
  } catch (error) {
    if (error instanceof TenonError) return undefined;
    throw error;
  }
}
