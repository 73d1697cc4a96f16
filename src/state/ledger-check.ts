import { isObject, type Json } from '../lib/json.ts';

/** A short description of what a value must be; compared by hand, because the schema library costs a cold start. */
type Shape =
  | 'string'
  | 'boolean'
  | 'number'
  | 'json'
  | 'scalar'
  | 'hash'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly one: readonly string[] }
  /** An object whose `kind` decides on its members; `name?` is optional. */
  | { readonly kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>> }
  | { readonly nullable: Shape }
  | {
      readonly members: Readonly<Record<string, Shape>>;
      readonly optional?: Readonly<Record<string, Shape>>;
    };

const HASH = /^(sha256:[0-9a-f]{64}|absent)$/;
const strings: Shape = { list: 'string' };
const scope: Shape = { one: ['project', 'local', 'user'] };
const extent: Shape = { members: { hash: 'hash', size: 'number' } };

const record: Shape = {
  members: {
    path: 'string',
    format: { one: ['json', 'toml', 'markdown', 'lines', 'whole'] },
    place: {
      kinds: {
        file: {},
        key: { path: strings },
        item: { path: strings, value: 'json', 'tag?': 'string' },
        block: { id: 'string' },
        line: { line: 'string' },
      },
    },
    owners: { list: { members: { integration: 'string', artifact: 'string', version: 'string' } } },
    runtimes: strings,
    scope,
    classes: { list: { one: ['connects', 'instructs', 'executes', 'grants'] } },
    switches: strings,
    generations: {
      list: { members: { print: 'hash', leaves: { map: 'hash' } }, optional: { value: 'json' } },
    },
    trace: { map: 'scalar' },
    order: { one: ['early', 'normal'] },
  },
  optional: { replaced: { members: { backup: 'string', whole: 'boolean' } }, root: 'string' },
};

const file: Shape = {
  members: {
    path: 'string',
    createdFile: 'boolean',
    createdDirs: strings,
    containers: {
      list: { members: { path: strings, kind: { one: ['object', 'array'] }, trace: { map: 'scalar' } } },
    },
    before: { nullable: extent },
    after: extent,
    bom: 'boolean',
    eol: { one: ['\n', '\r\n'] },
  },
  optional: { follows: { map: 'string' } },
};

const enrolment: Shape = {
  members: {
    integration: 'string',
    version: 'string',
    scope,
    runtimes: strings,
    inputs: { map: 'string' },
    overrides: { map: 'json' },
    without: strings,
    server: 'json',
    external: strings,
    excluded: strings,
  },
  optional: { root: 'string', of: 'string' },
};

const ledger: Shape = {
  members: {
    schemaVersion: 'number',
    root: 'string',
    files: { list: file },
    records: { list: record },
    enrolments: { list: enrolment },
  },
  optional: {
    choices: {
      list: { members: { integration: 'string', fixed: { map: 'string' }, overrides: { map: 'json' } } },
    },
  },
};

function mismatch(value: Json | undefined, shape: Shape, at: string): string | undefined {
  if (shape === 'json') return value === undefined ? `${at} is missing` : undefined;
  if (shape === 'scalar') {
    return ['string', 'number', 'boolean'].includes(typeof value) ? undefined : `${at} is no plain value`;
  }
  if (shape === 'hash')
    return typeof value === 'string' && HASH.test(value) ? undefined : `${at} is no digest`;
  if (typeof shape === 'string') {
    return typeof value === shape ? undefined : `${at} is no ${shape}`;
  }
  if ('one' in shape)
    return typeof value === 'string' && shape.one.includes(value) ? undefined : `${at} has an unknown value`;
  if ('kinds' in shape) return kindMismatch(value, shape.kinds, at);
  if ('nullable' in shape) return value === null ? undefined : mismatch(value, shape.nullable, at);
  if ('list' in shape) {
    if (!Array.isArray(value)) return `${at} is no list`;
    return first(value, (item: Json, index) => mismatch(item, shape.list, `${at}/${index}`));
  }
  if (!isObject(value)) return `${at} is no object`;
  if ('map' in shape)
    return first(Object.entries(value), ([key, member]) => mismatch(member, shape.map, `${at}/${key}`));
  const optional = shape.optional ?? {};
  const unknown = Object.keys(value).find(
    (key) => !Object.hasOwn(shape.members, key) && !Object.hasOwn(optional, key),
  );
  if (unknown !== undefined) return `${at}/${unknown} is unknown`;
  return (
    first(Object.entries(shape.members), ([key, member]) =>
      mismatch(Object.hasOwn(value, key) ? value[key] : undefined, member, `${at}/${key}`),
    ) ??
    first(Object.entries(optional), ([key, member]) =>
      Object.hasOwn(value, key) ? mismatch(value[key], member, `${at}/${key}`) : undefined,
    )
  );
}

function kindMismatch(
  value: Json | undefined,
  kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>>,
  at: string,
): string | undefined {
  const kind = isObject(value) ? value['kind'] : undefined;
  const members = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (members === undefined) return `${at}/kind has an unknown value`;
  const entries = Object.entries(members);
  const named = (optional: boolean) =>
    Object.fromEntries(
      entries
        .filter(([key]) => key.endsWith('?') === optional)
        .map(([key, shape]) => [key.replace('?', ''), shape]),
    );
  return mismatch(value, { members: { kind: 'string', ...named(false) }, optional: named(true) }, at);
}

function first<T>(
  items: readonly T[],
  test: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = test(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why a parsed value is no ledger of version 1, with the place; undefined when it is one. */
export function ledgerProblem(value: Json): string | undefined {
  if (isObject(value) && typeof value['schemaVersion'] === 'number' && value['schemaVersion'] !== 1) {
    return `it has version ${value['schemaVersion']}, and this tenon knows version 1`;
  }
  return mismatch(value, ledger, '');
}
