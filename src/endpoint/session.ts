import type { ErrorCode } from '../errors/error.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { isLoopback } from './address.ts';
import { parseChallenge } from './challenge.ts';
import { startDeadline } from './deadline.ts';
import { showText } from './display.ts';
import { mapStructuredError } from './errors.ts';
import { failureOfStatus } from './failure.ts';
import type { HttpAnswer } from './http.ts';
import type { Network } from './http-open.ts';
import {
  type BootstrapVerdict,
  bootstrapProblems,
  instructionProblems,
  judgeTools,
  type LiveProblem,
  missingPoints,
  readBootstrap,
  type ToolsVerdict,
  toolProblems,
} from './live-checks.ts';
import type { Env } from './proxy.ts';
import { type GuardedFetch, guardedFetch } from './sdk-fetch.ts';
import { rejection } from './token.ts';
import { checkUrl, displayUrl } from './url.ts';

export interface LiveOptions {
  /** Sent to the endpoint and nowhere else; over https or loopback only. Secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit of the whole check, in milliseconds. */
  readonly timeoutMs: number;
  /** Asked for in `knowledge_bootstrap`. */
  readonly project?: string;
  /** Sanitised identity (V47); nothing else of the repository is sent. */
  readonly repository?: string;
  /** `vera` (default): the whole contract. `any`: only that it answers and lists its tools. */
  readonly contract?: 'vera' | 'any';
  readonly anonymousRemote?: 'refuse' | 'accept';
  /** For the proxy variables. */
  readonly env?: Env;
  readonly ca?: readonly string[];
}

export interface LiveReport {
  readonly status: 'pass' | 'warn' | 'fail';
  /** For display. */
  readonly url: string;
  /** One sentence, safe to show. */
  readonly message: string;
  readonly ms: number;
  /** HTTP requests that were made: at most five. */
  readonly requests: number;
  readonly protocolVersion?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly tools?: ToolsVerdict;
  readonly bootstrap?: BootstrapVerdict;
  /** Faults, warnings and notes, in the order they were found. */
  readonly problems: readonly LiveProblem[];
}

/** initialize, initialized, tools/list, knowledge_bootstrap, DELETE. */
const MOST_REQUESTS = 5;

const error = (code: ErrorCode, message: string, action?: string): LiveProblem => ({
  code,
  severity: 'error',
  message,
  ...(action === undefined ? {} : { action }),
});

function refusalProblem(answer: HttpAnswer, url: URL, withToken: boolean): LiveProblem {
  const shown = displayUrl(url.href);
  const failure = failureOfStatus(answer.status, shown, url);
  if (failure !== undefined) return error(failure.code, failure.message);
  if (answer.status === 401 && withToken) {
    return error(
      'endpoint/token-rejected',
      rejection(answer, shown),
      'Log in to the server again, then retry.',
    );
  }
  if (answer.status === 401)
    return error('endpoint/login-needed', `${shown} needs a login.`, 'Log in to the server, then retry.');
  if (answer.status === 403) {
    const scope = parseChallenge(answer.headers['www-authenticate'])?.params.get('scope');
    const which = scope === undefined ? '' : ` (${showText(scope, 100)})`;
    return error(
      'endpoint/token-scope',
      `${shown} refuses this caller (403)${which}.`,
      'Ask for a credential with the missing scope.',
    );
  }
  return error('endpoint/not-proven', `${shown} answers ${answer.status}.`);
}

/** What went wrong in a request of the SDK, most exact source first: our own network, an HTTP status, a JSON-RPC error. */
function problemOf(thrown: unknown, guarded: GuardedFetch, url: URL, withToken: boolean): LiveProblem {
  const failure = guarded.lastFailure();
  if (failure !== undefined) return error(failure.code, failure.message);
  const refusal = guarded.lastRefusal();
  if (refusal !== undefined) return refusalProblem(refusal, url, withToken);
  const code = isObject(thrown) && typeof thrown['code'] === 'number' ? thrown['code'] : undefined;
  if (code !== undefined && isObject(thrown) && 'data' in thrown && thrown['data'] !== undefined) {
    const mapped = mapStructuredError(thrown['data'], code);
    return error('endpoint/tool-refused', mapped.message, mapped.action);
  }
  if (code !== undefined && code !== -1)
    return error('endpoint/tool-refused', mapStructuredError(undefined, code).message);
  return error('endpoint/not-mcp', `${displayUrl(url.href)} does not answer as an MCP server.`);
}

function structured(result: {
  structuredContent?: unknown;
  content?: unknown;
  isError?: unknown;
}): JsonObject | undefined {
  if (result.isError === true) return undefined;
  if (isObject(result.structuredContent)) return result.structuredContent;
  const [first] = Array.isArray(result.content) ? result.content : [];
  if (!isObject(first) || typeof first['text'] !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(first['text']);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

interface Findings {
  protocolVersion?: string;
  serverInfo?: { name: string; version: string };
  tools?: ToolsVerdict;
  bootstrap?: BootstrapVerdict;
  readonly problems: LiveProblem[];
}

/** The session itself; throws what the SDK throws. */
async function converse(
  url: URL,
  guarded: GuardedFetch,
  options: LiveOptions,
  remaining: () => number,
  found: Findings,
): Promise<void> {
  const [{ Client }, { StreamableHTTPClientTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: guarded.fetch,
    requestInit: { headers: { ...options.headers } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const client = new Client({ name: 'tenon', version: '1' });
  // Every request ends with our own deadline; the SDK's must not come first.
  const limit = () => ({ timeout: remaining() + 1000 });
  // The SDK's types were not made for exactOptionalPropertyTypes: its own transport does not match its interface.
  await client.connect(transport as Parameters<typeof client.connect>[0], limit());
  try {
    if (transport.protocolVersion !== undefined)
      found.protocolVersion = showText(transport.protocolVersion, 32);
    const server = client.getServerVersion();
    if (server !== undefined)
      found.serverInfo = { name: showText(server.name, 100), version: showText(server.version, 50) };
    const anonymous = Object.keys(options.headers ?? {}).length === 0;
    if (anonymous && !isLoopback(url.hostname) && options.anonymousRemote !== 'accept') {
      const message = `${displayUrl(url.href)} lets anybody in without a login, which only a server on this machine may.`;
      found.problems.push(error('endpoint/unauthenticated-remote', message));
      return;
    }
    // `client.listTools` would compile the server's schemas to code; the plain request does not.
    const list = await client.request({ method: 'tools/list' }, types.ListToolsResultSchema, limit());
    found.tools = judgeTools(list.tools);
    if (options.contract === 'any') return;
    if (list.nextCursor !== undefined) {
      found.problems.push({
        code: 'endpoint/tools-paged',
        severity: 'warning',
        message: 'The list of tools has more pages; only the first was compared.',
      });
    }
    found.problems.push(
      ...toolProblems(found.tools),
      ...instructionProblems(missingPoints(client.getInstructions())),
    );
    if (!list.tools.some(({ name }) => name === 'knowledge_bootstrap')) return;
    const { project, repository } = options;
    const args = {
      ...(project === undefined ? {} : { project }),
      ...(repository === undefined ? {} : { repository }),
    };
    const result = await client.request(
      { method: 'tools/call', params: { name: 'knowledge_bootstrap', arguments: args } },
      types.CallToolResultSchema,
      limit(),
    );
    const answer = structured(result);
    if (answer === undefined) {
      found.problems.push(
        error('endpoint/bootstrap-unreadable', 'knowledge_bootstrap answers without structured content.'),
      );
      return;
    }
    found.bootstrap = readBootstrap(answer);
    found.problems.push(...bootstrapProblems(found.bootstrap, repository !== undefined));
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close();
  }
}

function summary(found: Findings, status: LiveReport['status']): string {
  const first = found.problems.find(({ severity }) => severity === 'error') ?? found.problems[0];
  if (status !== 'pass' && first !== undefined) return first.message;
  const { tools, bootstrap, protocolVersion } = found;
  const parts = [`MCP ${protocolVersion ?? 'session'}`];
  if (tools !== undefined)
    parts.push(`${tools.count} tools${tools.profile === undefined ? '' : ` (${tools.profile})`}`);
  if (bootstrap?.authProfile !== undefined) parts.push(bootstrap.authProfile);
  if (bootstrap?.repository !== undefined) parts.push(`repository ${bootstrap.repository}`);
  return parts.join(', ');
}

/**
 * An MCP session with the official client: initialize, tools/list and knowledge_bootstrap, and nothing that writes. Compares
 * instructions, tools and hints with the contract; maps structured errors to their action by `data.code` (V54, E-07). All
 * text of the server is escaped and bounded. Ends within the limit; never throws for what the server does.
 */
export async function liveCheck(mcpUrl: string, options: LiveOptions): Promise<LiveReport> {
  const started = performance.now();
  const base = { url: displayUrl(mcpUrl) };
  const withToken = Object.keys(options.headers ?? {}).length > 0;
  const checked = checkUrl(mcpUrl, { allowQuery: true, allowInsecure: !withToken });
  if (!checked.ok) {
    const problems = [error(checked.code, checked.message)];
    return { ...base, status: 'fail', message: checked.message, ms: 0, requests: 0, problems };
  }
  const malformed = Object.values(options.headers ?? {}).some((value) => /[^\t\x20-\x7e]/.test(value));
  if (malformed) {
    const message =
      'A header value has a line end or another character that HTTP does not allow; nothing was sent.';
    const problems = [error('endpoint/header-invalid', message)];
    return { ...base, status: 'fail', message, ms: 0, requests: 0, problems };
  }
  const deadline = startDeadline(options.timeoutMs);
  const network: Network = {
    env: options.env ?? {},
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  const guarded = guardedFetch({ deadline, network, limit: MOST_REQUESTS });
  const found: Findings = { problems: [] };
  try {
    await converse(checked.url, guarded, options, deadline.remaining, found);
  } catch (thrown) {
    found.problems.push(problemOf(thrown, guarded, checked.url, withToken));
  } finally {
    deadline.end();
  }
  const worst = (severity: string): boolean => found.problems.some((known) => known.severity === severity);
  const status = worst('error') ? 'fail' : worst('warning') ? 'warn' : 'pass';
  return {
    ...base,
    ...found,
    status,
    message: summary(found, status),
    ms: Math.round(performance.now() - started),
    requests: guarded.requests(),
  };
}
