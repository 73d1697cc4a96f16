/**
 * The shape of a server entry in each client, written by hand from what the clients were seen to take or document
 * (never derived from specs/). Strict: an unknown member fails, because several clients refuse or drop it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Url = z.string().regex(/^https?:\/\//u);
const Strings = z.record(z.string(), z.string());
const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u);
const Positive = z.number().positive();

const command = { command: z.string().min(1), args: z.array(z.string()).optional(), env: Strings.optional() };

export interface Shape {
  /** The members that lead to the map of servers. */
  readonly container: readonly string[];
  readonly http?: z.ZodType;
  readonly stdio?: z.ZodType;
}

const typed = (timeout: Record<string, z.ZodType> = {}): Omit<Shape, 'container'> => ({
  http: z.strictObject({ type: z.literal('http'), url: Url, headers: Strings.optional(), ...timeout }),
  stdio: z.strictObject({ type: z.literal('stdio').optional(), ...command, ...timeout }),
});
const untyped = (timeout: Record<string, z.ZodType> = {}): Omit<Shape, 'container'> => ({
  http: z.strictObject({ url: Url, headers: Strings.optional(), ...timeout }),
  stdio: z.strictObject({ ...command, ...timeout }),
});
const ms = { timeout: Positive.multipleOf(1000).optional() };
const seconds = { timeout: Positive.max(3600).optional() };

/** opencode and its fork: a tagged pair, the command as one array, time limits in milliseconds. */
const opencode: Omit<Shape, 'container'> = {
  http: z.strictObject({
    type: z.literal('remote'),
    url: Url,
    enabled: z.boolean().optional(),
    headers: Strings.optional(),
    oauth: z.literal(false).optional(),
    ...ms,
  }),
  stdio: z.strictObject({
    type: z.literal('local'),
    command: z.array(z.string()).min(1),
    environment: Strings.optional(),
    enabled: z.boolean().optional(),
    ...ms,
  }),
};

const Codex = {
  startup_timeout_sec: Positive.optional(),
  tool_timeout_sec: Positive.optional(),
  enabled: z.boolean().optional(),
  default_tools_approval_mode: z.enum(['auto', 'prompt', 'writes', 'approve']).optional(),
};

const SERVERS = ['mcpServers'];

const WRITTEN: Readonly<Record<string, Shape>> = {
  'claude-code': { container: SERVERS, ...typed(ms) },
  codex: {
    container: ['mcp_servers'],
    http: z.strictObject({
      url: Url,
      bearer_token_env_var: Name.optional(),
      http_headers: z.record(z.string(), z.string().regex(/^(?!.*\$\{env:[A-Za-z_]\w*\})/su)).optional(),
      env_http_headers: z.record(z.string(), Name).optional(),
      ...Codex,
    }),
    stdio: z.strictObject({ ...command, env_vars: z.array(Name).min(1).optional(), ...Codex }),
  },
  opencode: { container: ['mcp'], ...opencode },
  vscode: { container: ['servers'], ...typed() },
  cursor: { container: SERVERS, ...untyped() },
  'gemini-cli': {
    container: SERVERS,
    http: z.strictObject({ httpUrl: Url, headers: Strings.optional(), ...ms }),
    stdio: z.strictObject({ ...command, ...ms }),
  },
  antigravity: {
    container: SERVERS,
    http: z.strictObject({ serverUrl: Url, headers: Strings.optional() }),
    stdio: z.strictObject(command),
  },
  zed: { container: ['context_servers'], ...untyped(seconds) },
  'copilot-cli': { container: SERVERS, ...typed(ms) },
  'qwen-code': {
    container: SERVERS,
    http: z.strictObject({ httpUrl: Url, headers: Strings.optional(), ...ms }),
    stdio: z.strictObject({ ...command, ...ms }),
  },
  windsurf: {
    container: SERVERS,
    http: z.strictObject({ serverUrl: Url, headers: Strings.optional() }),
    stdio: z.strictObject(command),
  },
  'factory-droid': { container: SERVERS, ...typed() },
  auggie: { container: SERVERS, ...typed() },
  cline: {
    container: SERVERS,
    http: z.strictObject({
      type: z.literal('streamableHttp'),
      url: Url,
      headers: Strings.optional(),
      ...seconds,
    }),
    stdio: z.strictObject({ ...command, ...seconds }),
  },
  kilo: { container: ['mcp'], ...opencode },
  amp: { container: ['amp.mcpServers'], ...untyped() },
  crush: {
    container: ['mcp'],
    http: z.strictObject({
      type: z.enum(['http', 'sse']),
      url: Url,
      headers: Strings.optional(),
      ...seconds,
    }),
    stdio: z.strictObject({ type: z.literal('stdio'), ...command, ...seconds }),
  },
  roo: {
    container: SERVERS,
    http: z.strictObject({
      type: z.literal('streamable-http'),
      url: Url,
      headers: Strings.optional(),
      ...seconds,
    }),
    stdio: z.strictObject({ ...command, ...seconds }),
  },
  junie: { container: SERVERS, stdio: z.strictObject(command) },
  kiro: { container: SERVERS, ...untyped() },
  warp: { container: SERVERS, ...untyped() },
};

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/**
 * The same as data: `<id>/shape.json` beside a runtime's fixtures, with the container, a JSON Schema for each kind of
 * entry, and the regular expression of a reference (its first group is the variable's name).
 */
export interface ShapeData {
  readonly container: readonly string[];
  readonly http?: JsonSchema;
  readonly stdio?: JsonSchema;
  readonly expands?: string;
}

const folder = join(import.meta.dirname, '..');
export const SHAPE_DATA: ReadonlyMap<string, ShapeData> = new Map(
  readdirSync(folder)
    .map((id): [string, string] => [id, join(folder, id, 'shape.json')])
    .filter(([, path]) => existsSync(path))
    .map(([id, path]) => [id, JSON.parse(readFileSync(path, 'utf8')) as ShapeData]),
);

const fromData = ({ container, http, stdio }: ShapeData): Shape => ({
  container,
  ...(http === undefined ? {} : { http: z.fromJSONSchema(http) }),
  ...(stdio === undefined ? {} : { stdio: z.fromJSONSchema(stdio) }),
});

export const SHAPES: Readonly<Record<string, Shape>> = {
  ...WRITTEN,
  ...Object.fromEntries([...SHAPE_DATA].map(([id, data]) => [id, fromData(data)])),
};
