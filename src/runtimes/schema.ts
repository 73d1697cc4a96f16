import { z } from 'zod';

/**
 * A runtime is data. Texts that go into a user's file are templates: `"{url}"` alone is replaced by the value (any JSON
 * type; a member whose value is missing is left out), `{server}` inside a longer string by its text. Placeholders are
 * lower-case words, so shell text such as `${HOME}` is untouched. Known placeholders: see `dialect.ts`.
 */
export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | TemplateValue[]
  | { [key: string]: TemplateValue };
const Template: z.ZodType<TemplateValue> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(Template), z.record(z.string(), Template)]),
);

const Scope = z.enum(['project', 'local', 'user']);
/** K20: supported and advisory qualify (advisory with a warning); unsupported and unknown withhold the artifact. */
const Support = z.strictObject({
  state: z.enum(['supported', 'advisory', 'unsupported', 'unknown']),
  reason: z.string().optional(),
});

const Evidence = z.strictObject({
  claim: z.string(),
  mark: z.enum(['tested', 'source', 'documented', 'peer', 'weak']),
  version: z.string().optional(),
  checked: z.iso.date(),
  source: z.string(),
});

/**
 * One rule about content that need not be ours: what the client makes of it. `at` is a path where `*` stands for every
 * member or item; the rule fires for each value found there for which all conditions hold.
 */
const ForeignRule = z.strictObject({
  code: z.string().regex(/^[a-z]+\/[a-z-]+$/),
  severity: z.enum(['error', 'warning', 'info']),
  at: z.array(z.string()),
  /** the value is an object with / without these members */
  has: z.array(z.string()).optional(),
  lacks: z.array(z.string()).optional(),
  /** the last member name of the path (or the string value itself) matches this regular expression */
  nameMatches: z.string().optional(),
  valueMatches: z.string().optional(),
  /** the last member name is none of these */
  nameNotIn: z.array(z.string()).optional(),
  /** `{name}` = last member name, `{value}` = the value when it is a string, both escaped; full sentence, no full stop needed */
  message: z.string(),
  remedy: z.string().optional(),
  /** the client then ignores the whole file, ours included */
  dropsFile: z.boolean().optional(),
});

/** A path template: relative to the root, or beginning with `~/`, or `{env:NAME|~/.default}/rest` for a moved folder. */
const PathTemplate = z.string().min(1);

const FileSpec = z.strictObject({
  scope: Scope,
  /** Every file that can hold it, the client's strongest first. The one that already holds the container wins, then the first that exists. */
  paths: z.array(PathTemplate).min(1),
  /** Which of `paths` is created when none exists. */
  create: PathTemplate,
  format: z.enum(['json', 'toml', 'markdown', 'lines', 'whole']),
  /** `strict`: RFC 8259; `comments`: no trailing comma; `jsonc`: both allowed. Non-JSON formats: `jsonc`. */
  reads: z.enum(['strict', 'comments', 'jsonc']),
  bom: z.enum(['ok', 'rejected']),
  /** What the client does with a file that it cannot read. */
  onInvalid: z.enum(['drops-file', 'refuses-to-start', 'rewrites-file', 'drops-entry', 'unknown']),
  /** First members of a new file, e.g. `{"$schema": "…"}`. */
  skeleton: Template.optional(),
  /** Writes of the client itself that are no drift, in words. */
  clientWrites: z.string().optional(),
  foreign: z.array(ForeignRule).default([]),
  private: z.boolean().optional(),
});

const McpPlace = z.strictObject({ scope: Scope, file: z.string(), at: z.array(z.string()).min(1) });

const Mcp = z.strictObject({
  support: Support,
  places: z.array(McpPlace),
  /** Entry templates; a missing one = transport not supported. */
  stdio: Template.optional(),
  http: Template.optional(),
  /** How a header or env value refers to an environment variable inside a string; absent = not possible inline. */
  reference: z.strictObject({ prefix: z.string(), suffix: z.string() }).optional(),
  /** What the client does with a reference to a variable that is unset. */
  unset: z.enum(['sends-literal', 'sends-empty', 'fails', 'unknown']),
  /** Members (pointers) of an entry that are the user's switches. */
  switches: z.array(z.string()).default([]),
  /** The client's own off switch in an entry. */
  off: z
    .strictObject({
      pointer: z.string(),
      off: z.union([z.boolean(), z.string()]),
      on: z.union([z.boolean(), z.string()]),
    })
    .optional(),
  /** Members of an entry that may hold the endpoint / the program, for duplicate detection. */
  urlMembers: z.array(z.string()).default([]),
  commandMember: z.string().optional(),
  nameRule: z.string().optional(),
  /** How the model sees a tool. */
  toolName: z.string(),
});

const Skills = z.strictObject({
  support: Support,
  /** Every folder that it reads, its own first; `{name}` is the skill's name. */
  places: z.array(z.strictObject({ scope: Scope, path: PathTemplate })),
});

const HookEvent = z.strictObject({
  /** The client's word for the event. */
  name: z.string(),
  /** Default matcher when the integration gives none; `{tools}` = alternation of tool names as the client spells them. */
  matcher: z.string().optional(),
});

const Hooks = z.strictObject({
  support: Support,
  form: z.enum(['command', 'plugin']),
  places: z.array(z.strictObject({ scope: Scope, file: z.string(), at: z.array(z.string()) })).default([]),
  /** neutral event -> the client's; an event that is missing here is withheld with a warning */
  events: z.partialRecord(z.enum(['session-start', 'before-tool']), HookEvent).default({}),
  /** the array element that we add */
  item: Template.optional(),
  /**
   * The shell line of a command hook. It holds no absolute path, works from a sub-folder and exits 0 when script or
   * interpreter is missing. `{script}` repository-relative path, `{interpreter}`, `{args}` (shell-quoted).
   */
  command: z.string().optional(),
  commandWindows: z.string().optional(),
  /** folder for scripts (form command) or plugins (form plugin) */
  folder: PathTemplate.optional(),
  timeoutUnit: z.enum(['s', 'ms']).optional(),
  /** the client's own gate for hooks, in words, for next steps and doctor */
  trust: z.string().optional(),
  /** can a before-tool hook make the client ask? */
  canAsk: z.boolean().default(false),
});

const Decision = z.strictObject({
  file: z.string(),
  scope: Scope,
  /** one rule per tool, or one setting per server */
  granularity: z.enum(['tool', 'server']),
  kind: z.enum(['item', 'key']),
  at: z.array(z.string()),
  value: Template,
});

const Permissions = z.strictObject({
  support: Support,
  ask: z.array(Decision).default([]),
  deny: z.array(Decision).default([]),
  allow: z.array(Decision).default([]),
  /** the last matching rule wins, so ours must stand after broader ones */
  lastMatchWins: z.boolean().default(false),
  /** ways of the client around a consent rule, in words */
  bypasses: z.array(z.string()).default([]),
});

const Instructions = z.strictObject({
  support: Support,
  /** files it reads, its own first */
  files: z.array(z.strictObject({ scope: Scope, path: PathTemplate })),
});

export const RuntimeSpecSchema = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: z.string(),
  homepage: z.url(),
  aliases: z.array(z.string()).default([]),
  support: z.enum(['tier1', 'tier2', 'tier3', 'none']),
  supportReason: z.string().optional(),
  detect: z.strictObject({
    /** relative paths whose presence says that the repository uses it */
    project: z.array(z.string()).default([]),
    home: z.array(PathTemplate).default([]),
    binaries: z.array(z.string()).default([]),
  }),
  version: z
    .strictObject({
      command: z.array(z.string()).min(1),
      pattern: z.string(),
      minimum: z.string(),
      tested: z.array(z.string()).min(1),
    })
    .optional(),
  /** environment variables that an agent session of this client sets: the host signal, and the gate for consent (contract 6) */
  session: z.array(z.strictObject({ name: z.string(), value: z.string().optional() })).default([]),
  files: z.record(z.string(), FileSpec),
  mcp: Mcp.optional(),
  skills: Skills.optional(),
  hooks: Hooks.optional(),
  permissions: Permissions.optional(),
  instructions: Instructions.optional(),
  /** folders below which a `file` artifact may be written */
  fileFolders: z.array(z.string()).default([]),
  /** what the user does afterwards */
  reload: z.strictObject({ kind: z.enum(['automatic', 'restart', 'approve', 'trust']), text: z.string() }),
  /** the client's own approval of servers and workspaces, in words */
  approval: z.string().optional(),
  oauth: z
    .strictObject({ supported: z.boolean(), storage: z.string().optional(), login: z.string().optional() })
    .optional(),
  scopesNote: z.string().optional(),
  limits: z.array(z.string()).default([]),
  evidence: z.array(Evidence).min(1),
});

export type RuntimeSpec = z.infer<typeof RuntimeSpecSchema>;
export type FileSpecData = RuntimeSpec['files'][string];
export type ForeignRuleData = FileSpecData['foreign'][number];
