// An MCP server on stdio, made with the official SDK: one tool that answers "pong". Started by the coding tools of the tests.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'local', version: '1.0.0' });
server.registerTool(
  'ping',
  { description: 'Answers pong.', annotations: { readOnlyHint: true } },
  async () => ({ content: [{ type: 'text', text: 'pong' }] }),
);
await server.connect(new StdioServerTransport());
