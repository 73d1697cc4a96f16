import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { SCOPES } from '../endpoint/tools.ts';
import { type Authority, LOCAL_CALLER, openAuthority } from './auth.ts';
import type { Caller } from './bootstrap.ts';
import { GuardError } from './errors.ts';
import { answerFault, type Place } from './faults.ts';
import { issueToken, type PlainAnswer } from './identity.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { openMemory } from './memory.ts';
import type { Sandbox, SandboxBehaviour, SandboxOptions, SeenRequest } from './options.ts';
import { DEFAULT_QUOTAS, quotas } from './quota.ts';

const DEFAULTS: SandboxBehaviour = {
  toolProfile: 'coding',
  projects: [],
  quotas: {},
  toolErrors: {},
  faults: {},
  instructions: INSTRUCTIONS,
  localClasses: LOCAL_CALLER.classes,
  reshape: (tool) => tool,
  token: {},
  resourceMetadata: {},
  serverMetadata: {},
  challenge: undefined,
};

const BODY_LIMIT = 64 * 1024;
/** Most requests that are remembered for tests. */
const SEEN_LIMIT = 1000;

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_LIMIT) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, answer: PlainAnswer): void {
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(JSON.stringify(answer.body));
}

/** The places that have a path of their own; `/mcp` is handled apart. */
const PLACES: Readonly<Record<string, Place>> = {
  'GET /health/live': 'live',
  'GET /health/ready': 'ready',
  'POST /identity/mcp-token': 'token',
  'GET /.well-known/oauth-protected-resource/mcp': 'resource-metadata',
  'GET /.well-known/oauth-authorization-server': 'server-metadata',
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });

/**
 * Starts a VERA-compatible endpoint on loopback: health, MCP, token exchange and OAuth metadata, with made-up data. Binds
 * 127.0.0.1 or ::1 only. Rejects with the system's error when the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { mcpEndpoint } = await import('./mcp.ts');
  const host = options.host ?? '127.0.0.1';
  const sse = options.sse ?? false;
  const stateful = options.stateful ?? false;
  const remote = options.auth === 'remote-authenticated';
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  let behaviour: SandboxBehaviour = { ...DEFAULTS, ...given };
  const memory = openMemory();
  const quota = quotas(() => ({ ...DEFAULT_QUOTAS, ...behaviour.quotas }), Date.now);
  const mcp = mcpEndpoint({ stateful, sse, newSessionId: randomUUID });
  const apiKey = `vera_${randomBytes(4).toString('hex')}.${randomBytes(16).toString('hex')}`;
  const seen: SeenRequest[] = [];
  let authority: Authority | undefined;
  let apiUrl = '';
  let allowedHosts: readonly string[] = [];

  const resourceMetadata = () => ({
    resource: `${apiUrl}/mcp`,
    authorization_servers: [apiUrl],
    scopes_supported: Object.values(SCOPES),
    bearer_methods_supported: ['header'],
    ...behaviour.resourceMetadata,
  });
  const serverMetadata = () => ({
    issuer: apiUrl,
    authorization_endpoint: `${apiUrl}/authorize`,
    token_endpoint: `${apiUrl}/token`,
    jwks_uri: `${apiUrl}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: Object.values(SCOPES),
    ...behaviour.serverMetadata,
  });

  async function plain(place: Place, request: IncomingMessage): Promise<PlainAnswer> {
    if (place === 'live' || place === 'ready') return { status: 200, body: { status: 'ok' } };
    if (place === 'token') {
      const body = await readBody(request);
      if (body === undefined) return { status: 413, body: { detail: 'too large' } };
      return issueToken(
        { authorization: request.headers.authorization, body },
        { authority, apiKey, twist: behaviour.token },
      );
    }
    if (authority === undefined) return { status: 404, body: { detail: 'not found' } };
    return { status: 200, body: place === 'resource-metadata' ? resourceMetadata() : serverMetadata() };
  }

  async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!stateful && request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' });
      response.end();
      return;
    }
    let caller: Caller = { ...LOCAL_CALLER, classes: behaviour.localClasses };
    if (authority !== undefined) {
      const checked = await authority.authenticate(request.headers.authorization);
      if (!checked.ok) {
        const challenge = behaviour.challenge === undefined ? checked.challenge : behaviour.challenge;
        const { code, message, data } = new GuardError(
          checked.status === 401 ? 'unauthenticated' : 'unauthorized',
        );
        send(response, {
          status: checked.status,
          headers: challenge === null ? {} : { 'www-authenticate': challenge },
          body: { jsonrpc: '2.0', id: null, error: { code, message, data } },
        });
        return;
      }
      caller = checked.caller;
    }
    await mcp.handle(request, response, {
      ...behaviour,
      caller,
      memory,
      takeQuota: quota.take,
      faultOf: (tool) => {
        const code = behaviour.toolErrors[tool];
        return code === undefined ? undefined : new GuardError(code);
      },
    });
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const { method = 'GET', headers } = request;
    if (seen.length < SEEN_LIMIT)
      seen.push({ method, path, authenticated: headers.authorization !== undefined });
    if (!allowedHosts.includes(headers.host ?? ''))
      return send(response, { status: 421, body: { detail: 'host' } });
    // A web page of another origin must not reach a server on loopback (MCP, transports, security warning).
    if (headers.origin !== undefined && !allowedHosts.some((name) => headers.origin === `http://${name}`)) {
      return send(response, { status: 403, body: { detail: 'origin' } });
    }
    const place = path === '/mcp' ? 'mcp' : PLACES[`${method} ${path}`];
    const fault = place === undefined ? undefined : behaviour.faults[place];
    if (fault !== undefined) return answerFault(fault, request, response);
    if (place === 'mcp') return serveMcp(request, response);
    if (place !== undefined) return send(response, await plain(place, request));
    if (method === 'GET' && path === '/.well-known/jwks.json' && authority !== undefined) {
      return send(response, { status: 200, body: authority.jwks });
    }
    send(response, { status: 404, body: { detail: 'not found' } });
  }

  const server = createServer((request, response) => {
    route(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const port = await listen(server, options.port ?? 0, host);
  apiUrl = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  allowedHosts = options.hosts ?? [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const mcpUrl = `${apiUrl}/mcp`;
  if (remote) {
    const metadata = `${apiUrl}/.well-known/oauth-protected-resource/mcp`;
    authority = await openAuthority({ issuer: apiUrl, audience: mcpUrl, resourceMetadata: metadata });
  }
  return {
    apiUrl,
    mcpUrl,
    port,
    apiKey,
    authority,
    seen,
    update(changes) {
      behaviour = { ...behaviour, ...changes };
    },
    async close() {
      await mcp.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
