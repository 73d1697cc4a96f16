import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Refusal } from './catalogue.ts';
import { discover } from './discover.ts';
import { runVerb, type VerbRunner } from './run-verb.ts';
import { listedTools, readCall } from './tools.ts';

/** So many verbs run at once; further calls wait. */
const MOST_RUNS = 3;

const INSTRUCTIONS =
  'tenon fits integrations into the configuration of coding tools. These tools only read. To change something: show the plan and its digest to the person, and let them run tenon setup, or run it with --approve and the digest that they confirmed.';

/**
 * tenon's own MCP server, on the SDK's low-level class: there a refusal is an error of the protocol and not the result
 * of a tool. A verb that ran is a successful call, whatever its exit code.
 */
export function createMcpServer(runner: VerbRunner, version: string): Server {
  const server = new Server(
    { name: 'tenon', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const takeTurn = turns(MOST_RUNS);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const call = readCall(params.name, params.arguments);
      if (call.kind === 'discover') return answer(discover(call.query, call.limit));
      return answer(await takeTurn(() => runVerb(runner, call.request, call.timeoutMs, signal)));
    } catch (error) {
      // McpError would put its number into the message, and the client does so again.
      if (error instanceof Refusal)
        throw Object.assign(new Error(error.message), { code: ErrorCode.InvalidParams });
      throw error;
    }
  });
  return server;
}

const answer = (value: object) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: { ...value },
});

/** Lets so many pieces of work run at once, in the order in which they came. */
function turns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
