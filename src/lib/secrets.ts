import { isObject, type Json, type JsonPath, setOwn } from './json.ts';

/** What stands in the place of a secret, in fingerprints and on screen. */
export const REDACTED = '[REDACTED]';

/**
 * One reference to a secret that is kept elsewhere, in the spelling of any runtime: `${X}`, `${env:X}`, `{env:X}`,
 * `{file:x}`, `$X`, `%X%`, `op://vault/item`, or a named placeholder `<X>`. A default inside (`${X:-abc}`) is a literal.
 */
const REFERENCE =
  /^(?:\$\{(?:[a-z]+:)?[A-Za-z_][\w.-]*(?::?-)?\}|\{(?:env|file|input):[^{}]+\}|\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%|<[A-Z][A-Z0-9_]*>|op:\/\/\S+)/;
const SCHEME = /^(?:bearer|basic|token|apikey|digest)\s+/i;

/** Whether a text consists of references only, apart from an authorization scheme: `Bearer ${TOKEN}`. */
export function isReference(text: string): boolean {
  let rest = text.trim().replace(SCHEME, '');
  if (rest === '') return false;
  while (rest !== '') {
    const match = REFERENCE.exec(rest);
    if (match === null) return false;
    rest = rest.slice(match[0].length);
  }
  return true;
}

/** `<VERA_MCP_JWT>` alone, apart from an authorization scheme. */
const isPlaceholder = (text: string): boolean => /^<[A-Z][A-Z0-9_]*>$/.test(text.trim().replace(SCHEME, ''));

const SECRET_WORDS = new Set([
  'token', 'secret', 'secrets', 'password', 'passwd', 'pwd', 'passphrase', 'passcode', 'apikey', 'credential',
  'credentials', 'authorization', 'cookie', 'jwt', 'bearer', 'pat',
]); // biome-ignore format: a word list
const SECRET_PAIRS = new Set([
  'api key',
  'access key',
  'private key',
  'secret key',
  'auth key',
  'signing key',
  'encryption key',
  'account key',
  'subscription key',
]);
/** A last word that names something about the secret, not the secret: `TOKEN_FILE`, `bearer_token_env_var`. */
const ABOUT_WORDS = new Set([
  'file', 'path', 'dir', 'folder', 'name', 'id', 'url', 'uri', 'endpoint', 'var', 'env', 'ref', 'type', 'ttl',
  'timeout', 'limit', 'expires', 'expiry', 'lifetime', 'scope', 'scopes', 'mode', 'enabled', 'count', 'budget',
  'provider', 'storage', 'helper', 'command', 'sec', 'ms', 'algorithm', 'method',
]); // biome-ignore format: a word list

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** Whether a member, header, variable or option of this name holds a secret (requirement X-04, K23). */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || ABOUT_WORDS.has(last)) return false;
  return words.some(
    (word, at) => SECRET_WORDS.has(word) || (at > 0 && SECRET_PAIRS.has(`${words[at - 1]} ${word}`)),
  );
}

/** Members whose every value is masked on screen unless it is a reference (contract, section 8). */
const isMaskedContainer = (name: string): boolean =>
  /^((http|request)[_-]?)?headers$|^env(ironment)?$/i.test(name);

/** Members under which every value is a secret, whatever its own name. */
const isSecretGroup = (name: string): boolean =>
  /^(credentials?|secrets|passwords|cookies?|authorization)$/i.test(name);

/** Whether the value at this path is masked on screen unless it is a reference. */
export const isSecretPath = (path: JsonPath): boolean =>
  isSecretName(path.at(-1) ?? '') ||
  path.slice(0, -1).some((name) => isMaskedContainer(name) || isSecretGroup(name));

/** Credential shapes inside a longer text (K23 and the prefixes that issuers document). */
const SHAPES: readonly RegExp[] = [
  // Words in lower case alone ("bearer authentication") are prose.
  /\b(?:[Bb]earer|BEARER|[Bb]asic)\s+(?=[A-Za-z._~+/=-]*[0-9A-Z._~+/=])[A-Za-z0-9._~+/=-]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g,
  /\b(?:sk|pk|vk|rk|api|key)[_-](?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{8,}/g,
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|xox[abeoprs]-|dop_v1_|sk-)[A-Za-z0-9_-]{12,}/g,
  /\bvera_[A-Za-z0-9]+\.[A-Za-z0-9_-]{8,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
/** Bare hex is a credential unless it is marked as a digest or a commit: `sha256:…`, `#…`, `@…`. */
const HEX = /(?<![A-Za-z0-9_/-])(?<!sha\d{1,3}[:-])(?<![#@])[0-9a-fA-F]{32,}(?![A-Za-z0-9_-])/g;
/** Base64url of 40 and more: only with lower case, upper case and digits, so that long names and paths stay. */
const OPAQUE =
  /(?<![A-Za-z0-9_/+.-])(?<!sha\d{3}-)(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{40,}(?![A-Za-z0-9_/+.])/g;
/** `name: value`, `name=value`, `"name": "scheme value"`. */
const ASSIGNED =
  /(?<![\w-])([-_]*[A-Za-z][\w-]*)(["']?\s{0,9}[:=]\s{0,9})(["']?)(?!\/\/)((?:(?:bearer|basic|token)\s{1,9})?)([^\s"'&,;]+)/gi;
const isAssignedSecret = (name: string, value: string): boolean =>
  isSecretName(name) &&
  !value.startsWith(REDACTED) &&
  !isReference(value) &&
  !/^(bearer|basic|token|null|true|false|\/\/.*|[[{(].*)$/i.test(value);
const USERINFO = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)([^\s/?#@"']+)@/gi;

/** Userinfo of a URL goes (case L02); `git@host:path` and `ssh://git@host` name no secret and stay. */
const dropUserinfo = (text: string): string =>
  text.replace(USERINFO, (whole, scheme: string, info: string) =>
    /^(git|hg|svn)$/.test(info) || isReference(info) ? whole : `${scheme}${REDACTED}@`,
  );

const dropQuery = (text: string): string =>
  text.replace(
    /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s?#"']{1,2000}\?)([^\s#"']+)/gi,
    (_, base: string, query: string) => {
      const parts = query.split('&').map((part) => {
        const at = part.indexOf('=');
        if (at < 0 || isReference(part.slice(at + 1))) return part;
        return `${part.slice(0, at)}=${REDACTED}`;
      });
      return base + parts.join('&');
    },
  );

const dropShapes = (text: string): string => {
  let result = text;
  for (const shape of [...SHAPES, HEX, OPAQUE]) {
    result = result.replace(shape, (match: string) => {
      const scheme = SCHEME.exec(match);
      return scheme === null ? REDACTED : `${scheme[0]}${REDACTED}`;
    });
  }
  return result;
};

/**
 * Free text (an error of git or of a server, a URL, an argument) without secrets: URL userinfo and query values,
 * credential shapes, and what is assigned to a secret-like name. Our own `sha256:` digests and references stay.
 */
export function redactText(text: string): string {
  return dropShapes(dropQuery(dropUserinfo(text))).replace(
    ASSIGNED,
    (whole, name: string, sign: string, quote: string, scheme: string, value: string) =>
      isAssignedSecret(name, value) ? name + sign + quote + scheme + REDACTED : whole,
  );
}

/** Whether a string holds credential material and is no reference. */
export function isSecretValue(text: string): boolean {
  if (isReference(text)) return false;
  const bare = dropUserinfo(text);
  if (bare !== text || dropShapes(bare) !== bare) return true;
  return [...text.matchAll(ASSIGNED)].some(([, name = '', , , , value = '']) =>
    isAssignedSecret(name, value),
  );
}

/** `--token`, `-p`: an option whose value is the next argument. */
const isSecretOption = (value: Json | undefined): boolean =>
  typeof value === 'string' && /^--?[A-Za-z][\w-]*$/.test(value) && isSecretName(value);

type Mode = 'print' | 'show';

/** `secret`: everything below is one, unless it is a reference. */
function redact(value: Json, name: string | undefined, secret: boolean, mode: Mode): Json {
  const own = secret || (name !== undefined && isSecretName(name));
  if (typeof value === 'string') {
    // A named placeholder stands for a credential that is filled in later: the same value for a fingerprint.
    if (own && mode === 'print' && isPlaceholder(value)) return REDACTED;
    if (value === '' || isReference(value)) return value;
    if (own) return REDACTED;
    if (mode === 'show') return redactText(value);
    return isSecretValue(value) ? REDACTED : value;
  }
  if (typeof value === 'number' || typeof value === 'bigint') return own ? REDACTED : value;
  if (Array.isArray(value)) {
    return value.map((item: Json, at) => redact(item, undefined, own || isSecretOption(value[at - 1]), mode));
  }
  if (isObject(value)) {
    // A server that is merely called "token-service" holds no secret by its name.
    const below =
      secret || (name !== undefined && (isSecretGroup(name) || (mode === 'show' && isMaskedContainer(name))));
    const result = {};
    for (const [key, member] of Object.entries(value)) setOwn(result, key, redact(member, key, below, mode));
    return result;
  }
  return value;
}

/**
 * A value for the screen: members of `headers` and `env`, secret-like members and credential shapes are masked unless
 * they are references (contract, section 8). `path` is where the value stands in its file.
 */
export const redactValue = (value: Json, path: JsonPath = []): Json =>
  redact(value, path.at(-1), path.length > 1 && isSecretPath([...path.slice(0, -1), '']), 'show');

/** A value as it enters a fingerprint: whole secret leaves replaced, so no hash confirms a guess (contract, section 5). */
export const redactForPrint = (value: Json, path: JsonPath = []): Json =>
  redact(value, path.at(-1), path.slice(0, -1).some(isSecretGroup), 'print');
