import { z } from 'zod';

// The schema of the ledger for the published JSON Schema and for detailed reports; `ledger-check.ts` is the fast check
// of the same shape, and a test holds the two together.

const Hash = z.string().regex(/^(sha256:[0-9a-f]{64}|absent)$/);
const Scope = z.enum(['project', 'local', 'user']);
const Trace = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Extent = z.strictObject({ hash: Hash, size: z.number() });

const Place = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file') }),
  z.strictObject({ kind: z.literal('key'), path: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal('item'),
    path: z.array(z.string()),
    value: z.json(),
    tag: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('block'), id: z.string() }),
  z.strictObject({ kind: z.literal('line'), line: z.string() }),
]);

const Record = z.strictObject({
  path: z.string(),
  format: z.enum(['json', 'toml', 'markdown', 'lines', 'whole']),
  place: Place,
  owners: z.array(z.strictObject({ integration: z.string(), artifact: z.string(), version: z.string() })),
  runtimes: z.array(z.string()),
  scope: Scope,
  classes: z.array(z.enum(['connects', 'instructs', 'executes', 'grants'])),
  switches: z.array(z.string()),
  generations: z.array(
    z.strictObject({ print: Hash, leaves: z.record(z.string(), Hash), value: z.json().optional() }),
  ),
  trace: Trace,
  replaced: z.strictObject({ backup: z.string(), whole: z.boolean() }).optional(),
  root: z.string().optional(),
  order: z.enum(['early', 'normal']),
});

const File = z.strictObject({
  path: z.string(),
  createdFile: z.boolean(),
  createdDirs: z.array(z.string()),
  containers: z.array(
    z.strictObject({ path: z.array(z.string()), kind: z.enum(['object', 'array']), trace: Trace }),
  ),
  before: Extent.nullable(),
  after: Extent,
  bom: z.boolean(),
  eol: z.enum(['\n', '\r\n']),
  follows: z.record(z.string(), z.string()).optional(),
});

const Enrolment = z.strictObject({
  integration: z.string(),
  of: z.string().optional(),
  version: z.string(),
  scope: Scope,
  runtimes: z.array(z.string()),
  inputs: z.record(z.string(), z.string()),
  overrides: z.record(z.string(), z.json()),
  without: z.array(z.string()),
  server: z.json(),
  external: z.array(z.string()),
  excluded: z.array(z.string()),
  root: z.string().optional(),
});

/** A ledger file of version 1. */
export const LedgerSchema = z.strictObject({
  schemaVersion: z.literal(1),
  root: z.string(),
  files: z.array(File),
  records: z.array(Record),
  enrolments: z.array(Enrolment),
  choices: z
    .array(
      z.strictObject({
        integration: z.string(),
        fixed: z.record(z.string(), z.string()),
        overrides: z.record(z.string(), z.json()),
      }),
    )
    .optional(),
});
