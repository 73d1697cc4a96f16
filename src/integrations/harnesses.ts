import { z } from 'zod';
import { TenonError } from '../errors/error.ts';
import { patternProblem } from '../lib/pattern.ts';
import { fillText, type Values } from './placeholders.ts';
import type { LoadedIntegration, ResolvedInput } from './types.ts';

/**
 * Programs that a service starts for its tasks ("harnesses"), as data: one row per profile of the service, and what
 * shows that the profile could be used on this machine. Names of environment variables only, never a value. Taken from
 * bundled definitions alone, because programs are started for it (`doctor --clients`).
 */
const Variable = z.string().regex(/^[A-Z][A-Z0-9_]*$/);
const Args = z.array(z.string().regex(/^[\w@%+=:,./-]+$/)).min(1);
const Pattern = z
  .string()
  .refine(isPattern, { message: 'no regular expression with one group, or one that can take for ever' });

const Profile = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  title: z.string(),
  /** The service's word for the way that the program is driven. */
  provider: z.string(),
  /** Switched on in a fresh installation of the service; what is missing is then worth a warning. */
  enabled: z.boolean(),
  /** Why no task can be given to it; nothing else of it is looked at. */
  unsupported: z.string().optional(),
  /** Name of the program; looked for on PATH, outside of the repository. */
  program: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/)
    .optional(),
  version: z
    .strictObject({
      args: Args,
      /** First group: the version. */
      pattern: Pattern,
      /** The only version that counts. */
      exact: z.string().optional(),
      tested: z.string().optional(),
    })
    .optional(),
  /** Any of these sets of variables, each complete, lets it log in. They alone decide that. */
  keys: z.array(z.array(Variable).min(1)).min(1).optional(),
  /** Variables that choose or move something and let nobody in. */
  selectors: z.array(Variable).optional(),
  /** Variables handed on to the commands below, e.g. one that moves the program's folder. */
  passes: z.array(Variable).optional(),
  /** Commands that change nothing. What they say is shown and decides nothing. */
  diagnostics: z.array(z.strictObject({ args: Args, asks: z.string() })),
  /** Driven over HTTP: by its configuration and by whether anything answers, never by a call. */
  gateway: z
    .strictObject({
      url: z.strictObject({ variable: Variable, default: z.url() }),
      /** Carries the credential, where the gateway asks for one. */
      token: Variable,
      /** The file (path template) and the list of allowed tools in it. */
      file: z.string(),
      at: z.array(z.string()).min(1),
      needs: z.array(z.string()).min(1),
      /** Needed for some uses only. */
      wants: z.array(z.strictObject({ tool: z.string(), for: z.string() })),
    })
    .optional(),
  remedy: z.string(),
});

export const HarnessesSchema = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  /** Address of the service; what is found here counts only where that is this machine. */
  service: z.string(),
  /** Where the service tells the tiers itself (`doctor --live`). */
  support: z.strictObject({ path: z.string().startsWith('/'), header: z.string(), variable: z.string() }),
  /** The service's own command line, and its own check of itself: a JSON report `{ ok, summary, checks }` (K1). */
  cli: z
    .strictObject({
      program: z.string().regex(/^[a-z][a-z0-9-]*$/),
      report: Args,
      /** Variables that it is started with; values may hold inputs, never a secret. */
      environment: z.record(Variable, z.string()),
      remedy: z.string(),
    })
    .optional(),
  profiles: z.array(Profile).min(1).max(64),
});

export type Harness = z.infer<typeof Profile>;

export interface Harnesses {
  readonly profiles: readonly Harness[];
  /** Undefined where its input has no value. */
  readonly service: string | undefined;
  /** `variable`: name of the one that holds the key; undefined where none was named. */
  readonly support: { readonly path: string; readonly header: string; readonly variable: string | undefined };
  readonly cli?: ServiceCli;
}

export interface ServiceCli {
  readonly program: string;
  readonly report: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly remedy: string;
}

/**
 * The harness profiles of a bundled definition with these inputs; undefined for any other. Error: `integration/invalid`
 * (exit 4) for a file that is not as described.
 */
export function harnessesOf(
  loaded: LoadedIntegration,
  inputs: readonly ResolvedInput[],
): Harnesses | undefined {
  const path = loaded.manifest.harnesses;
  if (path === undefined || loaded.source !== 'bundled') return undefined;
  const parsed = HarnessesSchema.safeParse(parse(loaded.files.get(path)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TenonError(
      'integration/invalid',
      `${loaded.ref}: ${path}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not as described'}.`,
      { exit: 4, remedy: { text: 'Install tenon again' } },
    );
  }
  const { profiles, service, support, cli } = parsed.data;
  const values = new Map(inputs.map(({ name, value }) => [name, value]));
  return {
    profiles,
    service: fillText(service, values),
    support: { ...support, variable: fillText(support.variable, values) },
    ...(cli === undefined ? {} : { cli: { ...cli, environment: filled(cli.environment, values) } }),
  };
}

/** Variables with their inputs put in; one whose input has no value is left out. */
function filled(all: Readonly<Record<string, string>>, values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) => {
      const value = fillText(text, values);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function parse(bytes: Uint8Array | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isPattern(source: string): boolean {
  return patternProblem(source) === undefined && new RegExp(`${source}|`, 'u').exec('')?.length === 2;
}
