import { z } from 'zod';
import { patternProblem } from '../lib/pattern.ts';

/**
 * How a client lists its servers itself: the command, what it does besides printing, and how its output is read. Data for
 * `doctor --clients`. As in the rest of a spec, no member has a default.
 */
const Strings = z.array(z.string());
const Path = z.array(z.string()).min(1);
/** A regular expression with the flag `u` that no text can make take for ever. */
const Pattern = z.string().refine((source) => patternProblem(source) === undefined, {
  error: ({ input }) => patternProblem(String(input)),
});

/** What a client says of one server. */
const SeenState = z.enum([
  /** it reached the server in this run */
  'connected',
  /** it has the server and would use it */
  'listed',
  /** it waits for its user's approval / its user refused it / its user switched it off */
  'pending',
  'rejected',
  'disabled',
  /** the folder is not trusted */
  'untrusted',
  /** the server wants a login first */
  'needs-login',
  /** it tried and did not reach the server */
  'failed',
]);

const Common = {
  /** which stream carries the list */
  stream: z.enum(['stdout', 'stderr', 'both']),
};

/** One JSON document. */
const JsonOutput = z.strictObject({
  form: z.literal('json'),
  ...Common,
  /** path of the object or array of servers; `[]` is the document */
  at: Strings,
  /** member of a server with its name; absent: the servers are the members of an object, under their names */
  name: z.string().optional(),
  url: Path.optional(),
  /** the program, or the whole command line where there are no `args` */
  command: Path.optional(),
  args: Path.optional(),
  /** names of the tools that the entry lets through; `*` is all */
  tools: Path.optional(),
  /** the first rule whose value stands there decides */
  states: z.array(
    z.strictObject({
      at: Path,
      equals: z.union([z.string(), z.boolean(), z.null()]),
      state: SeenState,
    }),
  ),
  otherwise: SeenState,
});

/** One line for each server. */
const LinesOutput = z.strictObject({
  form: z.literal('lines'),
  ...Common,
  /** groups `name` and `state`, and where the line has them `url` and `launch` */
  entry: Pattern,
  /** lines behind an entry that belong to it: groups `url`, `launch` */
  detail: Pattern.optional(),
  /** lines of which one is there whenever this is the list, also of no server: without one the output is something else */
  frame: z.array(Pattern).min(1),
  /** the first rule that the group `state` matches decides */
  states: z.array(z.strictObject({ matches: Pattern, state: SeenState })),
  /** absent: a state that no rule matches is shown as it is and counts as unknown */
  otherwise: SeenState.optional(),
});

export const ClientListSchema = z.strictObject({
  /** Never one that prints header values or starts a login. */
  command: z.array(z.string()).min(2),
  /** the oldest version whose list was tested */
  minimum: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** it answers in a terminal only, so it is never started */
  terminal: z.boolean(),
  /**
   * What a server in the list proves: `read` its file is read; `admitted` the client would use it, approval and trust
   * included; `connected` the client tried to reach it.
   */
  proves: z.enum(['read', 'admitted', 'connected']),
  /**
   * Programs of servers that the command starts: none, those that its user approved or trusted the folder for, or every
   * one of the repository. Then it is run only where all of them are trusted on this host.
   */
  starts: z.enum(['nothing', 'approved', 'every']),
  /** variables that keep it offline or without the code of the repository */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()),
  /** time limit */
  seconds: z.number().int().min(1).max(120),
  /** major version of Node that the client's package asks for */
  node: z.number().int().positive().optional(),
  output: z.discriminatedUnion('form', [JsonOutput, LinesOutput]),
  /** commands that look as if they would do and are never used, with the reason */
  never: z.array(z.strictObject({ command: z.string(), why: z.string() })),
});

export type ClientList = z.infer<typeof ClientListSchema>;
export type ListOutput = ClientList['output'];
export type SeenState = z.infer<typeof SeenState>;
