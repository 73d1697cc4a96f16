import { TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { isObject, type Json } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import type { LoadedIntegration } from './types.ts';

/** One default of an integration's versioned block. */
export interface DefaultValue {
  /** `defaults.save_mode` */
  readonly key: string;
  readonly value: Json;
  readonly means: string;
  /** The flag that makes another choice, where there is one. */
  readonly switch?: string;
  /** Why no other choice is taken. */
  readonly refused?: string;
  /** What decides the effective value; the first that applies. */
  readonly decidedBy?: readonly Decider[];
}

/** An input (with one of its values, or with any), the scope, or a part that is left out. */
type Decider =
  | { readonly input: string; readonly equals?: string; readonly value?: Json }
  | { readonly choice: 'scope' }
  | { readonly without: string; readonly value: Json };

export interface DefaultsBlock {
  /** Version of the contract, e.g. 1. */
  readonly contract: number;
  readonly values: readonly DefaultValue[];
}

/** What `--set` and the manifest say: values of inputs, and choices about artifacts and defaults. */
export interface SplitSettings {
  readonly inputs: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, Json>>;
}

const NEWEST_CONTRACT = 1;

/**
 * The versioned block of defaults that the definition ships (contract, section 9), or undefined when it has none. Every
 * member but the version and `overrides` is a group of defaults; `overrides` explains each. Errors:
 * `integration/invalid`, and `integration/unsupported-version` for a newer contract (both exit 4).
 */
export function defaultsOf(loaded: LoadedIntegration): DefaultsBlock | undefined {
  const path = loaded.manifest.defaults;
  if (path === undefined) return undefined;
  const refuse = (why: string): TenonError =>
    new TenonError('integration/invalid', `${loaded.ref}: ${path} ${why}.`, {
      exit: 4,
      remedy: { text: 'Correct the file' },
    });
  const block = parse(loaded.files.get(path));
  if (!isObject(block)) throw refuse('is no JSON object');
  const version = Object.entries(block).find(([key]) => key.endsWith('_integration_contract'))?.[1];
  if (typeof version !== 'number') throw refuse('names no version of its contract');
  if (version > NEWEST_CONTRACT) {
    throw new TenonError(
      'integration/unsupported-version',
      `${loaded.ref}: ${path} follows version ${version} of its contract; this program knows ${NEWEST_CONTRACT}.`,
      { exit: 4, remedy: { text: 'Install a newer version of tenon' } },
    );
  }
  const notes = isObject(block['overrides']) ? block['overrides'] : {};
  const values: DefaultValue[] = [];
  for (const [group, members] of Object.entries(block)) {
    if (group === 'overrides' || !isObject(members)) continue;
    for (const [name, value] of Object.entries(members)) {
      const key = `${group}.${name}`;
      const note = notes[key];
      if (!isObject(note) || typeof note['means'] !== 'string') throw refuse(`does not explain ${key}`);
      values.push({
        key,
        value,
        means: note['means'],
        ...(typeof note['switch'] === 'string' ? { switch: note['switch'] } : {}),
        ...(typeof note['refused'] === 'string' ? { refused: note['refused'] } : {}),
        ...(Array.isArray(note['decidedBy'])
          ? { decidedBy: note['decidedBy'] as unknown as readonly Decider[] }
          : {}),
      });
    }
  }
  return { contract: version, values };
}

export interface EffectiveDefault {
  readonly key: string;
  readonly value: Json;
  /** Of the block. */
  readonly standard: Json;
  /** Another value than that of the block: an override, recorded and shown (guide, "Versioned Defaults"). */
  readonly isOther: boolean;
  /** What decided it; undefined where the block did. */
  readonly by: Decider | undefined;
}

/** Every default as it really is with these choices, in the order of the block. */
export function effectiveDefaults(
  loaded: LoadedIntegration,
  choices: {
    readonly inputs: ReadonlyMap<string, string>;
    readonly scope: string;
    readonly without: readonly string[];
  },
): EffectiveDefault[] {
  return (defaultsOf(loaded)?.values ?? []).map(({ key, value: standard, decidedBy = [] }) => {
    for (const by of decidedBy) {
      const value = decided(by, choices);
      if (value !== undefined)
        return { key, value, standard, isOther: value !== standard, by: value === standard ? undefined : by };
    }
    return { key, value: standard, standard, isOther: false, by: undefined };
  });
}

function decided(by: Decider, choices: Parameters<typeof effectiveDefaults>[1]): Json | undefined {
  if ('choice' in by) return choices.scope;
  if ('without' in by) return choices.without.includes(by.without) ? by.value : undefined;
  const value = choices.inputs.get(by.input);
  if (value === undefined || (by.equals !== undefined && value !== by.equals)) return undefined;
  return by.value ?? value;
}

/**
 * Takes the overrides out of `--set KEY=VALUE`: `artifact=on|off` for an artifact of the definition, and keys of its
 * defaults. The rest are inputs, unknown keys included (`resolveInputs` refuses those). Errors as {@link checkOverrides}.
 */
export function splitOverrides(
  loaded: LoadedIntegration,
  settings: Readonly<Record<string, string>>,
): SplitSettings {
  const inputs: Record<string, string> = {};
  const overrides: Record<string, Json> = {};
  for (const [key, value] of Object.entries(settings)) {
    const isInput = loaded.manifest.inputs.some((input) => input.name === key);
    const isArtifact = loaded.manifest.artifacts.some((artifact) => artifact.name === key);
    if (!isInput && (isArtifact || key.includes('.'))) overrides[key] = value;
    else inputs[key] = value;
  }
  checkOverrides(loaded, overrides);
  return { inputs, overrides };
}

/**
 * Checks overrides, typed now or kept in a manifest, which is repository content. An artifact takes `on` and `off`, a
 * required one only `on`. A default keeps its value: where a flag makes the choice, the message names it; the others
 * (`shared_promotion`, `system_prompt`, `credentials`, forwarding, …) are fixed (contract, section 9). Errors:
 * `override/unknown`, `override/refused` (exit 4).
 */
export function checkOverrides(loaded: LoadedIntegration, overrides: Readonly<Record<string, Json>>): void {
  const values = defaultsOf(loaded)?.values ?? [];
  for (const [key, wanted] of Object.entries(overrides)) {
    const artifacts = loaded.manifest.artifacts.filter((artifact) => artifact.name === key);
    const known = values.find((one) => one.key === key);
    if (artifacts.length > 0) {
      checkSwitch(
        key,
        wanted,
        artifacts.some((artifact) => artifact.required),
      );
    } else if (known === undefined) {
      throw unknown(key, [
        ...values.map((one) => one.key),
        ...loaded.manifest.artifacts.map((one) => one.name),
      ]);
    } else if (String(wanted) !== String(known.value)) {
      throw refused(known);
    }
  }
}

function checkSwitch(name: string, wanted: Json, isRequired: boolean): void {
  const isOff = wanted === 'off' || wanted === false;
  if (!isOff && wanted !== 'on' && wanted !== true) {
    throw new TenonError(
      'override/refused',
      `"${name}" can be on or off, not ${JSON.stringify(String(wanted))}.`,
      {
        exit: 4,
        remedy: { text: 'Switch it', command: `--set ${name}=on` },
      },
    );
  }
  if (isOff && isRequired) {
    throw new TenonError(
      'override/refused',
      `"${name}" cannot be off: the integration does not work without it.`,
      {
        exit: 4,
        remedy: { text: 'Leave it on' },
      },
    );
  }
}

const refused = (known: DefaultValue): TenonError =>
  new TenonError(
    'override/refused',
    `The default ${known.key} is ${JSON.stringify(known.value)}${known.refused === undefined ? '.' : ` and stays so. ${known.refused}`}`,
    {
      exit: 4,
      remedy:
        known.switch === undefined
          ? { text: `Leave ${known.key} out` }
          : { text: `Make the choice with its flag: ${known.switch}` },
    },
  );

function unknown(key: string, names: readonly string[]): TenonError {
  const near = closest(key, names);
  return new TenonError(
    'override/unknown',
    `There is no default or artifact "${printable(key)}" to override.`,
    {
      exit: 4,
      remedy: { text: near === undefined ? `There are ${names.join(', ')}` : `Did you mean ${near}?` },
    },
  );
}

function parse(bytes: Uint8Array | undefined): Json | undefined {
  try {
    return bytes === undefined ? undefined : (JSON.parse(new TextDecoder().decode(bytes)) as Json);
  } catch {
    return undefined;
  }
}
