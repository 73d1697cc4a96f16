import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isObject } from '../lib/json.ts';
import { redactText } from '../lib/secrets.ts';
import { showText } from '../runtimes/show.ts';
import { type OpenTree, openTree } from '../system/child-tree.ts';
import type { AbsPath } from '../system/ports.ts';
import { plainText } from './plain-text.ts';

/** A server of tools lists a few dozen; what is longer is cut. */
const MAX_TOOLS = 1000;
const MAX_PAGES = 20;
/** Bytes of stdout after which the server is ended; of stderr this much is kept and the rest is thrown away. */
const MAX_STDOUT = 4 * 1024 * 1024;
const KEPT_STDERR = 16 * 1024;

export interface SessionQuestion {
  /** Absolute path of the program. */
  readonly program: AbsPath;
  readonly args: readonly string[];
  readonly cwd: AbsPath;
  /** Complete. */
  readonly env: Readonly<Record<string, string>>;
  /** Limit of everything, in milliseconds; then the whole process tree is ended. */
  readonly timeoutMs: number;
  /** A tool to call, once, without arguments, if the server itself says that it only reads. */
  readonly proof?: string;
}

export interface ShownTool {
  readonly name: string;
  /** The server's own hint; undefined where it gives none. */
  readonly readOnly: boolean | undefined;
}

export type SessionReport =
  /** `message`: one sentence without its subject, safe to show. */
  | { readonly state: 'not-started' | 'no-answer'; readonly message: string }
  | {
      readonly state: 'answered';
      /** Name and version as the server gives them, safe to show. */
      readonly server: string;
      /** Names are the server's own text. */
      readonly tools: readonly ShownTool[];
      readonly isCut: boolean;
      readonly proof?: ProofReport;
      readonly ms: number;
    };

/** What came of the proof call. The result's content goes nowhere; its members are named with their types. */
export type ProofReport =
  | { readonly state: 'answered'; readonly shape: Readonly<Record<string, string>> }
  | { readonly state: 'not-called' | 'failed'; readonly message: string };

/**
 * Starts a stdio server and speaks with it as a client does: initialize, tools/list, and the proof call where one is named.
 * Nothing else is called. Bounded in time and output; in the end the server and everything that it started is ended.
 * Never rejects. The caller has made sure that the launch is trusted.
 */
export async function stdioSession(question: SessionQuestion): Promise<SessionReport> {
  const started = performance.now();
  let tree: OpenTree;
  try {
    tree = openTree(question.program, question.args, {
      cwd: question.cwd,
      env: question.env,
      stdin: 'pipe',
    });
  } catch {
    return { state: 'not-started', message: 'could not be started' };
  }
  const stderr = keepStart(tree);
  // Requests that are still open hold timers; the end of the session closes them.
  const closing: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<SessionReport>((resolve) => {
    timer = setTimeout(
      () =>
        resolve({
          state: 'no-answer',
          message: `gave no answer in ${Math.round(question.timeoutMs / 1000)} s`,
        }),
      question.timeoutMs,
    );
  });
  const gone = tree.ended.then(async ({ code, started: wasStarted }): Promise<SessionReport> => {
    if (!wasStarted) return { state: 'not-started', message: 'could not be started' };
    // What it said last may still be on its way.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { state: 'no-answer', message: `ended by itself (exit code ${code ?? 'none'})${said(stderr())}` };
  });
  try {
    return await Promise.race([deadline, gone, converse(question, tree, started, closing)]);
  } catch (error) {
    const why = error instanceof Error ? showText(redactText(error.message)) : 'an error';
    return { state: 'no-answer', message: `did not speak the protocol: ${why}${said(stderr())}` };
  } finally {
    clearTimeout(timer);
    tree.end();
    for (const close of closing) close();
    for (const stream of [tree.stdin, tree.stdout, tree.stderr]) stream.destroy();
  }
}

async function converse(
  question: SessionQuestion,
  tree: OpenTree,
  started: number,
  closing: (() => void)[],
): Promise<SessionReport> {
  let breakOff: (error: Error) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    breakOff = reject;
  });
  broken.catch(() => {});
  const [{ Client }, types, transport] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    pipeTransport(tree, (error) => breakOff(error)),
  ]);
  const client = new Client({ name: 'tenon', version: '1' });
  // The whole session has one limit, ours; the SDK's for a request must not come first.
  const limit = { timeout: question.timeoutMs + 60_000 };
  closing.push(() => transport.onclose?.());
  const conversation = async (): Promise<SessionReport> => {
    await client.connect(transport, limit);
    const version = client.getServerVersion();
    const tools: { name: string; readOnly: boolean | undefined; takesNothing: boolean }[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      // `client.listTools` would compile the server's schemas to code; the plain request does not.
      const page = await client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        types.ListToolsResultSchema,
        limit,
      );
      for (const { name, annotations, inputSchema } of page.tools) {
        tools.push({
          name,
          readOnly: annotations?.readOnlyHint,
          takesNothing: (inputSchema.required ?? []).length === 0,
        });
      }
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined && pages < MAX_PAGES && tools.length < MAX_TOOLS);
    const wanted = tools.find(({ name }) => name === question.proof);
    const proof: ProofReport | undefined =
      question.proof === undefined
        ? undefined
        : wanted === undefined
          ? { state: 'not-called', message: 'the server does not show it' }
          : wanted.readOnly !== true
            ? { state: 'not-called', message: 'the server does not say that it only reads' }
            : !wanted.takesNothing
              ? { state: 'not-called', message: 'it wants arguments' }
              : await callProof(() =>
                  client.request(
                    { method: 'tools/call', params: { name: wanted.name, arguments: {} } },
                    types.CallToolResultSchema,
                    limit,
                  ),
                );
    return {
      state: 'answered',
      server: version === undefined ? 'a server' : showText(`${version.name} ${version.version}`),
      tools: tools.slice(0, MAX_TOOLS).map(({ name, readOnly }) => ({ name, readOnly })),
      isCut: cursor !== undefined || tools.length > MAX_TOOLS,
      ...(proof === undefined ? {} : { proof }),
      ms: Math.round(performance.now() - started),
    };
  };
  const talk = conversation();
  // When the session was ended otherwise, nobody waits for its failure any more.
  talk.catch(() => {});
  return Promise.race([talk, broken]);
}

async function callProof(call: () => Promise<{ readonly [key: string]: unknown }>): Promise<ProofReport> {
  try {
    const result = await call();
    if (result['isError'] === true) return { state: 'failed', message: 'the tool answered with an error' };
    const value = structured(result);
    if (value === undefined) return { state: 'failed', message: 'the answer is no JSON object' };
    const shape = Object.entries(value).map(([name, member]) => [name, typeName(member)]);
    return { state: 'answered', shape: Object.fromEntries(shape) as Record<string, string> };
  } catch (error) {
    const why = error instanceof Error ? showText(redactText(error.message)) : 'an error';
    return { state: 'failed', message: `the call was refused: ${why}` };
  }
}

/** The result as an object: structured content, else the first text where it is JSON. */
function structured(result: {
  readonly [key: string]: unknown;
}): { readonly [key: string]: unknown } | undefined {
  if (isObject(result['structuredContent'])) return result['structuredContent'];
  const content = result['content'];
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  if (!isObject(first) || typeof first['text'] !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(first['text']);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** The SDK's transport over pipes of ours: its own one starts programs that it cannot end with their children. */
async function pipeTransport(tree: OpenTree, onLimit: (error: Error) => void): Promise<Transport> {
  const { ReadBuffer, serializeMessage } = await import('@modelcontextprotocol/sdk/shared/stdio.js');
  const buffer = new ReadBuffer();
  let bytes = 0;
  const transport: Transport = {
    async start() {
      tree.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_STDOUT) {
          tree.stdout.pause();
          onLimit(new Error(`more than ${MAX_STDOUT / 1024 / 1024} MB of output`));
          return;
        }
        buffer.append(chunk);
        for (;;) {
          try {
            const message = buffer.readMessage();
            if (message === null) return;
            transport.onmessage?.(message);
          } catch {
            // A line that is no message, e.g. a greeting: clients pass over it as well.
          }
        }
      });
    },
    async send(message) {
      tree.stdin.write(serializeMessage(message));
    },
    async close() {
      tree.stdin.end();
      transport.onclose?.();
    },
  };
  return transport;
}

/** Reads stderr away and keeps its beginning. */
function keepStart(tree: OpenTree): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  tree.stderr.on('data', (chunk: Buffer) => {
    if (bytes < KEPT_STDERR) chunks.push(chunk.subarray(0, KEPT_STDERR - bytes));
    bytes += chunk.length;
  });
  return () => plainText(Buffer.concat(chunks).toString('utf8'));
}

/** The last line on stderr that says something: errors stand there. */
function said(stderr: string): string {
  const last = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .at(-1);
  return last === undefined ? '' : `: ${showText(redactText(last))}`;
}
