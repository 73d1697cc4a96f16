import { resolve } from 'node:path';
import type { GlobalOptions } from './context.ts';
import { shownWord, usageError } from './usage-error.ts';

const PARTS = ['mcp', 'hooks', 'skills', 'permissions', 'blocks'];
const RESOLUTIONS = ['keep', 'replace', 'follow'] as const;
export const DEFAULT_TIMEOUT_MS = 5000;
const MAX_TIMEOUT_MS = 600_000;

type Raw = Readonly<Record<string, unknown>>;

/**
 * Checks and completes the global flags. `cwd` is the process's working folder; `cwd` and `root` of the result are
 * absolute. Throws a usage error (exit 2) for what cannot be meant.
 */
export function toGlobalOptions(raw: Raw, cwd: string): GlobalOptions {
  const json = raw['json'] === true;
  const format = text(raw, 'format') ?? (json ? 'json' : 'text');
  if (json && format !== 'json') {
    throw usageError(
      'usage/conflicting-flags',
      `--json and --format ${format} exclude each other.`,
      'Give one of them.',
    );
  }
  const flag = (key: string) => raw[key] === true;
  if (flag('offline') && (flag('online') || flag('live'))) {
    throw usageError(
      'usage/conflicting-flags',
      `--offline and ${flag('online') ? '--online' : '--live'} exclude each other.`,
      'Give one of them.',
    );
  }
  const from = text(raw, 'cwd');
  const base = from === undefined ? cwd : resolve(cwd, from);
  const root = text(raw, 'root');
  const approve = text(raw, 'approve');
  const scope = text(raw, 'scope');
  return {
    ...(from === undefined ? {} : { cwd: base }),
    ...(root === undefined ? {} : { root: resolve(base, root) }),
    ...(approve === undefined ? {} : { approve: digest(approve) }),
    allRoots: flag('allRoots'),
    runtimes: list(raw, 'runtime').flatMap((value) => words('--runtime', value)),
    scope: (scope ?? 'project') as GlobalOptions['scope'],
    ...(scope === undefined ? {} : { askedScope: scope as GlobalOptions['scope'] }),
    set: assignments(list(raw, 'set')),
    without: list(raw, 'without')
      .flatMap((value) => words('--without', value))
      .map(part),
    dryRun: flag('dryRun'),
    yes: flag('yes'),
    allow: list(raw, 'allow'),
    resolve: resolutions(list(raw, 'resolve')),
    force: list(raw, 'force'),
    json: format === 'json',
    format: format as GlobalOptions['format'],
    offline: flag('offline'),
    online: flag('online'),
    live: flag('live'),
    clients: flag('clients'),
    timeoutMs: timeout(text(raw, 'timeout')),
    strict: flag('strict'),
    noInput: raw['input'] === false,
    showPaths: flag('showPaths'),
    quiet: flag('quiet'),
    debug: flag('debug'),
  };
}

function text(raw: Raw, key: string): string | undefined {
  const value = raw[key];
  return typeof value === 'string' ? value : undefined;
}

function list(raw: Raw, key: string): string[] {
  const value = raw[key];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The words of a list with commas. One without any names nothing, which is not the same as everything. */
function words(flag: string, value: string): string[] {
  const found = value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (found.length > 0) return found;
  throw usageError('usage/bad-value', `${flag} names nothing.`, 'Give a value, or leave the flag out.');
}

function part(word: string): string {
  if (PARTS.includes(word)) return word;
  throw usageError(
    'usage/bad-value',
    `--without cannot be "${shownWord(word)}".`,
    `Use one or more of: ${PARTS.join(', ')}.`,
  );
}

/** `KEY=VALUE`, split at the first `=`; the value may be empty, which counts as unset later. */
function assignments(pairs: readonly string[]): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) {
      throw usageError(
        'usage/bad-value',
        '--set needs KEY=VALUE.',
        'For example --set VERA_API_URL=http://127.0.0.1:8765.',
      );
    }
    result[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return { ...result };
}

/** `ADDRESS=CHOICE`, split at the last `=`, since an address may hold one (contract, section 3). */
function resolutions(pairs: readonly string[]): GlobalOptions['resolve'] {
  const result: Record<string, (typeof RESOLUTIONS)[number]> = {};
  for (const pair of pairs) {
    const at = pair.lastIndexOf('=');
    const choice = RESOLUTIONS.find((one) => one === pair.slice(at + 1));
    if (at < 1 || choice === undefined) {
      throw usageError(
        'usage/bad-value',
        '--resolve needs ADDRESS=keep, ADDRESS=replace or ADDRESS=follow.',
        'Copy the address from the plan.',
      );
    }
    result[pair.slice(0, at)] = choice;
  }
  return result;
}

function digest(value: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return value;
  throw usageError(
    'usage/bad-value',
    '--approve needs the whole digest of a plan: sha256: and 64 hex digits.',
    'Copy it from the plan.',
    'tenon plan',
  );
}

function timeout(value: string | undefined): number {
  if (value === undefined) return DEFAULT_TIMEOUT_MS;
  const ms = /^\d{1,7}$/.test(value) ? Number(value) : 0;
  if (ms >= 1 && ms <= MAX_TIMEOUT_MS) return ms;
  throw usageError(
    'usage/bad-value',
    `--timeout needs whole milliseconds from 1 to ${MAX_TIMEOUT_MS}.`,
    'For example --timeout 5000.',
  );
}

/**
 * The options for tenon's own commands in a scratch repository: how output looks stays, nothing else of what was typed
 * does, and nobody is asked.
 */
export function scratchOptions(typed: GlobalOptions, change: Partial<GlobalOptions> = {}): GlobalOptions {
  const { cwd: _cwd, root: _root, approve: _approve, askedScope: _scope, ...options } = typed;
  return {
    ...options,
    runtimes: [],
    scope: 'project',
    set: {},
    without: [],
    dryRun: false,
    yes: true,
    allow: [],
    resolve: {},
    force: [],
    offline: false,
    online: false,
    live: false,
    clients: false,
    strict: false,
    allRoots: false,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    ...change,
  };
}
