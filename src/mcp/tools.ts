import { z } from 'zod';
import { type CommandSpec, findCommand } from '../cli/command-table.ts';
import { Refusal, type VerbRequest, verbs } from './catalogue.ts';

const MAX_SECONDS = 120;
const DEFAULT_SECONDS = 60;

const Seconds = z
  .int()
  .min(1)
  .max(MAX_SECONDS)
  .default(DEFAULT_SECONDS)
  .describe('time limit of the run in seconds');
const Runtimes = z
  .array(z.string())
  .max(64)
  .optional()
  .describe('ids of coding tools; default: those set up here');
const Scope = z.enum(['project', 'local', 'user']).optional();

export type Call =
  | { readonly kind: 'run'; readonly request: VerbRequest; readonly timeoutMs: number }
  | { readonly kind: 'discover'; readonly query: string; readonly limit: number };

interface Tool {
  readonly description: string;
  /** The command whose effect the annotations are derived from; undefined: all that can be reached. */
  readonly command?: string;
  readonly input: z.ZodObject;
  /** `value` has passed `input`. */
  call(value: never): Call;
}

const tool = <T extends z.ZodObject>(one: {
  description: string;
  command?: string;
  input: T;
  call: (value: z.infer<T>) => Call;
}): Tool => one;

const run = (
  verb: string,
  positionals: readonly string[],
  flags: Readonly<Record<string, VerbRequest['flags'][string] | undefined>>,
  seconds: number,
): Call => ({
  kind: 'run',
  request: {
    verb,
    positionals,
    flags: Object.fromEntries(
      Object.entries(flags).filter(
        (entry): entry is [string, VerbRequest['flags'][string]] => entry[1] !== undefined,
      ),
    ),
  },
  timeoutMs: seconds * 1000,
});

const TOOLS: Readonly<Record<string, Tool>> = {
  status: tool({
    command: 'status',
    description: 'What tenon has set up in this repository, and what is missing, edited or out of date.',
    input: z.strictObject({ runtimes: Runtimes, timeoutSeconds: Seconds }),
    call: ({ runtimes, timeoutSeconds }) => run('status', [], { '--runtime': runtimes }, timeoutSeconds),
  }),
  doctor: tool({
    command: 'doctor',
    description:
      'Diagnoses the configuration of the coding tools in this repository; every finding comes with its remedy. Changes nothing.',
    input: z.strictObject({
      offline: z.boolean().default(true).describe('false: also ask the endpoints that this host has set up'),
      strict: z.boolean().default(false).describe('warnings raise the exit code too'),
      timeoutSeconds: Seconds,
    }),
    call: ({ offline, strict, timeoutSeconds }) =>
      run('doctor', [], { '--offline': offline, '--strict': strict }, timeoutSeconds),
  }),
  plan: tool({
    command: 'plan',
    description:
      'Computes what setup (or sync, when no integration is named) would write, with the exact diff and the digest of the plan. Writes nothing. A person approves a plan in a terminal, or hands its digest to --approve.',
    input: z.strictObject({
      integrations: z
        .array(z.string())
        .max(20)
        .default([])
        .describe('bundled ids, or paths such as ./tools/acme'),
      runtimes: Runtimes,
      scope: Scope,
      set: z.record(z.string(), z.string()).optional().describe('values of inputs; never a secret'),
      without: z.array(z.enum(['mcp', 'hooks', 'skills', 'permissions', 'blocks'])).optional(),
      patch: z.boolean().default(false).describe('also a patch for git apply'),
      explain: z.boolean().default(false).describe('also the origin of every effective value'),
      timeoutSeconds: Seconds,
    }),
    call: ({ integrations, runtimes, scope, set, without, patch, explain, timeoutSeconds }) =>
      run(
        'plan',
        integrations,
        {
          '--runtime': runtimes,
          '--scope': scope,
          '--set':
            set === undefined ? undefined : Object.entries(set).map(([key, value]) => `${key}=${value}`),
          '--without': without,
          '--patch': patch,
          '--explain': explain,
        },
        timeoutSeconds,
      ),
  }),
  explain: tool({
    command: 'explain',
    description: 'What a code of tenon means and what to do about it, e.g. config/malformed.',
    input: z.strictObject({ code: z.string(), timeoutSeconds: Seconds }),
    call: ({ code, timeoutSeconds }) => run('explain', [code], {}, timeoutSeconds),
  }),
  runtimes: tool({
    command: 'runtimes',
    description:
      'The coding tools that tenon knows, and those that were detected here; with an id, one in detail.',
    input: z.strictObject({ id: z.string().optional(), timeoutSeconds: Seconds }),
    call: ({ id, timeoutSeconds }) => run('runtimes', id === undefined ? [] : [id], {}, timeoutSeconds),
  }),
  discover: tool({
    description: 'Finds the verb of tenon that answers a question, with its arguments and flags, for invoke.',
    input: z.strictObject({
      query: z.string().max(1000).default('').describe('a question in words; empty: every verb'),
      limit: z.int().min(1).max(20).default(5),
    }),
    call: ({ query, limit }) => ({ kind: 'discover', query, limit }),
  }),
  invoke: tool({
    description:
      'Runs one read-only verb of tenon, as discover describes it, and returns its JSON document. Verbs that write cannot be reached.',
    input: z.strictObject({
      verb: z.string().max(100),
      positionals: z.array(z.string()).max(50).default([]),
      flags: z
        .record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string()).max(50)]))
        .default({})
        .describe('by long name: {"--runtime": ["ID"], "--patch": true}'),
      timeoutSeconds: Seconds,
    }),
    call: ({ verb, positionals, flags, timeoutSeconds }) => run(verb, positionals, flags, timeoutSeconds),
  }),
};

export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The hints of MCP, from the command table: what reads destroys nothing and can be repeated. */
export function annotationsOf(commands: readonly Pick<CommandSpec, 'effect' | 'contacts'>[]): Annotations {
  const reads = commands.every(({ effect }) => effect === 'reads');
  return {
    readOnlyHint: reads,
    destructiveHint: !reads,
    idempotentHint: reads,
    openWorldHint: commands.some(({ contacts }) => contacts === true),
  };
}

function commandsOf(name: string, { command }: Tool): readonly CommandSpec[] {
  if (name === 'discover') return [];
  if (command === undefined) return verbs().map((verb) => verb.command);
  const found = findCommand(command);
  return found === undefined ? [] : [found];
}

/** The list that `tools/list` answers. */
export const listedTools = () =>
  Object.entries(TOOLS).map(([name, one]) => ({
    name,
    description: one.description,
    inputSchema: z.toJSONSchema(one.input, { io: 'input' }) as { type: 'object'; [key: string]: unknown },
    annotations: annotationsOf(commandsOf(name, one)),
  }));

/** What a call asks for. Throws {@link Refusal} for an unknown tool and for arguments that do not fit. */
export function readCall(name: string, args: unknown): Call {
  const one = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (one === undefined)
    throw new Refusal(`there is no tool of this name; there are: ${Object.keys(TOOLS).join(', ')}`);
  const checked = one.input.safeParse(args ?? {});
  if (checked.success) return one.call(checked.data as never);
  const [issue] = checked.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  throw new Refusal(
    `${field === '' ? 'the arguments' : field.slice(0, 100)}: ${(issue?.message ?? '').slice(0, 200)}`,
  );
}
