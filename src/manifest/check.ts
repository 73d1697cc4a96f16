import { INSTANCE_NAME } from '../lib/instance-name.ts';
import { isObject, type Json, type JsonObject, type JsonPath } from '../lib/json.ts';
import { isSecretInput } from './secret-input.ts';

/** What is wrong with a manifest, and where. */
export interface ManifestProblem {
  readonly path: JsonPath;
  readonly message: string;
}

type Check = (value: Json, path: JsonPath) => ManifestProblem | undefined;

/**
 * The first fault of a manifest, by the rules of `ManifestSchema` (schema.ts), which a test holds equal to this. Written
 * by hand because every command reads the manifest, and loading zod would double its start.
 */
export const manifestProblem = (value: Json): ManifestProblem | undefined => manifest(value, []);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VERSION = /^\d+\.\d+\.\d+$/;
const MAX_TEXT = 4096;

const fail = (path: JsonPath, message: string): ManifestProblem => ({ path, message });

const text =
  (max = MAX_TEXT, min = 0): Check =>
  (value, path) => {
    if (typeof value !== 'string') return fail(path, 'must be a text');
    if (value.length > max) return fail(path, `must have at most ${max} characters`);
    return value.length < min ? fail(path, 'must not be empty') : undefined;
  };

const pattern =
  (regex: RegExp, what: string): Check =>
  (value, path) =>
    typeof value === 'string' && regex.test(value) ? undefined : fail(path, `must be ${what}`);

const oneOf =
  (values: readonly string[]): Check =>
  (value, path) =>
    typeof value === 'string' && values.includes(value)
      ? undefined
      : fail(path, `must be one of ${values.join(', ')}`);

const list =
  (item: Check, max: number): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return fail(path, 'must be a list');
    if (value.length > max) return fail(path, `must have at most ${max} items`);
    return first(value.map((one: Json, index) => () => item(one, [...path, String(index)])));
  };

const map =
  (key: Check, item: Check): Check =>
  (value, path) => {
    if (!isObject(value)) return fail(path, 'must be an object');
    return first(
      Object.entries(value).flatMap(([name, one]) => [
        () => key(name, [...path, name]),
        () => item(one, [...path, name]),
      ]),
    );
  };

const any: Check = () => undefined;

interface Members {
  readonly [name: string]: { readonly check: Check; readonly required?: true };
}

const object =
  (members: Members, more?: (value: JsonObject, path: JsonPath) => ManifestProblem | undefined): Check =>
  (value, path) => {
    if (!isObject(value)) return fail(path, 'must be an object');
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
    if (unknown !== undefined) return fail([...path, unknown], 'is not known here');
    return first([
      ...Object.entries(members).map(([name, { check, required }]) => () => {
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        if (member === undefined) return required === true ? fail([...path, name], 'is missing') : undefined;
        return check(member, [...path, name]);
      }),
      () => more?.(value, path),
    ]);
  };

function first(checks: readonly (() => ManifestProblem | undefined)[]): ManifestProblem | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const name = pattern(NAME, '1 to 64 letters, digits, "-" and "_"');
const version = pattern(VERSION, 'a version such as 1.2.3');

const inputName: Check = (value, path) => {
  if (typeof value !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(value)) {
    return fail(path, 'must be a name in capitals');
  }
  return isSecretInput(value)
    ? fail(path, 'a secret is no input: refer to an environment variable instead')
    : undefined;
};

const shared: Members = {
  runtimes: { check: list(name, 64), required: true },
  without: { check: list(oneOf(['mcp', 'hooks', 'skills', 'permissions', 'blocks']), 64) },
  external: { check: list(text(), 1000) },
  excluded: { check: list(text(), 1000) },
};

const integration = object({
  integration: { check: text(512, 1) },
  version: { check: version, required: true },
  ...shared,
  inputs: { check: map(inputName, text()) },
  overrides: { check: map(any, any) },
});

const integrations: Check = (value, path) =>
  map(text(512), integration)(value, path) ??
  first(
    Object.entries(isObject(value) ? value : {}).map(
      ([key, entry]) =>
        () =>
          isObject(entry) && Object.hasOwn(entry, 'integration') && !INSTANCE_NAME.test(key)
            ? fail([...path, key], 'is no name for an instance')
            : undefined,
    ),
  );

const server = object(
  {
    ...shared,
    http: { check: object({ url: { check: text(), required: true }, headers: { check: map(any, text()) } }) },
    stdio: {
      check: object({
        command: { check: text(), required: true },
        args: { check: list(text(), 200) },
        env: { check: map(any, text()) },
      }),
    },
  },
  (value, path) =>
    Object.hasOwn(value, 'http') === Object.hasOwn(value, 'stdio')
      ? fail(path, 'needs either http or stdio')
      : undefined,
);

const date: Check = (value, path) => {
  const isDate =
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    !Number.isNaN(Date.parse(value)) &&
    new Date(value).toISOString().startsWith(value);
  return isDate ? undefined : fail(path, 'must be a date such as 2027-01-31');
};

const suppression = object({
  code: { check: pattern(/^[a-z]+\/[a-z0-9-]+$/, 'a code such as area/kebab'), required: true },
  subject: { check: text() },
  reason: { check: text(MAX_TEXT, 1), required: true },
  expires: { check: date, required: true },
});

const isOne: Check = (value, path) => (value === 1 ? undefined : fail(path, 'must be 1'));

const manifest = object({
  $schema: { check: text() },
  schemaVersion: { check: isOne, required: true },
  minimumVersion: { check: version },
  integrations: { check: integrations },
  servers: { check: map(name, server) },
  suppressions: { check: list(suppression, 500) },
});
