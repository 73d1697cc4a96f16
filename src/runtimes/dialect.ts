import { isObject, type Json, setOwn } from '../lib/json.ts';
import type { TemplateValue } from './schema.ts';

/**
 * The values that templates of a spec may name. MCP entries: `server`, `url`, `headers` (references in the runtime's
 * inline syntax), `headersLiteral`, `headersEnv` (header -> variable), `bearerEnv` (variable of `Authorization: Bearer`),
 * `command`, `args`, `commandLine` (command and args in one array), `env` (rendered), `envVars` (names that are passed
 * through), `timeoutSeconds`, `timeoutMs`. Hook items: `command`, `commandWindows`, `matcher`, `timeout`, `event`.
 * Command lines: `script`, `file`, `interpreter`, `args`. Rules: `server`, `tool`, `toolName`. Paths: `name`, `root`.
 */
export type Values = Readonly<Record<string, Json | undefined>>;

const PLACEHOLDER = /\{([a-z][A-Za-z]*)\}/gu;
const WHOLE = /^\{([a-z][A-Za-z]*)\}$/u;

/**
 * A template with its values put in. `undefined` when the whole template is one placeholder without a value; members
 * and items without a value are left out, inside a longer string they give nothing. Inserted text is never read again.
 * Throws on a placeholder that `values` does not declare: that is a fault of the spec.
 */
export function fillTemplate(template: TemplateValue, values: Values): Json | undefined {
  if (typeof template === 'string') {
    const whole = WHOLE.exec(template)?.[1];
    return whole === undefined ? fillText(template, values) : valueFor(whole, values);
  }
  if (Array.isArray(template)) {
    return template.map((item) => fillTemplate(item, values)).filter((item) => item !== undefined);
  }
  if (!isObject(template)) return template;
  const filled: Record<string, Json> = {};
  for (const [name, member] of Object.entries(template)) {
    const value = fillTemplate(member as TemplateValue, values);
    if (value !== undefined) setOwn(filled, name, value);
  }
  return filled;
}

/** A text with its placeholders replaced; values that are no strings appear as JSON. */
export function fillText(template: string, values: Values): string {
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = valueFor(name, values);
    if (value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function valueFor(name: string, values: Values): Json | undefined {
  if (!Object.hasOwn(values, name))
    throw new Error(`the template names {${name}}, which has no meaning here`);
  return values[name];
}

/** Every placeholder that a template names. */
export function placeholdersOf(template: TemplateValue | undefined): ReadonlySet<string> {
  if (!isObject(template)) return namesIn(template);
  let names = known.get(template);
  if (names === undefined) {
    names = namesIn(template);
    known.set(template, names);
  }
  return names;
}

/** Templates of specs are asked about for every server. */
const known = new WeakMap<object, ReadonlySet<string>>();

function namesIn(template: TemplateValue | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') for (const [, name] of value.matchAll(PLACEHOLDER)) names.add(name ?? '');
    else if (Array.isArray(value)) value.forEach(walk);
    else if (isObject(value)) Object.values(value).forEach(walk);
  };
  walk(template);
  return names;
}
