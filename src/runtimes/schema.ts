import { z } from 'zod';
import { patternProblem } from '../lib/pattern.ts';
import { CAPABILITIES } from './capabilities.ts';
import { ClientListSchema } from './schema-list.ts';

/**
 * A runtime is data. No member has a default: what a spec says is what it means, so a spec that was validated when the
 * package was built is used as it stands and the validator is not loaded (`load.ts`).
 *
 * Texts that go into a user's file are templates: `"{url}"` alone is replaced by the value (any JSON type; a member
 * whose value is missing is left out), `{server}` inside a longer string by its text. A placeholder is a word that
 * begins with a lower-case letter, so shell text such as `${HOME}` is untouched. Known placeholders: `dialect.ts`.
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
const Strings = z.array(z.string());
const Pattern = z.string().refine((source) => patternProblem(source) === undefined, {
  error: ({ input }) => patternProblem(String(input)),
});
/** K20: supported and advisory qualify (advisory with a warning); unsupported and unknown withhold the artifact. */
const Support = z.strictObject({
  state: z.enum(['supported', 'advisory', 'unsupported', 'unknown']),
  reason: z.string().optional(),
});

const Evidence = z.strictObject({
  claim: z.string(),
  /** how we know: own experiment, product source, product documentation, another installer's table, anything else */
  mark: z.enum(['tested', 'source', 'documented', 'peer', 'weak']),
  version: z.string().optional(),
  checked: z.iso.date(),
  source: z.string(),
  /** the capabilities whose state rests on it */
  covers: z.array(z.enum(CAPABILITIES)).min(1).optional(),
});

/**
 * One rule about content that need not be ours: what the client makes of it. `at` is a path where `*` stands for every
 * member or item (`[]` is the document); the rule fires for each value found there for which all conditions hold.
 */
const ForeignRule = z.strictObject({
  code: z.string().regex(/^[a-z]+\/[a-z-]+$/),
  severity: z.enum(['error', 'warning', 'info']),
  at: Strings,
  /** the value is an object with / without these members */
  has: Strings.optional(),
  lacks: Strings.optional(),
  /** the last member name of the path / the string value matches this regular expression */
  nameMatches: Pattern.optional(),
  valueMatches: Pattern.optional(),
  /** the last member name / the string value is none of these */
  nameNotIn: Strings.optional(),
  valueNotIn: Strings.optional(),
  /** the value is not of this type */
  isNot: z.enum(['object', 'array', 'string']).optional(),
  /** `{name}` last member name, `{path}` dotted path, `{value}` the string value (all escaped), `{file}` the file */
  message: z.string(),
  remedy: z.string().optional(),
  /** the client then ignores or refuses the whole file, ours included */
  dropsFile: z.boolean().optional(),
});

/**
 * A path: posix and relative to the root, or `~/…`, or `{env:NAME|~/.default}/rest` for a folder that a variable moves.
 * Absolute paths only for files of scope `managed`.
 */
const PathTemplate = z.string().min(1).refine(isPathTemplate, { message: 'not a contained path' });
const Where = {
  /** Every file that can hold it, the client's strongest first. */
  paths: z.array(PathTemplate).min(1),
  /** Which of `paths` is created when none exists. */
  create: PathTemplate,
};

const FileSpec = z.strictObject({
  /** `managed`: an administrator's file; read by doctor, never written. */
  scope: z.enum(['project', 'local', 'user', 'managed']),
  ...Where,
  /** Other places on one platform. */
  os: z.partialRecord(z.enum(['darwin', 'win32', 'linux']), z.strictObject(Where)).optional(),
  /**
   * true: the client reads and merges all of `paths`; ours goes where the container already is.
   * false: it reads only the strongest one that exists; ours goes there.
   */
  merged: z.boolean(),
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
  foreign: z.array(ForeignRule),
  /** a new file gets mode 0600 */
  private: z.boolean().optional(),
});

/** `at` is the whole path of the entry: `["mcpServers", "{server}"]`; its first member is the container. `{root}` = absolute root. */
const McpPlace = z.strictObject({ scope: Scope, file: z.string(), at: z.array(z.string()).min(1) });

const Reference = z.strictObject({
  /** How a value refers to an environment variable inside a string. */
  prefix: z.string(),
  suffix: z.string(),
  /** Scopes in which the client expands it; elsewhere a reference cannot be written. */
  scopes: z.array(Scope).min(1),
});

const Mcp = z.strictObject({
  support: Support,
  places: z.array(McpPlace),
  /** Entry templates; a missing one = transport not supported. */
  stdio: Template.optional(),
  http: Template.optional(),
  /** absent = not possible inside a string */
  reference: Reference.optional(),
  /** Texts that the client expands (regular expressions): a literal that matches one cannot be written. */
  expands: z.array(Pattern),
  /** What the client does with a reference to a variable that is unset. */
  unset: z.enum(['sends-literal', 'sends-empty', 'fails', 'unknown']),
  /** Members (pointers) of an entry that are the user's switches. */
  switches: Strings,
  /** The client's own off switch in an entry. */
  off: z
    .strictObject({
      pointer: z.string(),
      off: z.union([z.boolean(), z.string()]),
      on: z.union([z.boolean(), z.string()]),
    })
    .optional(),
  /** Which scope wins where several hold one name, the strongest first; absent = not known. */
  precedence: z.array(Scope).min(1).optional(),
  /** Members of an entry that may hold the endpoint / the program, for duplicate detection. */
  urlMembers: Strings,
  commandMember: z.string().optional(),
  /** names that the client takes */
  nameRule: Pattern.optional(),
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
  /** Default matcher; `{tools}` = alternation of tool names as the client spells them. */
  matcher: z.string().optional(),
});

const HookPlace = z.strictObject({
  scope: Scope,
  /** folder for scripts (form command) or plugins (form plugin) */
  folder: PathTemplate,
  /** form command: the hooks file and the array in it; `{event}` is the client's word */
  file: z.string().optional(),
  at: Strings.optional(),
  /**
   * form command: the shell line. It holds no absolute path, works from a sub-folder and exits 0 without output when
   * script or interpreter is missing. `{script}` posix path below the root, `{file}` its last part, `{interpreter}`,
   * `{args}` (shell-quoted, each with a leading blank).
   */
  command: z.string().optional(),
  commandWindows: z.string().optional(),
});

/**
 * The client's memory of hooks that its user reviewed: one entry per handler. `{file}` absolute path of the hooks file,
 * `{event}` the event in snake case, `{group}` and `{index}` positions in the arrays, from 0.
 */
const Review = z.strictObject({
  /** the client's file that keeps it, and the path of the value there; `{hook}` is the handler's id */
  file: z.string(),
  at: Strings,
  id: z.string(),
  /**
   * What is hashed (SHA-256 over canonical JSON, written `sha256:<hex>`): a template over the members of the handler,
   * `{matcher}` of its group and `{event}`.
   */
  identity: Template,
  /** Values of members that the handler does not have. */
  defaults: z.record(z.string(), z.union([z.boolean(), z.number(), z.string()])),
  /** The user's own switch for one hook: it is off while the value stands there. */
  off: z.strictObject({ at: Strings, value: z.union([z.boolean(), z.string()]) }).optional(),
  /** What its user does to review a hook. */
  text: z.string(),
});

const Hooks = z.strictObject({
  support: Support,
  form: z.enum(['command', 'plugin']),
  places: z.array(HookPlace),
  /** neutral event -> the client's; an event that is missing here is withheld with a warning */
  events: z.partialRecord(z.enum(['session-start', 'before-tool']), HookEvent),
  /** the array element that we add: `{command}`, `{commandWindows}`, `{matcher}`, `{timeout}` */
  item: Template.optional(),
  timeoutUnit: z.enum(['s', 'ms']).optional(),
  /** the client's own gate for hooks, in words, for next steps and doctor */
  trust: z.string().optional(),
  review: Review.optional(),
  /** hooks of a project run only once the client trusts its folder */
  needsTrust: z.boolean().optional(),
  /** can a before-tool hook make the client ask? */
  canAsk: z.boolean(),
  /** the client remembers trust by a hook's position, so removing one asks again for those behind it */
  positional: z.boolean().optional(),
  /** members of a hook handler that hold a command line, and variables in it that stand for the project's folder */
  commandMembers: Strings,
  projectVariables: Strings,
  /** files of other tools whose hooks it runs as well */
  alsoRuns: z.array(PathTemplate).min(1).optional(),
});

const Decision = z.strictObject({
  file: z.string(),
  scope: Scope,
  /** one rule per tool, or one setting per server */
  granularity: z.enum(['tool', 'server']),
  kind: z.enum(['item', 'key']),
  /** `{server}`, `{tool}`, `{toolName}` */
  at: Strings,
  value: Template,
});

const Permissions = z.strictObject({
  support: Support,
  ask: z.array(Decision),
  deny: z.array(Decision),
  allow: z.array(Decision),
  /** the last matching rule wins, so ours must stand after broader ones */
  lastMatchWins: z.boolean(),
  /** the first matching rule wins, so a broader one before ours takes its effect */
  firstMatchWins: z.boolean().optional(),
  /** a tool's name up to this is a rule for every tool of its server */
  serverRuleBefore: z.string().min(1).optional(),
  /** ways of the client around a consent rule, in words */
  bypasses: Strings,
});

const Instructions = z.strictObject({
  support: Support,
  /** `first`: only the first file that exists is read; `all`: every one */
  reads: z.enum(['first', 'all']),
  /** files it reads, strongest first */
  files: z.array(z.strictObject({ scope: Scope, path: PathTemplate })),
  /** the project's file that is created when none exists; else the first of a scope */
  create: PathTemplate.optional(),
});

/**
 * How a recorded decision on one server is read: the object at the gate's place. The hash is SHA-256 in hex over the
 * canonical JSON of the entry without the members of `omits`, references replaced by their values as the client does it.
 */
const Decided = z.strictObject({
  /** member with the word of the decision, and the two words */
  status: z.string(),
  approved: z.string(),
  rejected: z.string(),
  hash: z.string(),
  omits: Strings,
});

/**
 * What the client asks of its user, or an administrator decides, before a server, a hook or a folder counts. Data for
 * doctor; tenon never writes there.
 */
const Gate = z.strictObject({
  kind: z.enum([
    /** a list of server names that are off / approved */
    'off-list',
    'on-list',
    /** a switch that approves every server */
    'on-switch',
    /** the client's switch of one server, outside its entry: off when the value stands there */
    'off-switch',
    /** the folder is trusted when the value stands there; `{root}` is its absolute path */
    'trust',
    /** trust is asked for only while the value stands there; where no gate of this kind is, always */
    'trust-on',
    /** hooks are off when the value stands there */
    'hooks-off',
    /** a list of denied servers: objects with a name, a URL pattern or a command */
    'denied-servers',
    /**
     * a list of allowed servers: names, or objects as above; where one stands, a server must match the lists of all files
     * together (`alone`, `each`)
     */
    'allowed-servers',
    /** while this file exists, its servers alone are loaded, even where it cannot be parsed */
    'only-servers',
    /** an administrator's table of the only servers that load: names with an `identity`, a URL or a command */
    'allowed-table',
    /** a value in an administrator's file that switches the server off */
    'denied-switch',
    /** the client's record of its user's decision on one server, bound to a hash of the entry (`decision`) */
    'decision',
  ]),
  file: z.string(),
  at: z.array(z.string()).min(1),
  value: Template.optional(),
  /** an approval that counts only in a folder that the client trusts */
  needsTrust: z.boolean().optional(),
  /** trust of another folder that counts for this one: a folder above it, the main checkout of a worktree */
  covers: z.array(z.enum(['below', 'worktrees'])).optional(),
  /** of `allowed-servers`: a member of the same file; when it is true, the lists of other files do not count */
  alone: z.array(z.string()).min(1).optional(),
  /** of `allowed-servers`: a server must be on every list, not on one of them */
  each: z.boolean().optional(),
  /** of `off-switch`: the same member in the entry itself comes first */
  weaker: z.boolean().optional(),
  /** of `trust`: the value that trusts the folder above the one it stands for */
  parent: z.string().optional(),
  decision: Decided.optional(),
  text: z.string(),
});

export const RuntimeSpecSchema = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: z.string(),
  homepage: z.url(),
  aliases: z.array(z.string().regex(/^[a-z][a-z0-9-]*$/)),
  support: z.enum(['tier1', 'tier2', 'tier3', 'none']),
  supportReason: z.string().optional(),
  /** Where it runs; absent = wherever tenon does. */
  platforms: z
    .array(z.enum(['darwin', 'win32', 'linux']))
    .min(1)
    .optional(),
  detect: z.strictObject({
    /** relative paths whose presence says that the repository uses it */
    project: Strings,
    home: z.array(PathTemplate),
    binaries: Strings,
  }),
  version: z
    .strictObject({
      command: z.array(z.string()).min(1),
      pattern: Pattern,
      minimum: z.string().regex(/^\d+\.\d+\.\d+$/),
      tested: z.array(z.string()).min(1),
    })
    .optional(),
  /** how it lists its servers itself */
  list: ClientListSchema.optional(),
  /** environment variables that an agent session of this client sets: the host signal, and the gate for consent (contract 6) */
  session: z.array(z.strictObject({ name: z.string(), value: z.string().optional() })),
  files: z.record(z.string(), FileSpec),
  mcp: Mcp.optional(),
  skills: Skills.optional(),
  hooks: Hooks.optional(),
  permissions: Permissions.optional(),
  instructions: Instructions.optional(),
  /** folders below which a `file` artifact may be written */
  fileFolders: z.array(PathTemplate),
  gates: z.array(Gate),
  /** what the client itself makes in a folder of ours, and leaves there */
  creates: z.array(PathTemplate).optional(),
  /** what the user does afterwards */
  reload: z.strictObject({ kind: z.enum(['automatic', 'restart', 'approve', 'trust']), text: z.string() }),
  /** the client's own approval of servers and workspaces, in words */
  approval: z.string().optional(),
  oauth: z
    .strictObject({
      supported: z.boolean(),
      storage: z.string().optional(),
      login: z.string().optional(),
      /** what is put behind the login command to ask for certain scopes; `<scopes>` are they, separated by commas */
      scopes: z.string().optional(),
    })
    .optional(),
  scopesNote: z.string().optional(),
  /** State of the capabilities that have no section above, or none for them: with a reason, what it is like or why not. */
  capabilities: z.partialRecord(z.enum(CAPABILITIES), Support).optional(),
  limits: Strings,
  evidence: z.array(Evidence).min(1),
});

export type RuntimeSpec = z.infer<typeof RuntimeSpecSchema>;
export type FileSpecData = RuntimeSpec['files'][string];
export type ForeignRuleData = FileSpecData['foreign'][number];

function isPathTemplate(path: string): boolean {
  const rest = path.replace(/^\{env:[A-Z][A-Z0-9_]*\|~(\/[^{}]*)?\}/u, '~');
  const parts = rest.split('/');
  return !parts.includes('..') && !parts.includes('.') && !rest.includes('\\') && !rest.includes('{env:');
}
