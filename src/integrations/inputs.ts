import { hasUnsafeCharacters } from '../endpoint/display.ts';
import { checkUrl } from '../endpoint/url.ts';
import { type ErrorCode, TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { isReference, isSecretName, isSecretValue } from '../lib/secrets.ts';
import { type EvidenceBase, evidenceFor, requireFiles } from './evidence.ts';
import type { InputSpec } from './schema.ts';
import type { ResolvedInput } from './types.ts';

export interface InputSources {
  /** Id of the definition; only environment names that begin with it in capitals are read. */
  readonly id: string;
  /**
   * `setup`: flag > environment > prompt > earlier choice > the repository's own files > default. `later`: flag > earlier
   * choice > default.
   */
  readonly mode: 'setup' | 'later';
  /** `--set`, artifact switches and defaults already taken out (`splitOverrides`). */
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the manifest or enrolment of an earlier setup holds. */
  readonly manifest: Readonly<Record<string, string>>;
  /** Bundled, or trusted on this host; the environment is read for nothing else (contract, section 3). */
  readonly trusted: boolean;
  /**
   * Asks for all missing values at once; absent without a terminal. Answers are checked like flags. It throws when the
   * person cancels.
   */
  /** The repository, for inputs that its files speak about and for values that need one of them; `setup` only. */
  readonly repository?: EvidenceBase;
  readonly prompt?: (missing: readonly InputSpec[]) => Promise<Readonly<Record<string, string>>>;
}

export interface ResolvedInputs {
  readonly values: readonly ResolvedInput[];
  /** Required inputs without a value; {@link requireInputs} makes an error of them. */
  readonly missing: readonly InputSpec[];
}

export interface InputProblem {
  readonly code: ErrorCode;
  /** Full sentence. */
  readonly message: string;
}

/**
 * What is wrong with a value, or undefined. Rules: URLs by `checkUrl` (V7, V8); choices and booleans literally; no
 * control or invisible characters anywhere; no literal secret (contract, section 8).
 */
export function checkInput(spec: InputSpec, value: string): InputProblem | undefined {
  const problem = (code: ErrorCode, message: string): InputProblem => ({ code, message });
  if (spec.type === 'url') {
    const checked = checkUrl(value, {
      ...(spec.pathEndsWith === undefined ? {} : { pathEndsWith: spec.pathEndsWith }),
      allowQuery: spec.allowQuery,
      allowInsecure: spec.allowInsecure,
    });
    return checked.ok ? undefined : problem(checked.code, `${spec.name}: ${checked.message}`);
  }
  if (hasUnsafeCharacters(value)) {
    return problem('input/invalid', `${spec.name} has a control or invisible character in it.`);
  }
  if (spec.type === 'variable' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) {
    // The value is not shown: somebody may have given the key itself.
    return problem(
      'input/invalid',
      `${spec.name} takes the name of an environment variable: letters, digits, "_".`,
    );
  }
  if (isSecretValue(value) || (isSecretName(spec.name) && !isReference(value))) {
    return problem(
      'secret/literal',
      `${spec.name} looks like a credential; inputs stand in a committed file, so none is taken.`,
    );
  }
  if ([...value].length > spec.maxLength) {
    return problem('input/invalid', `${spec.name} is longer than ${spec.maxLength} characters.`);
  }
  const allowed =
    spec.type === 'boolean' ? ['true', 'false'] : spec.type === 'choice' ? spec.choices : undefined;
  if (allowed !== undefined && !allowed.includes(value)) {
    return problem(
      'input/invalid',
      `${spec.name} is ${JSON.stringify(value)}; it can be ${orList(allowed)}.`,
    );
  }
  return undefined;
}

/**
 * The values of an integration's inputs and where each comes from. An empty value counts as unset. Errors:
 * `usage/unknown-input` (exit 2) for a flag of no input; the codes of {@link checkInput} (exit 4).
 */
export async function resolveInputs(
  specs: readonly InputSpec[],
  sources: InputSources,
): Promise<ResolvedInputs> {
  for (const key of Object.keys(sources.flags)) {
    if (!specs.some((spec) => spec.name === key)) throw unknownInput(key, specs);
  }
  const found = new Map<string, ResolvedInput>();
  for (const spec of specs) {
    const value = await candidate(spec, sources);
    if (value !== undefined) found.set(spec.name, value);
  }
  const open = (): InputSpec[] => specs.filter((spec) => spec.required && !found.has(spec.name));
  if (sources.mode === 'setup' && sources.prompt !== undefined && open().length > 0) {
    const answers = await sources.prompt(open());
    for (const spec of open()) {
      const value = own(answers, spec.name);
      if (value !== undefined) found.set(spec.name, { name: spec.name, value, origin: 'prompt' });
    }
  }
  for (const spec of specs) {
    const resolved = found.get(spec.name);
    const problem = resolved === undefined ? undefined : checkInput(spec, resolved.value);
    if (problem !== undefined) throw refused(problem, spec, resolved?.origin);
    if (resolved !== undefined && sources.mode === 'setup' && sources.repository !== undefined)
      requireFiles(spec, resolved.value, sources.repository);
  }
  return { values: specs.flatMap((spec) => found.get(spec.name) ?? []), missing: open() };
}

/**
 * `input/missing` (exit 4) that names every missing input, when there is one. `line` is the command line that wants them,
 * which the remedy repeats with a flag for each.
 */
export function requireInputs(
  ref: string,
  resolved: ResolvedInputs,
  line: string = `tenon setup ${ref}`,
): readonly ResolvedInput[] {
  if (resolved.missing.length === 0) return resolved.values;
  const names = resolved.missing.map((spec) => spec.name);
  throw new TenonError(
    'input/missing',
    `${ref} needs ${names.join(' and ')}, and there is no terminal to ask on.`,
    {
      exit: 4,
      remedy: {
        text: 'Give each of them as a flag',
        command: `${line} ${names.map((name) => `--set ${name}=…`).join(' ')}`,
      },
    },
  );
}

/** Own, non-empty member of a map of texts. */
function own(map: Readonly<Record<string, string | undefined>>, key: string): string | undefined {
  const value = Object.hasOwn(map, key) ? map[key] : undefined;
  return value === '' ? undefined : value;
}

async function candidate(spec: InputSpec, sources: InputSources): Promise<ResolvedInput | undefined> {
  const { name } = spec;
  const flag = own(sources.flags, name);
  if (flag !== undefined) return { name, value: flag, origin: 'flag' };
  if (sources.mode === 'setup' && sources.trusted && isReadable(sources.id, name)) {
    const value = own(sources.env, name);
    if (value !== undefined) return { name, value, origin: 'environment' };
  }
  const earlier = own(sources.manifest, name);
  if (earlier !== undefined) return { name, value: earlier, origin: 'manifest' };
  if (sources.mode === 'setup' && sources.repository !== undefined) {
    const evidence = await evidenceFor(spec, sources.repository);
    if (evidence !== undefined) return { name, origin: 'repository', ...evidence };
  }
  if (spec.default !== undefined && spec.default !== '') {
    return { name, value: spec.default, origin: 'default' };
  }
  return undefined;
}

/** `VERA_API_URL` for the id `vera`, `MY_TOOL_URL` for `my-tool`. */
const isReadable = (id: string, name: string): boolean =>
  name.startsWith(`${id.toUpperCase().replaceAll('-', '_')}_`);

function unknownInput(key: string, specs: readonly InputSpec[]): TenonError {
  const names = specs.map((spec) => spec.name);
  const near = closest(key, names);
  return new TenonError('usage/unknown-input', `--set ${JSON.stringify(key)}: there is no such input.`, {
    exit: 2,
    remedy: {
      text:
        near !== undefined
          ? `Did you mean ${near}?`
          : names.length > 0
            ? `Its inputs are ${names.join(', ')}`
            : 'It has no inputs',
    },
  });
}

const ORIGINS: Readonly<Record<ResolvedInput['origin'], string>> = {
  flag: 'from --set',
  environment: 'from the environment',
  prompt: 'as entered',
  repository: 'from a file of the repository',
  manifest: 'from .tenon/manifest.json or an earlier setup',
  default: 'the default of the definition',
  definition: 'from the definition',
};

function refused(
  problem: InputProblem,
  spec: InputSpec,
  origin: ResolvedInput['origin'] | undefined,
): TenonError {
  const from = origin === undefined ? '' : ` (${ORIGINS[origin]})`;
  return new TenonError(problem.code, `${problem.message.replace(/\.$/, '')}${from}.`, {
    exit: 4,
    remedy:
      problem.code === 'secret/literal'
        ? { text: 'Keep the credential in an environment variable of the coding tool and name that variable' }
        : { text: 'Give another value', command: `tenon setup … --set ${spec.name}=…` },
  });
}

const orList = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
