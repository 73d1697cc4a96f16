import { checkUrl, displayUrl } from '../endpoint/url.ts';
import { type ErrorCode, TenonError } from '../errors/error.ts';
import { isObject, type Json, type JsonObject } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { isReference, isSecretName, isSecretValue, redactText } from '../lib/secrets.ts';
import type { Artifact, Integration } from './schema.ts';
import type { IntegrationSource, LoadedIntegration } from './types.ts';

/** What `tenon add` was given: an endpoint, or a program with its arguments. */
export type ServerTarget =
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[] };

type ServerArtifact = Extract<Artifact, { kind: 'mcp-server' }>;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Field names of RFC 9110, section 5.1. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const VERSION = '1.0.0';

/**
 * The definition that `tenon add` stands for (contract, section 3): one MCP server, ref `add:<name>`. `tokenEnv` names an
 * environment variable: sent as bearer token by a server with a URL, passed on by one that is started. References to
 * variables may be typed as `${NAME}`, `${env:NAME}` or `{env:NAME}`. Errors: `usage/server` (exit 2); the codes of
 * `checkUrl`, and `secret/literal` for a credential in place of a reference (exit 4).
 */
export function serverIntegration(
  name: string,
  target: ServerTarget,
  headers: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  tokenEnv: string | undefined,
): LoadedIntegration {
  if (!NAME.test(name)) {
    throw usage(`"${printable(name)}" cannot be a server's name: 1 to 64 letters, digits, "-" and "_"`);
  }
  if (tokenEnv !== undefined && (!VARIABLE.test(tokenEnv) || isCredentialWord(tokenEnv))) {
    throw usage('--token-env takes the name of an environment variable, not its value');
  }
  const artifact: ServerArtifact = {
    kind: 'mcp-server',
    name: 'server',
    default: 'on',
    required: false,
    server: name,
    ...('url' in target
      ? { http: httpTarget(target.url, headers, env, tokenEnv) }
      : { stdio: stdioTarget(target, headers, env, tokenEnv) }),
  };
  return asIntegration(artifact, 'operator');
}

/** Whether a word where a name belongs is a credential: `npm_config_key1` has the shape of one, and no random part. */
const isCredentialWord = (word: string): boolean =>
  isSecretValue(word) && word.split(/[_-]/).some((part) => part.length >= 16 && /\d/.test(part));

/** A name that is typed; one that stands in a manifest is there already. Throws `secret/literal`, exit 4. */
export function refuseCredentialName(name: string): void {
  if (!isCredentialWord(name)) return;
  throw refused(
    'secret/literal',
    'The name of the server looks like a credential, and it would stand in a committed file.',
    'Give the server another name',
  );
}

/** The part of a definition by `add` that manifest and ledger keep (`Enrolment.server`). */
export function serverDefinition(loaded: LoadedIntegration): Json {
  const artifact = loaded.manifest.artifacts.find((one) => one.kind === 'mcp-server');
  if (artifact === undefined) return null;
  return (artifact.http === undefined
    ? { stdio: artifact.stdio }
    : { http: artifact.http }) as unknown as Json;
}

/**
 * The definition back from what {@link serverDefinition} gave. A manifest is repository content, so it is checked like a
 * definition that was typed; `source` says whose it is. Errors: `integration/invalid` and those of {@link serverIntegration}.
 */
export function serverFromDefinition(
  name: string,
  definition: Json,
  source: IntegrationSource,
): LoadedIntegration {
  const kept = NAME.test(name) ? keptOf(definition) : undefined;
  if (kept === undefined) {
    throw new TenonError(
      'integration/invalid',
      `The server "${printable(name)}" is not defined in a way that tenon knows.`,
      {
        exit: 4,
        remedy: { text: 'Add it again', command: `tenon add ${printable(name)} <url>` },
      },
    );
  }
  return { ...serverIntegration(name, kept.target, kept.headers, kept.env, undefined), source };
}

interface Kept {
  readonly target: ServerTarget;
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What {@link serverDefinition} gives, checked strictly: exactly one of `http` and `stdio`, and nothing else. By hand, because
 * every command that looks at an added server would load the schemas for it, at twice the time of an empty process.
 */
function keptOf(definition: Json): Kept | undefined {
  if (!isObject(definition) || Object.keys(definition).length !== 1) return undefined;
  const { http, stdio } = definition;
  if (isObject(http) && hasOnly(http, ['url', 'headers'])) {
    const { url, headers = {} } = http;
    return typeof url === 'string' && isTexts(headers) ? { target: { url }, headers, env: {} } : undefined;
  }
  if (!isObject(stdio) || !hasOnly(stdio, ['command', 'args', 'env'])) return undefined;
  const { command, args = [], env = {} } = stdio;
  if (typeof command !== 'string' || !Array.isArray(args) || !isTexts(env)) return undefined;
  const texts = args.filter((one) => typeof one === 'string');
  return texts.length === args.length ? { target: { command, args: texts }, headers: {}, env } : undefined;
}

const hasOnly = (value: JsonObject, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

const isTexts = (value: Json): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((one) => typeof one === 'string');

function httpTarget(
  url: string,
  headers: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  tokenEnv: string | undefined,
): NonNullable<ServerArtifact['http']> {
  if (Object.keys(env).length > 0) {
    throw usage('--env belongs to a server that is started; one with a URL takes --header');
  }
  const all = neutral(headers);
  for (const [key, value] of Object.entries(all)) checkHeader(key, value);
  if (tokenEnv !== undefined) {
    if (Object.keys(all).some((key) => key.toLowerCase() === 'authorization')) {
      throw usage('--token-env and --header Authorization say the same thing twice');
    }
    all['Authorization'] = `Bearer \${env:${tokenEnv}}`;
  }
  const carriesSecret = Object.entries(all).some(([key, value]) => isSecretName(key) || isReference(value));
  const checked = checkUrl(url, { allowQuery: true, allowInsecure: !carriesSecret });
  if (!checked.ok) {
    throw refused(
      checked.code,
      checked.message,
      'Give the URL of the server without credentials, with https',
    );
  }
  if (isSecretValue(url)) {
    throw refused(
      'secret/literal',
      `${redactText(displayUrl(url))} holds what looks like a credential, and it would stand in a committed file.`,
      `Send it as a header by reference: --header 'Authorization: Bearer \${NAME}', or --token-env NAME`,
    );
  }
  return Object.keys(all).length === 0 ? { url } : { url, headers: all };
}

function stdioTarget(
  target: { readonly command: string; readonly args: readonly string[] },
  headers: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  tokenEnv: string | undefined,
): NonNullable<ServerArtifact['stdio']> {
  if (Object.keys(headers).length > 0) {
    throw usage('--header belongs to a server with a URL; one that is started takes --env');
  }
  if (target.command.trim() === '') throw usage('the command after -- is empty');
  [target.command, ...target.args].forEach((arg, index) => {
    const option = index > 0 ? [target.command, ...target.args][index - 1] : undefined;
    const followsSecretOption = option !== undefined && /^--?[A-Za-z]/.test(option) && isSecretName(option);
    checkText('an argument', arg, followsSecretOption && !option.includes('='));
  });
  const all = neutral(env);
  for (const [key, value] of Object.entries(all)) {
    if (!VARIABLE.test(key))
      throw usage(`--env ${printable(key)}: this is no name of an environment variable`);
    checkText(`--env ${key}`, value, isSecretName(key));
  }
  if (tokenEnv !== undefined) all[tokenEnv] = `\${env:${tokenEnv}}`;
  return {
    command: target.command,
    args: [...target.args],
    ...(Object.keys(all).length === 0 ? {} : { env: all }),
  };
}

/** `${NAME}` and `{env:NAME}` as the neutral `${env:NAME}`; everything else as it is. */
const neutral = (map: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key,
      value
        .replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, `\${env:$1}`)
        .replace(/(?<!\$)\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, `\${env:$1}`),
    ]),
  );

function checkHeader(key: string, value: string): void {
  if (!HEADER_NAME.test(key)) throw usage(`--header ${printable(key)}: this is no name of a header`);
  checkText(`--header ${key}`, value, isSecretName(key));
}

function checkText(what: string, value: string, isSecret: boolean): void {
  if (printable(value) !== value) throw usage(`${what} has a control or invisible character in it`);
  if ((isSecret && value !== '' && !isReference(value)) || isSecretValue(value)) {
    throw refused(
      'secret/literal',
      `${what} holds what looks like a credential, and it would stand in a committed file.`,
      `Refer to an environment variable instead: \${NAME}, or --token-env NAME`,
    );
  }
}

function asIntegration(artifact: ServerArtifact, source: IntegrationSource): LoadedIntegration {
  const manifest: Integration = {
    schemaVersion: 1,
    id: 'add',
    version: VERSION,
    title: artifact.server,
    summary: 'An MCP server that was added by hand',
    inputs: [],
    endpoints: artifact.http === undefined ? [] : [{ kind: 'mcp', url: artifact.http.url }],
    requires: [],
    artifacts: [artifact],
    nextSteps: [],
    expand: [],
  };
  return { ref: `add:${artifact.server}`, source, manifest, files: new Map() };
}

const usage = (message: string): TenonError =>
  new TenonError('usage/server', `${message}.`, {
    exit: 2,
    remedy: { text: 'See the examples', command: 'tenon add --help' },
  });

const refused = (code: ErrorCode, message: string, remedy: string): TenonError =>
  new TenonError(code, message, { exit: 4, remedy: { text: remedy } });
