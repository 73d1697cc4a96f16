import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

type Json = Record<string, unknown>;

/** The one tool call that the stand-in asks for, before it says that it is done. */
export interface ToolCall {
  readonly name: string;
  /** Codex's name space of an MCP server. */
  readonly namespace?: string;
  readonly args?: Json;
}

/** A stand-in for the API of a model: canned answers on loopback, no model behind them. */
export interface ModelApi {
  readonly url: string;
  /** What the coding tool sent, one JSON text per request with a prompt. */
  readonly prompts: readonly string[];
  /** Those of them that carry what became of the tool call. */
  readonly answered: readonly string[];
}

const DONE = 'The stand-in has nothing more to say.';

/** Starts one that ends with the test. It knows the four request forms that the coding tools of the tests use. */
export async function modelApi(call?: ToolCall): Promise<ModelApi> {
  const prompts: string[] = [];
  const answered: string[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const form = FORMS.find(({ ends }) => ends.test(path));
      if (form === undefined || request.method !== 'POST') {
        json(
          response,
          path.includes('/models') ? { object: 'list', data: [{ id: 'stub', object: 'model' }] } : {},
        );
        return;
      }
      const text = JSON.stringify(body);
      prompts.push(text);
      const isAnswered = form.answered.test(text);
      if (isAnswered) answered.push(text);
      form.answer(response, body, isAnswered || !offersTools(body) ? undefined : call, path);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the stand-in does not listen');
  return { url: `http://127.0.0.1:${address.port}`, prompts, answered };
}

interface Form {
  readonly ends: RegExp;
  /** Shows that the tool call was answered. */
  readonly answered: RegExp;
  answer(response: ServerResponse, body: Json, call: ToolCall | undefined, path: string): void;
}

const FORMS: readonly Form[] = [
  { ends: /\/messages$/u, answered: /"tool_result"/u, answer: messages },
  { ends: /\/responses$/u, answered: /"function_call_output"/u, answer: responses },
  { ends: /\/chat\/completions$/u, answered: /"role":"tool"/u, answer: completions },
  { ends: /enerateContent$/u, answered: /"functionResponse"/u, answer: generateContent },
];

function messages(response: ServerResponse, body: Json, call: ToolCall | undefined): void {
  const block =
    call === undefined
      ? { type: 'text', text: DONE }
      : { type: 'tool_use', id: 'toolu_01', name: call.name, input: call.args ?? {} };
  const reason = call === undefined ? 'end_turn' : 'tool_use';
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_01', type: 'message', role: 'assistant', model: body['model'], usage };
  if (body['stream'] !== true) {
    json(response, { ...message, content: [block], stop_reason: reason, stop_sequence: null });
    return;
  }
  const delta =
    call === undefined
      ? { type: 'text_delta', text: DONE }
      : { type: 'input_json_delta', partial_json: JSON.stringify(call.args ?? {}) };
  const empty = call === undefined ? { type: 'text', text: '' } : { ...block, input: {} };
  events(response, [
    ['message_start', { message: { ...message, content: [], stop_reason: null, stop_sequence: null } }],
    ['content_block_start', { index: 0, content_block: empty }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } }],
    ['message_stop', {}],
  ]);
}

function responses(response: ServerResponse, body: Json, call: ToolCall | undefined): void {
  const item =
    call === undefined
      ? {
          type: 'message',
          id: 'msg_01',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: DONE, annotations: [] }],
        }
      : {
          type: 'function_call',
          id: 'fc_01',
          call_id: 'call_01',
          name: call.name,
          ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
          arguments: JSON.stringify(call.args ?? {}),
          status: 'completed',
        };
  const whole = {
    id: 'resp_01',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: body['model'],
    output: [item],
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
  if (body['stream'] !== true) {
    json(response, whole);
    return;
  }
  events(response, [
    ['response.created', { response: { ...whole, status: 'in_progress', output: [] } }],
    ['response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } }],
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: whole }],
  ]);
}

function completions(response: ServerResponse, body: Json, call: ToolCall | undefined): void {
  const said =
    call === undefined
      ? { role: 'assistant', content: DONE }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              index: 0,
              id: 'call_01',
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) },
            },
          ],
        };
  const reason = call === undefined ? 'stop' : 'tool_calls';
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const head = { id: 'chat_01', created: 1, model: body['model'] };
  if (body['stream'] !== true) {
    const choices = [{ index: 0, message: said, finish_reason: reason }];
    json(response, { ...head, object: 'chat.completion', choices, usage });
    return;
  }
  const chunk = (delta: Json, finish: string | null, more: Json = {}) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  lines(response, [chunk(said, null), chunk({}, reason, { usage })], true);
}

function generateContent(
  response: ServerResponse,
  _body: Json,
  call: ToolCall | undefined,
  path: string,
): void {
  const part =
    call === undefined ? { text: DONE } : { functionCall: { name: call.name, args: call.args ?? {} } };
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'stub',
  };
  if (path.includes('stream')) lines(response, [answer], false);
  else json(response, answer);
}

const offersTools = (body: Json): boolean => Array.isArray(body['tools']) && body['tools'].length > 0;

async function read(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
  } catch {
    return {};
  }
}

function json(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function events(response: ServerResponse, all: readonly (readonly [string, Json])[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [type, body] of all)
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`);
  response.end();
}

function lines(response: ServerResponse, all: readonly Json[], withEnd: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const body of all) response.write(`data: ${JSON.stringify(body)}\n\n`);
  response.end(withEnd ? 'data: [DONE]\n\n' : undefined);
}
