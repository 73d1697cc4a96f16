import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { SCOPES, type ToolName, type ToolProfile, toolNames, VERA_TOOLS } from '../endpoint/tools.ts';
import { type Caller, SANDBOX_VERSION, type SandboxProject } from './bootstrap.ts';
import { GuardError } from './errors.ts';
import type { Memory } from './memory.ts';
import { SANDBOX_TOOLS } from './tools.ts';

/** What one connection is served with; read at every request, so that a test can change it in between. */
interface McpSettings {
  readonly caller: Caller;
  readonly toolProfile: ToolProfile;
  readonly projects: readonly SandboxProject[];
  readonly memory: Memory;
  readonly instructions: string;
  /** Counts a call; throws `quota_exceeded`. */
  readonly takeQuota: (principal: string, tool: ToolName) => void;
  /** A fault on demand, thrown before the tool runs; `undefined` for none. */
  readonly faultOf: (tool: ToolName) => GuardError | undefined;
  /** Last change of a tool's listing, for tests with hostile or wrong servers. */
  readonly reshape: (tool: ListedTool) => ListedTool;
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
}

const schemaOf = (schema: z.ZodObject, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io }) as { type: 'object'; [key: string]: unknown };

function call(
  name: string,
  args: Readonly<Record<string, unknown>>,
  settings: McpSettings,
): Record<string, unknown> {
  const visible = toolNames(settings.toolProfile).find((known) => known === name);
  if (visible === undefined) throw new GuardError('invalid_input', { field: 'name' });
  const fault = settings.faultOf(visible);
  if (fault !== undefined) throw fault;
  const { class: toolClass } = VERA_TOOLS[visible];
  if (!settings.caller.classes.includes(toolClass)) {
    throw new GuardError('unauthorized', { required_scope: SCOPES[toolClass] });
  }
  const { input, output, answer } = SANDBOX_TOOLS[visible];
  const checked = input.safeParse(args);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    throw new GuardError('invalid_input', { field: unknown ?? issue?.path.join('.') ?? '' });
  }
  settings.takeQuota(settings.caller.principal, visible);
  return output.parse(answer(checked.data, settings));
}

/**
 * A server on the SDK's low-level class: its high-level one turns every tool failure into a result with `isError`, and
 * the VERA contract asks for top-level JSON-RPC errors.
 */
function serverFor(settings: McpSettings): Server {
  const server = new Server(
    { name: 'vera-sandbox', version: SANDBOX_VERSION },
    { capabilities: { tools: {} }, instructions: settings.instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: toolNames(settings.toolProfile).map((name) => {
      const { description, input, output } = SANDBOX_TOOLS[name];
      const listed = settings.reshape({ name, description, annotations: { ...VERA_TOOLS[name].hints } });
      return { ...listed, inputSchema: schemaOf(input, 'input'), outputSchema: schemaOf(output, 'output') };
    }),
  }));
  server.setRequestHandler(CallToolRequestSchema, (request) => {
    try {
      const structuredContent = call(request.params.name, request.params.arguments ?? {}, settings);
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    } catch (error) {
      if (error instanceof GuardError) throw error;
      throw new GuardError('internal_error');
    }
  });
  return server;
}

export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, settings: McpSettings): Promise<void>;
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;

/**
 * The Streamable HTTP endpoint. Stateless: a server and a transport per request, as the SDK asks for. Stateful: one pair
 * per session id.
 */
export function mcpEndpoint(options: {
  readonly stateful: boolean;
  readonly sse: boolean;
  readonly newSessionId: () => string;
}): McpEndpoint {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (settings: McpSettings, sessionIdGenerator: (() => string) | undefined) => {
    const transport = new StreamableHTTPServerTransport({
      ...(sessionIdGenerator === undefined ? {} : { sessionIdGenerator }),
      enableJsonResponse: !options.sse,
      maxRequestBodySize: BODY_LIMIT,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const server = serverFor(settings);
    // The SDK's types were not made for exactOptionalPropertyTypes: its own transport does not match its interface.
    await server.connect(transport as Transport);
    return { server, transport };
  };
  return {
    async handle(request, response, settings) {
      if (!options.stateful) {
        const { server, transport } = await open(settings, undefined);
        response.once('close', () => void server.close());
        return transport.handleRequest(request, response);
      }
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (known !== undefined) return known.handleRequest(request, response);
      if (id !== undefined) {
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'no such session' } }),
        );
        return;
      }
      const { transport } = await open(settings, options.newSessionId);
      return transport.handleRequest(request, response);
    },
    async close() {
      for (const transport of sessions.values()) await transport.close();
      sessions.clear();
    },
  };
}
