import { z } from 'zod';
import { patternProblem } from '../lib/pattern.ts';

/**
 * What gets installed, as data. Texts, and names in `headers` and `env`, may hold `{INPUT}` placeholders of declared inputs
 * (upper case) and nothing else; header and env values refer to an environment variable by `${env:NAME}`, rendered in each
 * runtime's own syntax.
 */
const Id = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/);
const RelPath = z.string().min(1).max(512);

/**
 * What a file of the repository says about an input. At `at` (`*`: every member or item) stands the value itself, or,
 * with `value`, anything that fits `matches` (of a text; case is ignored) and stands for that value.
 */
const Evidence = z.strictObject({
  file: RelPath,
  format: z.enum(['json', 'toml']),
  at: z.array(z.string()).min(1),
  matches: z
    .string()
    .refine((source) => patternProblem(source) === undefined, {
      error: ({ input }) => patternProblem(String(input)),
    })
    .optional(),
  value: z.string().optional(),
  /** completes the sentence `<file> …` */
  says: z.string(),
});

const Input = z.strictObject({
  name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  /** `variable`: the name of an environment variable, e.g. the one that holds a key */
  type: z.enum(['url', 'string', 'variable', 'choice', 'boolean']),
  prompt: z.string(),
  required: z.boolean().default(true),
  default: z.string().optional(),
  choices: z.array(z.string()).min(1).optional(),
  /** characters at most, where the service sets a bound (VERA: a project has 1..512) */
  maxLength: z.number().int().positive().max(2048).default(2048),
  /** url inputs: the path must end so; query and fragment allowed; http to other than loopback allowed */
  pathEndsWith: z.string().optional(),
  allowQuery: z.boolean().default(false),
  allowInsecure: z.boolean().default(false),
  /** another value than the one that a root has is a conflict, not an update */
  fixed: z.literal(true).optional(),
  /** where nobody chose: the first of these that fits, before the default; repository content (contract, section 6) */
  evidence: z.array(Evidence).min(1).optional(),
  /** values that contradict a repository without this file */
  needs: z
    .array(z.strictObject({ equals: z.array(z.string()).min(1), file: RelPath, why: z.string() }))
    .min(1)
    .optional(),
});

/** `input` without `equals`: the input has a value. Several values of `equals`: any of them. */
const Condition = z.strictObject({
  input: z.string().optional(),
  equals: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  runtime: z.array(z.string()).optional(),
  notRuntime: z.array(z.string()).optional(),
});

/** An artifact exists only while all conditions hold. Artifacts of one name must exclude each other. */
const When = z.union([Condition, z.array(Condition).min(1)]);

const base = {
  name: Id,
  when: When.optional(),
  default: z.enum(['on', 'off']).default('on'),
  required: z.boolean().default(false),
};

/** What an integration knows of its server's tools, for `doctor --clients`: a name that is missing there is a fault. */
const NamedTools = z.record(
  z.string().regex(/^[A-Za-z0-9_./-]{1,128}$/),
  /** the hint that the server must give; absent: not known, or it depends */
  z.strictObject({ readOnly: z.boolean().optional() }),
);

/** One call that proves that the server works: a tool of `tools` that only reads, called without arguments. */
const Proof = z.strictObject({
  tool: z.string(),
  /** members that the result has, with their types; its content is not looked at */
  result: z.record(z.string(), z.enum(['string', 'number', 'boolean', 'object', 'array'])),
});

const McpServer = z.strictObject({
  ...base,
  kind: z.literal('mcp-server'),
  server: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  http: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()).optional() }).optional(),
  stdio: z
    .strictObject({
      command: z.string(),
      args: z.array(z.string()).default([]),
      env: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  timeoutSeconds: z.number().int().positive().optional(),
  tools: NamedTools.optional(),
  proof: Proof.optional(),
});

const Skill = z.strictObject({ ...base, kind: z.literal('skill'), skill: Id, folder: RelPath });

const Hook = z.strictObject({
  ...base,
  kind: z.literal('hook'),
  event: z.enum(['session-start', 'before-tool']),
  /** files of the integration's folder */
  script: RelPath.optional(),
  plugin: RelPath.optional(),
  interpreter: z.enum(['node', 'sh', 'python3']).default('node'),
  args: z.array(z.string()).default([]),
  timeoutSeconds: z.number().int().min(1).max(60),
  /** before-tool: the server and tools it is for */
  server: z.string().optional(),
  tools: z.array(z.string()).optional(),
});

const Permission = z.strictObject({
  ...base,
  kind: z.literal('permission'),
  decision: z.enum(['ask', 'deny', 'allow']),
  server: z.string(),
  tools: z.array(z.string()).min(1),
});

const Setting = z.strictObject({
  ...base,
  kind: z.literal('setting'),
  runtime: Id,
  /** id of a file of that runtime's spec */
  file: z.string(),
  at: z.array(z.string()).min(1),
  value: z.json(),
  /** `item`: one element of the array at `at` */
  place: z.enum(['key', 'item']).default('key'),
});

const Block = z.strictObject({
  ...base,
  kind: z.literal('block'),
  block: Id,
  /** text file of the integration's folder */
  source: RelPath,
});

const File = z.strictObject({
  ...base,
  kind: z.literal('file'),
  path: RelPath,
  source: RelPath,
  executable: z.boolean().default(false),
  class: z.enum(['instructs', 'executes']).default('executes'),
});

const IgnoreLine = z.strictObject({
  ...base,
  kind: z.literal('ignore-line'),
  file: z.literal('.gitignore'),
  line: z.string().min(1),
});

export const ArtifactSchema = z.discriminatedUnion('kind', [
  McpServer,
  Skill,
  Hook,
  Permission,
  Setting,
  Block,
  File,
  IgnoreLine,
]);

const Endpoint = z.strictObject({ kind: z.enum(['health', 'mcp']), url: z.string() });

const Requirement = z.strictObject({
  binary: z.string(),
  /** kinds of artifacts that are withheld when it is missing */
  for: z.array(z.enum(['hook', 'mcp-server'])).min(1),
  remedy: z.string(),
});

/**
 * How callers log in, where one input decides it: by the client itself, by a reference to a variable, or by a literal token
 * that a person enters. Taken from bundled definitions only, because a credential is entered for it.
 */
const Login = z.strictObject({
  input: z.string(),
  client: z.string(),
  reference: z.string(),
  literal: z.string(),
  /** the variable that a reference names */
  variable: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  /** `<NAME>` in a header stands for the literal token */
  placeholder: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  /** where an API key is exchanged, and the server that the token is for */
  api: z.string(),
  mcp: z.string(),
  scopes: z.strictObject({
    read: z.array(z.string()).min(1),
    write: z.array(z.string()).min(1),
    /** no writes are wanted while any of these inputs has its value */
    readOnlyWhen: z.array(z.strictObject({ input: z.string(), equals: z.string() })).min(1),
    /** the input by which a person chooses, and its values for reading alone and for everything */
    choice: z.strictObject({ input: z.string(), read: z.string(), write: z.string() }).optional(),
  }),
});

export const IntegrationSchema = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  id: Id,
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  title: z.string(),
  summary: z.string(),
  homepage: z.url().optional(),
  inputs: z.array(Input).default([]),
  endpoints: z.array(Endpoint).default([]),
  login: Login.optional(),
  requires: z.array(Requirement).default([]),
  artifacts: z.array(ArtifactSchema).min(1),
  nextSteps: z.array(z.string()).default([]),
  /** what leaves this machine, or else needs a consent: said by plan and doctor while the conditions hold */
  discloses: z
    .array(z.strictObject({ when: When.optional(), text: z.string() }))
    .min(1)
    .optional(),
  /** one machine-readable block of defaults (contract 9); overrides are checked against it */
  defaults: RelPath.optional(),
  /** programs that the service starts for its tasks, as data (`harnesses.ts`); of bundled definitions only */
  harnesses: RelPath.optional(),
  /**
   * Files in which placeholders are replaced as well. In Markdown and plain text by their text; in code (`.js`, `.cjs`,
   * `.mjs`, `.ts`) a placeholder must be a whole string literal, which becomes the value as a JSON string.
   */
  expand: z.array(RelPath).default([]),
});

export type Integration = z.infer<typeof IntegrationSchema>;
export type LoginSpec = z.infer<typeof Login>;
export type Artifact = z.infer<typeof ArtifactSchema>;
export type InputSpec = Integration['inputs'][number];
export type EvidenceSpec = z.infer<typeof Evidence>;
export type ConditionSpec = z.infer<typeof Condition>;
