import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { VERA_URL } from './bench.ts';

/** What one coding tool reads, written by hand: never taken from the specs. */
export interface Client {
  readonly file: string;
  readonly container: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly syntax: 'json' | 'jsonc' | 'toml';
}

export const CLIENTS = {
  'claude-code': {
    file: '.mcp.json',
    container: 'mcpServers',
    entry: { type: 'http', url: VERA_URL },
    syntax: 'json',
  },
  codex: { file: '.codex/config.toml', container: 'mcp_servers', entry: { url: VERA_URL }, syntax: 'toml' },
  opencode: {
    file: 'opencode.json',
    container: 'mcp',
    entry: { type: 'remote', url: VERA_URL, enabled: true },
    syntax: 'jsonc',
  },
  vscode: {
    file: '.vscode/mcp.json',
    container: 'servers',
    entry: { type: 'http', url: VERA_URL },
    syntax: 'jsonc',
  },
  cursor: { file: '.cursor/mcp.json', container: 'mcpServers', entry: { url: VERA_URL }, syntax: 'json' },
  'gemini-cli': {
    file: '.gemini/settings.json',
    container: 'mcpServers',
    entry: { httpUrl: VERA_URL },
    syntax: 'jsonc',
  },
  antigravity: {
    file: '.agents/mcp_config.json',
    container: 'mcpServers',
    entry: { serverUrl: VERA_URL },
    syntax: 'json',
  },
  zed: {
    file: '.zed/settings.json',
    container: 'context_servers',
    entry: { url: VERA_URL },
    syntax: 'jsonc',
  },
} as const satisfies Record<string, Client>;

export type ClientId = keyof typeof CLIENTS;

/**
 * The value that a coding tool sees: strict JSON, JSON with comments and trailing commas, or TOML. A byte order mark is
 * passed over, blank text is an empty object. Throws where the tool would give up.
 */
export function readAs(syntax: Client['syntax'], bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (syntax === 'toml') return parseToml(text, { integersAsBigInt: 'asNeeded' });
  if (text.trim() === '') return {};
  if (syntax === 'json') return JSON.parse(text) as Record<string, unknown>;
  const errors: ParseError[] = [];
  const value = parseJsonc(text, errors, { allowTrailingComma: true }) as Record<string, unknown> | undefined;
  const blank = value === undefined;
  if (errors.length > (blank ? 1 : 0)) throw new Error(`not JSON with comments: ${JSON.stringify(errors)}`);
  return value ?? {};
}

/** `after` is `before` with one span inserted; with `comma`, a single `,` may stand apart from it. */
export function isInsertion(before: Buffer, after: Buffer, comma = true): boolean {
  const oneSpan = (longer: Buffer): boolean => {
    let head = 0;
    while (head < before.length && before[head] === longer[head]) head += 1;
    let tail = 0;
    while (
      tail < before.length - head &&
      before[before.length - 1 - tail] === longer[longer.length - 1 - tail]
    )
      tail += 1;
    return head + tail === before.length;
  };
  if (after.length < before.length) return false;
  if (oneSpan(after)) return true;
  if (!comma) return false;
  return [...after.keys()].some(
    (at) => after[at] === 0x2c && oneSpan(Buffer.concat([after.subarray(0, at), after.subarray(at + 1)])),
  );
}

/** Counts of the line ends of a text. */
export const lineEnds = (bytes: Buffer): { crlf: number; lf: number } => {
  const text = bytes.toString('latin1');
  const crlf = text.split('\r\n').length - 1;
  return { crlf, lf: text.split('\n').length - 1 - crlf };
};
