import { z } from 'zod';

// The documents that --json prints (contract, section 3), for the published JSON Schema. `data` may get further members;
// a member that is named here stays.

const Code = z.string().regex(/^[a-z]+\/[a-z0-9-]+$/);
const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const Remedy = z.object({ text: z.string(), command: z.string().optional() });
const ExitCode = z.union([0, 1, 2, 3, 4, 5, 6, 130].map((code) => z.literal(code)));

const Finding = z.object({
  code: Code,
  severity: z.enum(['error', 'warning', 'info']),
  subject: z.string(),
  message: z.string(),
  remedy: Remedy,
  data: z.record(z.string(), z.json()).optional(),
});

const Fault = z.object({
  code: Code,
  message: z.string(),
  remedy: Remedy,
  state: z.enum(['nothing-written', 'restored', 'needs-recover', 'written', 'unknown']),
});

/** Of a run that came to a result. */
const result = (command: string, data: z.ZodType) =>
  z.object({
    schema: z.literal(`tenon/${command}/v1`),
    ok: z.boolean(),
    exitCode: ExitCode,
    data,
    findings: z.array(Finding),
    error: z.null(),
  });

/** Of a run that stopped; `tenon/error/v1` before a command is known. */
const StoppedDocument = z.object({
  schema: z.string().regex(/^tenon\/[a-z]+\/v1$/),
  ok: z.literal(false),
  exitCode: ExitCode,
  data: z.looseObject({}),
  findings: z.array(Finding),
  error: Fault,
});

const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one)]);
const Class = z.enum(['connects', 'instructs', 'executes', 'grants']);

const Plan = z.looseObject({
  digest: Digest,
  isEmpty: z.boolean(),
  isApplicable: z.boolean(),
  files: z.array(z.looseObject({ path: z.string(), actions: z.array(z.string()), diff: z.string() })),
  ops: z.array(
    z.looseObject({
      id: z.string(),
      action: z.string(),
      address: z.string(),
      runtime: oneOrMore(z.string()),
      artifact: z.string(),
      class: oneOrMore(Class),
      reason: z.string(),
      approval: z.string(),
    }),
  ),
  conflicts: z.array(
    z.looseObject({
      address: z.string(),
      code: Code,
      choices: z.array(z.string()),
      ours: z.json(),
      theirs: z.json(),
    }),
  ),
});

const Addresses = z.array(z.string());
const Standing = z.looseObject({
  status: z.enum(['ok', 'attention', 'blocked']),
  managed: Addresses,
  missing: Addresses,
  drifted: Addresses,
  stale: Addresses,
  external: Addresses,
  adoptable: Addresses,
  excluded: Addresses,
  conflicts: Addresses,
  untrusted: Addresses,
  shadowed: Addresses,
  disabled: Addresses,
});

const State = z.enum(['ok', 'attention', 'blocked', 'not-set-up']);
const Count = z.int().min(0);

const Check = z.looseObject({
  id: z.string(),
  title: z.string(),
  status: z.enum(['pass', 'warn', 'fail', 'skip']),
  message: z.string(),
  remedy: Remedy.optional(),
});

const TierName = z.enum(['detected', 'configured', 'certified', 'degraded', 'unsupported', 'not-detected']);

const FailureClass = z.enum([
  'none',
  'not-installed',
  'disabled',
  'unauthenticated',
  'incompatible-build',
  'adapter-unavailable',
  'unsafe-configuration',
  'probe-failed',
  'launch-failed',
  'run-failed',
  'certification-stale',
  'unsupported-platform',
]);

const TierOf = z.looseObject({ state: TierName, failureClass: FailureClass, reason: z.string() });

const Runtime = z.looseObject({
  id: z.string(),
  title: z.string(),
  support: z.enum(['tier1', 'tier2', 'tier3', 'none']),
  state: TierName,
  failureClass: FailureClass,
  reason: z.string(),
});

const Certified = z.looseObject({
  runtime: z.string(),
  result: z.enum(['passed', 'failed']),
  reused: z.boolean(),
  at: z.string().nullable(),
  version: z.string().nullable(),
  binding: z
    .object({
      version: z.string(),
      build: Digest,
      spec: Digest,
      template: Digest,
      probe: Digest,
    })
    .nullable(),
  steps: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      status: z.enum(['pass', 'fail', 'skip']),
      message: z.string(),
    }),
  ),
});

const Explained = z.looseObject({
  code: Code,
  title: z.string(),
  explanation: z.string(),
  exit: z.number().nullable(),
});

const HistoryEntry = z.looseObject({
  id: z.string(),
  time: z.string(),
  command: z.string(),
  digest: Digest,
  hash: Digest,
  previous: Digest.nullable(),
});

const DATA: Readonly<Record<string, z.ZodType>> = {
  plan: z.looseObject({ plan: Plan }),
  status: z.looseObject({
    state: State,
    integrations: z.array(z.looseObject({ integration: z.string(), runtimes: z.array(z.string()) })),
    runtimes: z.record(
      z.string(),
      z.looseObject({
        scopes: z.partialRecord(z.enum(['project', 'local', 'user']), Standing),
        tier: TierOf.optional(),
      }),
    ),
  }),
  doctor: z.looseObject({
    state: State,
    checks: z.array(Check),
    summary: z.object({ pass: Count, warn: Count, fail: Count, skip: Count }),
    runtimes: z
      .array(z.looseObject({ id: z.string(), title: z.string(), tier: TierOf.optional() }))
      .optional(),
  }),
  certify: Certified,
  runtimes: z.looseObject({ runtimes: z.array(Runtime) }),
  explain: z.union([Explained, z.looseObject({ codes: z.array(Explained) })]),
  history: z.looseObject({ entries: z.array(HistoryEntry) }),
  version: z.looseObject({ version: z.string(), node: z.string() }),
  help: z.looseObject({ commands: z.array(z.looseObject({ name: z.string() })) }),
  sandbox: z.looseObject({ apiUrl: z.url(), mcpUrl: z.url() }),
  completion: z.looseObject({}),
  validate: z.looseObject({ kind: z.enum(['integration', 'runtime']), id: z.string() }),
  new: z.looseObject({ files: z.array(z.string()) }),
};

/** The document of any command: by name where its data is described, and with open data for `others`. */
export const documentSchema = (commands: readonly string[]): z.ZodType =>
  z.union([
    ...Object.entries(DATA).map(([command, data]) => result(command, data)),
    ...commands
      .filter((command) => !Object.hasOwn(DATA, command))
      .map((command) => result(command, z.looseObject({}))),
    StoppedDocument,
  ]);

/** What `plan --out` saves: selections and digest, no content. `plan-file.ts` is the strict check of the same shape. */
export const PlanFileSchema = z.strictObject({
  schema: z.literal('tenon/planfile/v1'),
  command: z.enum(['setup', 'sync']),
  selections: z.array(
    z.strictObject({
      integration: z.string(),
      scope: z.enum(['project', 'local', 'user']),
      runtimes: z.array(z.string()),
      inputs: z.record(z.string(), z.string()),
      overrides: z.record(z.string(), z.json()),
      without: z.array(z.string()),
    }),
  ),
  resolve: z.record(z.string(), z.enum(['keep', 'replace', 'follow'])),
  force: z.array(z.string()),
  digest: Digest,
});
