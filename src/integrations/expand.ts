import { TenonError } from '../errors/error.ts';
import type { Json } from '../lib/json.ts';
import { isObject, setOwn } from '../lib/json.ts';
import { filePlaceholders, fillFile, fillText, placeholdersOf, type Values } from './placeholders.ts';
import type { Artifact, ConditionSpec, LoginSpec } from './schema.ts';
import type { ExpandedArtifact, LoadedIntegration, ResolvedInput } from './types.ts';

/** The parts that `--without` names (contract, section 3) and the artifacts they stand for. */
export const PARTS: Readonly<Record<string, readonly Artifact['kind'][]>> = {
  mcp: ['mcp-server'],
  hooks: ['hook'],
  skills: ['skill'],
  permissions: ['permission'],
  blocks: ['block'],
};

export interface ExpandChoices {
  /** Parts to leave out; a name that is none of {@link PARTS} is `usage/unknown-part`. */
  readonly without: readonly string[];
  /** The chosen runtimes. */
  readonly runtimes: readonly string[];
  /** Artifact name -> on or off; other keys are defaults and do not concern artifacts. */
  readonly overrides: Readonly<Record<string, Json>>;
}

type Conditional = Pick<Artifact, 'when'>;

const conditionsOf = ({ when }: Conditional): readonly ConditionSpec[] =>
  when === undefined ? [] : Array.isArray(when) ? when : [when];

/**
 * Whether an artifact is for a runtime. One that is for some of the chosen runtimes stays in, conditions included;
 * rendering decides for each of them.
 */
function isForRuntime(artifact: Artifact, runtime: string): boolean {
  return conditionsOf(artifact).every(
    (condition) =>
      (condition.runtime === undefined || condition.runtime.includes(runtime)) &&
      !(condition.notRuntime ?? []).includes(runtime),
  );
}

function inputsHold(artifact: Conditional, values: Values): boolean {
  return conditionsOf(artifact).every((condition) => {
    if (condition.input === undefined) return true;
    const value = values.get(condition.input);
    if (condition.equals === undefined) return value !== undefined;
    const wanted = typeof condition.equals === 'string' ? [condition.equals] : condition.equals;
    return value !== undefined && wanted.includes(value);
  });
}

const isOn = (artifact: Artifact, overrides: ExpandChoices['overrides']): boolean => {
  const override = Object.hasOwn(overrides, artifact.name) ? overrides[artifact.name] : undefined;
  if (override === undefined) return artifact.default === 'on';
  return override === true || override === 'on';
};

/**
 * The artifacts of an integration for these inputs and choices: conditions decided, parts left out, every `{INPUT}`
 * replaced. An array element or map entry whose placeholder has no value is left out; anywhere else that is
 * `integration/missing-value`. A placeholder of no declared input is `integration/unknown-placeholder`. Both exit 4.
 */
export function expandIntegration(
  loaded: LoadedIntegration,
  inputs: readonly ResolvedInput[],
  choices: ExpandChoices,
): ExpandedArtifact[] {
  const values = valuesOf(inputs);
  const suppressed = new Set<string>(choices.without.flatMap((part) => kindsOf(part)));
  const files = expandFiles(loaded, values);
  const expanded: ExpandedArtifact[] = [];
  const names = new Set<string>();
  for (const artifact of loaded.manifest.artifacts) {
    if (suppressed.has(artifact.kind) || !inputsHold(artifact, values)) continue;
    if (!isOn(artifact, choices.overrides)) continue;
    if (!choices.runtimes.some((runtime) => isForRuntime(artifact, runtime))) continue;
    if (names.has(artifact.name)) {
      throw invalid(loaded, `two artifacts named "${artifact.name}" would exist at the same time`);
    }
    names.add(artifact.name);
    expanded.push({
      artifact: isTyped(loaded) ? artifact : fillArtifact(loaded, artifact, values),
      owner: { integration: loaded.ref, artifact: artifact.name, version: loaded.manifest.version },
      source: loaded.source,
      files,
    });
  }
  return expanded;
}

export interface ExpandedEndpoint {
  readonly kind: 'health' | 'mcp';
  readonly url: string;
}

/** The endpoints to check; one whose inputs have no value is left out. Errors as {@link expandIntegration}. */
export function expandEndpoints(
  loaded: LoadedIntegration,
  inputs: readonly ResolvedInput[],
): ExpandedEndpoint[] {
  const values = valuesOf(inputs);
  return loaded.manifest.endpoints.flatMap((endpoint) => {
    if (isTyped(loaded)) return [{ ...endpoint }];
    checkNames(loaded, endpoint.url);
    const url = fillText(endpoint.url, values);
    return url === undefined ? [] : [{ kind: endpoint.kind, url }];
  });
}

/** The steps that are left to the user; one whose inputs have no value is left out. */
export function expandNextSteps(loaded: LoadedIntegration, inputs: readonly ResolvedInput[]): string[] {
  const values = valuesOf(inputs);
  return loaded.manifest.nextSteps.flatMap((step) => {
    checkNames(loaded, step);
    return fillText(step, values) ?? [];
  });
}

/** What is to be said of these inputs: the disclosures whose conditions hold, values put in. */
export function expandDisclosures(loaded: LoadedIntegration, inputs: readonly ResolvedInput[]): string[] {
  const values = valuesOf(inputs);
  return (loaded.manifest.discloses ?? []).flatMap((one) => {
    if (!inputsHold(one, values)) return [];
    checkNames(loaded, one.text);
    return fillText(one.text, values) ?? [];
  });
}

export interface ExpandedLogin {
  readonly spec: LoginSpec;
  /** What the deciding input says. */
  readonly way: 'client' | 'reference' | 'literal';
  readonly api: string;
  readonly mcp: string;
  /** No writes are wanted: a token for reading is all that is asked for. */
  readonly readOnly: boolean;
}

/** How callers of this integration log in; undefined where it does not say, or is not bundled. */
export function expandLogin(
  loaded: LoadedIntegration,
  inputs: readonly ResolvedInput[],
): ExpandedLogin | undefined {
  const spec = loaded.manifest.login;
  if (spec === undefined || loaded.source !== 'bundled') return undefined;
  const values = valuesOf(inputs);
  const api = fillText(spec.api, values);
  const mcp = fillText(spec.mcp, values);
  if (api === undefined || mcp === undefined) return undefined;
  const chosen = values.get(spec.input);
  const way = chosen === spec.literal ? 'literal' : chosen === spec.reference ? 'reference' : 'client';
  const readOnly = spec.scopes.readOnlyWhen.some(({ input, equals }) => values.get(input) === equals);
  return { spec, way, api, mcp, readOnly };
}

/** What was typed into `tenon add` is meant literally; braces in it are no placeholders. */
const isTyped = (loaded: LoadedIntegration): boolean => loaded.ref.startsWith('add:');

const valuesOf = (inputs: readonly ResolvedInput[]): Values =>
  new Map(inputs.map((input) => [input.name, input.value]));

function kindsOf(part: string): readonly Artifact['kind'][] {
  const kinds = Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  if (kinds !== undefined) return kinds;
  throw new TenonError('usage/unknown-part', `There is no part "${part}" to leave out.`, {
    exit: 2,
    remedy: { text: `Name one or more of ${Object.keys(PARTS).join(', ')}` },
  });
}

function expandFiles(loaded: LoadedIntegration, values: Values): ReadonlyMap<string, Uint8Array> {
  if (loaded.manifest.expand.length === 0) return loaded.files;
  const files = new Map(loaded.files);
  for (const path of loaded.manifest.expand) {
    const bytes = files.get(path);
    if (bytes === undefined) throw invalid(loaded, `the file "${path}" that \`expand\` lists is missing`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    for (const name of filePlaceholders(path, text)) checkName(loaded, name);
    files.set(path, new TextEncoder().encode(fillFile(path, text, values)));
  }
  return files;
}

function fillArtifact(loaded: LoadedIntegration, artifact: Artifact, values: Values): Artifact {
  const filled: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(artifact)) {
    // Conditions name inputs, they hold no placeholders.
    const done = key === 'when' ? value : fill(loaded, value as Json, values);
    if (done === undefined) {
      throw new TenonError(
        'integration/missing-value',
        `${loaded.ref}: artifact "${artifact.name}" needs a value for ${placeholdersOf(JSON.stringify(value)).join(', ')} in \`${key}\`, and there is none.`,
        { exit: 4, remedy: { text: 'Give the value with --set NAME=VALUE' } },
      );
    }
    filled[key] = done;
  }
  return filled as Artifact;
}

/** undefined = the value holds a placeholder without a value. */
function fill(loaded: LoadedIntegration, value: Json, values: Values): Json | undefined {
  if (typeof value === 'string') {
    checkNames(loaded, value);
    return fillText(value, values);
  }
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((item) => {
      const done = fill(loaded, item, values);
      return done === undefined ? [] : [done];
    });
  }
  if (!isObject(value)) return value;
  const filled: { [key: string]: Json } = {};
  for (const [key, member] of Object.entries(value)) {
    const name = fill(loaded, key, values);
    const done = fill(loaded, member, values);
    if (done === undefined && REQUIRED_MEMBERS.has(key)) return undefined;
    if (done !== undefined && typeof name === 'string') setOwn(filled, name, done);
  }
  return filled;
}

/** Members without which an entry means something else; all others (headers, env) may be left out. */
const REQUIRED_MEMBERS: ReadonlySet<string> = new Set(['url', 'command']);

function checkNames(loaded: LoadedIntegration, text: string): void {
  for (const name of placeholdersOf(text)) checkName(loaded, name);
}

function checkName(loaded: LoadedIntegration, name: string): void {
  if (loaded.manifest.inputs.some((input) => input.name === name)) return;
  throw new TenonError(
    'integration/unknown-placeholder',
    `${loaded.ref}: the placeholder {${name}} belongs to no declared input.`,
    {
      exit: 4,
      remedy: { text: `Declare an input "${name}" in its integration.json, or write the text out` },
    },
  );
}

const invalid = (loaded: LoadedIntegration, why: string): TenonError =>
  new TenonError('integration/invalid', `${loaded.ref}: ${why}.`, {
    exit: 4,
    remedy: { text: 'Correct its integration.json', command: 'tenon validate <folder>' },
  });
