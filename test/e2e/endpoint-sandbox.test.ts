import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/options.ts';
import { closedPort, sandbox } from './endpoint-servers.ts';

const CODING = [
  'knowledge_bootstrap',
  'knowledge_get_context',
  'knowledge_get_context_pack',
  'knowledge_search',
  'knowledge_explain_fact',
  'knowledge_get_evidence',
  'knowledge_feedback',
  'knowledge_propose',
  'knowledge_retract_proposal',
  'knowledge_proposal_report',
];
const WRITES = {
  knowledge_get_context: [false, false, false],
  knowledge_propose: [false, false, false],
  knowledge_feedback: [false, true, false],
  knowledge_retract_proposal: [false, true, true],
  knowledge_create_snapshot: [false, false, false],
  memory_propose: [false, false, false],
  memory_feedback: [false, false, false],
};

async function connectTo(running: Sandbox, token?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(running.mcpUrl), { requestInit: { headers } });
  await client.connect(transport as Transport);
  onTestFinished(() => client.close());
  return client;
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;

const errorOf = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args }).then(
    () => undefined,
    (error: { code: number; data: unknown; message: string }) => ({ code: error.code, data: error.data }),
  );

describe('the sandbox speaks MCP with the official client', () => {
  test('the coding profile has the ten tools, with hints and schemas', async () => {
    const client = await connectTo(await sandbox());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(CODING);
    for (const { name, annotations, inputSchema, outputSchema, description } of tools) {
      const [readOnlyHint, idempotentHint, destructiveHint] = WRITES[name as keyof typeof WRITES] ?? [
        true,
        true,
        false,
      ];
      expect(annotations, name).toEqual({
        readOnlyHint,
        idempotentHint,
        destructiveHint,
        openWorldHint: true,
      });
      expect(inputSchema.type).toBe('object');
      expect(outputSchema?.type).toBe('object');
      expect(description).toEqual(expect.any(String));
    }
    expect(client.getInstructions()).toMatch(/untrusted reference data/);
  });

  test.each([
    ['advanced', 20, 'knowledge_create_snapshot'],
    ['compatibility', 28, 'memory_feedback'],
  ] as const)('the %s profile has %i tools', async (toolProfile, count, one) => {
    const client = await connectTo(await sandbox({ toolProfile }));
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(count);
    const [readOnlyHint, idempotentHint, destructiveHint] = WRITES[one];
    expect(tools.find(({ name }) => name === one)?.annotations).toEqual({
      readOnlyHint,
      idempotentHint,
      destructiveHint,
      openWorldHint: true,
    });
    for (const { name, annotations } of tools) {
      if (!(name in WRITES)) expect(annotations?.readOnlyHint, name).toBe(true);
    }
  });

  test('every tool answers data that its own output schema allows', async () => {
    const client = await connectTo(await sandbox({ toolProfile: 'compatibility' }));
    await client.listTools(); // from here on the client validates structured content
    const { context_pack_id } = await call(client, 'knowledge_get_context', {
      query: 'money',
      persist: true,
    });
    const { proposal_id } = await call(client, 'knowledge_propose', {
      subject: 'shop-api',
      predicate: 'uses',
      object: 'queues',
      task_ref: 'T-1',
    });
    const { snapshot_id } = await call(client, 'knowledge_create_snapshot');
    const entity = { entity: 'shop-api' };
    const fact = { fact_key: 'money-type' };
    const calls: Record<string, Record<string, unknown>> = {
      knowledge_bootstrap: {},
      knowledge_get_context_pack: { context_pack_id },
      knowledge_search: { query: 'deploy' },
      knowledge_explain_fact: fact,
      knowledge_get_evidence: fact,
      knowledge_feedback: { context_pack_id, result_ref: 'r-money-type', signal: 'up' },
      knowledge_proposal_report: { task_ref: 'T-1' },
      knowledge_retract_proposal: { proposal_id },
      knowledge_get_community_lineage: { community_id: 'payments' },
      knowledge_search_communities: { query: 'pay' },
      knowledge_get_fact: fact,
      knowledge_get_entity: entity,
      knowledge_get_source: { source_id: 'adr-12' },
      knowledge_explore: { ...entity, depth: 2 },
      knowledge_get_changes: {},
      knowledge_get_conflicts: {},
      knowledge_get_snapshot: { snapshot_id },
      memory_search: { query: 'money' },
      memory_get_context: { query: 'money' },
      memory_explore: entity,
      memory_explain: fact,
      memory_get_source: { source_id: 'adr-12' },
      memory_recent_changes: {},
      memory_propose: { subject: 'a', predicate: 'b', object: 'c' },
      memory_feedback: { result_ref: 'r', signal: 'down' },
    };
    expect(Object.keys(calls)).toHaveLength(25);
    for (const [name, args] of Object.entries(calls)) {
      expect(await call(client, name, args), name).toEqual(expect.any(Object));
    }
  });

  test('proposals are deduplicated, reported by task and retracted by their owner', async () => {
    const client = await connectTo(await sandbox());
    const claim = { subject: 's', predicate: 'p', object: 'o', task_ref: 'T-2', runtime: 'codex' };
    const first = await call(client, 'knowledge_propose', claim);
    const again = await call(client, 'knowledge_propose', claim);
    expect(again).toEqual({ ...first, deduplicated: true });
    await call(client, 'knowledge_retract_proposal', { proposal_id: first['proposal_id'] });
    expect(await call(client, 'knowledge_proposal_report', { task_ref: 'T-2' })).toMatchObject({
      proposals: [{ status: 'retracted', subject: 's' }],
      counts: { pending: 0, retracted: 1 },
    });
    expect(
      await call(client, 'knowledge_proposal_report', { task_ref: 'T-2', runtime: 'opencode' }),
    ).toMatchObject({
      proposals: [],
    });
  });

  test('bounds are invalid_input naming the field', async () => {
    const client = await connectTo(await sandbox());
    const invalid = (field: string) => ({ code: -32602, data: { code: 'invalid_input', field } });
    expect(await errorOf(client, 'knowledge_search', { query: '' })).toEqual(invalid('query'));
    expect(await errorOf(client, 'knowledge_search', { query: 'x'.repeat(8193) })).toEqual(invalid('query'));
    expect(await errorOf(client, 'knowledge_search', { query: 'x', limit: 51 })).toEqual(invalid('limit'));
    expect(await errorOf(client, 'knowledge_get_context', { query: 'x', token_budget: 99 })).toEqual(
      invalid('token_budget'),
    );
    expect(await errorOf(client, 'knowledge_search', { query: 'x', surprise: 1 })).toEqual(
      invalid('surprise'),
    );
    expect(await errorOf(client, 'knowledge_proposal_report')).toEqual(invalid('task_ref'));
    expect(await errorOf(client, 'knowledge_create_snapshot')).toEqual(invalid('name'));
  });
});

describe('bootstrap', () => {
  const shop = { id: 'shop', title: 'Shop', repositories: ['github.com/Org/Shop', 'github.com/Org/Mono'] };
  const docs = { id: 'docs', title: 'Docs', repositories: ['github.com/Org/Mono'] };
  const secret = { id: 'secret', title: 'Secret', repositories: ['github.com/Org/Secret'], readable: false };
  const projects = [shop, docs, secret];

  test('reports the local principal with every class and a personal scope', async () => {
    const client = await connectTo(await sandbox());
    expect(
      await call(client, 'knowledge_bootstrap', { repository: 'github.com/Org/Shop', branch: 'main' }),
    ).toEqual({
      contract_versions: [1],
      server_version: expect.any(String),
      principal: { id: 'local-principal', kind: 'local' },
      auth_profile: 'local-dev',
      capability_classes: ['READ', 'PROPOSE', 'FEEDBACK', 'SNAPSHOT'],
      tool_profile: 'coding',
      readable_projects: [],
      repository: {
        status: 'personal_only',
        identity: 'github.com/Org/Shop',
        project: null,
        candidates: [],
        branch: 'main',
      },
      save_mode_policy: {
        default: 'suggest',
        modes: ['off', 'suggest', 'auto-propose'],
        grants: ['personal-proposal'],
        shared_promotion: 'forbidden',
      },
    });
  });

  test.each([
    ['https://u:p@GitHub.com/Org/Shop.git?x#y', 'selected', 'shop'],
    ['git@github.com:Org/Shop.git', 'selected', 'shop'],
    ['github.com/Org/Mono', 'selection_required', null],
    ['github.com/Org/Other', 'unmapped', null],
    ['github.com/Org/Secret', 'unmapped', null],
    ['github.com/org/shop', 'unmapped', null],
    ['/home/me/repo', 'unsupported_repository', null],
    ['file:///srv/repo.git', 'unsupported_repository', null],
    ['C:/private/repo.git', 'unsupported_repository', null],
    ['../repo', 'unsupported_repository', null],
  ])('maps %s: %s', async (repository, status, project) => {
    const client = await connectTo(await sandbox({ projects }));
    expect(await call(client, 'knowledge_bootstrap', { repository })).toMatchObject({
      repository: { status, project },
      readable_projects: [
        { id: 'shop', title: 'Shop' },
        { id: 'docs', title: 'Docs' },
      ],
    });
  });

  test('an ambiguous repository needs a choice, a foreign project is never replaced', async () => {
    const client = await connectTo(await sandbox({ projects }));
    const args = { query: 'money', repository: 'github.com/Org/Mono' };
    expect(await errorOf(client, 'knowledge_get_context', args)).toEqual({
      code: -32004,
      data: { code: 'ambiguous_project' },
    });
    expect(await call(client, 'knowledge_get_context', { ...args, project: 'docs' })).toMatchObject({
      context_pack_id: null,
    });
    for (const project of ['secret', 'none']) {
      expect(await errorOf(client, 'knowledge_bootstrap', { project })).toEqual({
        code: -32005,
        data: { code: 'project_out_of_scope' },
      });
    }
  });
});

describe('errors on demand', () => {
  test.each([
    ['unauthenticated', -32001],
    ['unauthorized', -32002],
    ['invalid_input', -32602],
    ['quota_exceeded', -32003],
    ['ambiguous_project', -32004],
    ['project_out_of_scope', -32005],
    ['expired_context_pack', -32006],
    ['unsupported_version', -32007],
    ['internal_error', -32603],
  ] as const)('%s is a top-level error with %i', async (code, integer) => {
    const client = await connectTo(await sandbox({ toolErrors: { knowledge_search: code } }));
    expect(await errorOf(client, 'knowledge_search', { query: 'x' })).toEqual({
      code: integer,
      data: { code },
    });
  });

  test('quotas count per bucket', async () => {
    const client = await connectTo(await sandbox({ quotas: { read: 2, context: 1 } }));
    await call(client, 'knowledge_search', { query: 'x' });
    await call(client, 'knowledge_bootstrap');
    expect(await errorOf(client, 'knowledge_search', { query: 'x' })).toEqual({
      code: -32003,
      data: { code: 'quota_exceeded', bucket: 'read' },
    });
    await call(client, 'knowledge_get_context', { query: 'x' });
    expect(await errorOf(client, 'knowledge_get_context', { query: 'x' })).toMatchObject({
      data: { bucket: 'context' },
    });
  });

  test('a pack that does not exist has expired', async () => {
    const client = await connectTo(await sandbox());
    expect(await errorOf(client, 'knowledge_get_context_pack', { context_pack_id: 'gone' })).toEqual({
      code: -32006,
      data: { code: 'expired_context_pack' },
    });
  });
});

describe('remote-authenticated', () => {
  const remote = { auth: 'remote-authenticated' } as const;

  test('scopes decide which classes a token has', async () => {
    const running = await sandbox(remote);
    const token = await running.authority?.mint({ scopes: ['memory:read'] });
    const client = await connectTo(running, token);
    expect(await call(client, 'knowledge_bootstrap')).toMatchObject({
      auth_profile: 'remote-authenticated',
      capability_classes: ['READ'],
      save_mode_policy: { modes: ['off', 'suggest'], grants: [] },
    });
    const unauthorized = (required_scope: string) => ({
      code: -32002,
      data: { code: 'unauthorized', required_scope },
    });
    expect(await errorOf(client, 'knowledge_propose', { subject: 's', predicate: 'p', object: 'o' })).toEqual(
      unauthorized('memory:propose'),
    );
    expect(
      await errorOf(client, 'knowledge_feedback', { context_pack_id: 'a', result_ref: 'b', signal: 'up' }),
    ).toEqual(unauthorized('memory:feedback'));
    expect(await errorOf(client, 'knowledge_get_context', { query: 'x', persist: true })).toEqual(
      unauthorized('memory:snapshot'),
    );
    expect(await call(client, 'knowledge_get_context', { query: 'x' })).toMatchObject({
      context_pack_id: null,
    });
  });

  const post = (running: Sandbox, authorization?: string) =>
    fetch(running.mcpUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });

  test.each([
    ['expired', { expiresIn: -10 }, 401, 'invalid_token'],
    ['for another audience', { audience: 'https://other.example/mcp' }, 401, 'invalid_token'],
    ['of another issuer', { issuer: 'https://other.example' }, 401, 'invalid_token'],
    ['signed by a stranger', { foreignKey: true }, 401, 'invalid_token'],
    ['without the read scope', { scopes: ['memory:propose'] }, 403, 'insufficient_scope'],
  ])('a token %s is refused', async (_name, wish, status, error) => {
    const running = await sandbox(remote);
    const response = await post(running, `Bearer ${await running.authority?.mint(wish)}`);
    expect(response.status).toBe(status);
    expect(response.headers.get('www-authenticate')).toContain(`error="${error}"`);
    expect(response.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp"');
  });

  test('a token that does not expire is taken, no token and a broken one are not', async () => {
    const running = await sandbox(remote);
    expect((await post(running, `Bearer ${await running.authority?.mint({ expiresIn: null })}`)).status).toBe(
      200,
    );
    expect((await post(running)).status).toBe(401);
    expect((await post(running, 'Bearer a.b')).status).toBe(401);
    expect((await post(running, `Bearer ${running.apiKey}`)).status).toBe(401);
  });
});

describe('/identity/mcp-token (V17)', () => {
  const ask = (running: Sandbox, key: string | undefined, body?: string) =>
    fetch(`${running.apiUrl}/identity/mcp-token`, {
      method: 'POST',
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    });

  test('without a body the token holds memory:read only, does not expire, and is never cached', async () => {
    const running = await sandbox({ auth: 'remote-authenticated' });
    const response = await ask(running, running.apiKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    const { access_token, ...rest } = (await response.json()) as { access_token: string };
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: null, scope: 'memory:read' });
    expect(await call(await connectTo(running, access_token), 'knowledge_bootstrap')).toMatchObject({
      capability_classes: ['READ'],
    });
  });

  test.each([
    ['anonymous', undefined, undefined, 401],
    ['another key', 'vera_x.y', undefined, 401],
    ['unknown scope', 'own', '{"scopes":["memory:read","memory:all"]}', 422],
    ['no memory:read', 'own', '{"scopes":["memory:propose"]}', 422],
    ['no list', 'own', '{"scopes":"memory:read"}', 422],
    ['no JSON', 'own', 'scopes', 422],
    ['a body without end', 'own', 'x'.repeat(100_000), 413],
  ])('%s', async (_name, key, body, status) => {
    const running = await sandbox({ auth: 'remote-authenticated' });
    expect((await ask(running, key === 'own' ? running.apiKey : key, body)).status).toBe(status);
  });

  test('503 where MCP needs no login', async () => {
    const running = await sandbox();
    expect((await ask(running, running.apiKey)).status).toBe(503);
  });
});

describe('who may talk to it', () => {
  test('a web page of another origin may not', async () => {
    const { mcpUrl } = await sandbox();
    const response = await fetch(mcpUrl, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });

  test('a taken port is an error', async () => {
    const { port } = await sandbox();
    await expect(sandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('the chosen port is used, and free again after close', async () => {
    const port = await closedPort();
    const first = await sandbox({ port });
    expect(first.apiUrl).toBe(`http://127.0.0.1:${port}`);
    await first.close();
    const second = await sandbox({ port });
    expect(second.port).toBe(port);
  });

  test('close ends a hanging request', async () => {
    const running = await sandbox({ faults: { live: { kind: 'hang' } } });
    const hanging = fetch(`${running.apiUrl}/health/live`).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await running.close();
    expect(await hanging).toBeInstanceOf(Error);
  });
});
