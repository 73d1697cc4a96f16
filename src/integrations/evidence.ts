import { TenonError } from '../errors/error.ts';
import { formatOf, loadFormats } from '../formats/index.ts';
import { isObject, type Json } from '../lib/json.ts';
import { testPattern } from '../lib/pattern.ts';
import { printable } from '../lib/printable.ts';
import { isWithin, pathsOf } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import type { EvidenceSpec, InputSpec } from './schema.ts';

/** A value of an input that a file of the repository speaks for. */
export interface Evidence {
  readonly value: string;
  /** `pyproject.toml lists it under project.dependencies`: for the plan, one line, escaped. */
  readonly says: string;
}

export interface EvidenceBase {
  readonly root: AbsPath;
  readonly reader: Reader;
  readonly platform: NodeJS.Platform;
}

const MAX_BYTES = 1024 * 1024;

/**
 * What the repository's own files say about an input, the first rule that fits; undefined when none does. A file that is
 * missing says nothing. One that is there and cannot be read, or says what is no choice, is `input/evidence-invalid`
 * (exit 4): guessing past it would choose another value than the repository means.
 */
export async function evidenceFor(spec: InputSpec, base: EvidenceBase): Promise<Evidence | undefined> {
  const rules = spec.evidence ?? [];
  if (rules.length === 0) return undefined;
  await loadFormats(['json', 'toml']);
  for (const rule of rules) {
    const document = read(spec, rule, base);
    if (document === undefined) continue;
    for (const found of at(document, rule.at)) {
      const text = typeof found.value === 'string' ? found.value : '';
      if (rule.matches !== undefined && testPattern(rule.matches, 'iu', text) !== true) continue;
      const value = rule.value ?? text;
      const allowed = spec.choices ?? [value];
      if (!allowed.includes(value)) {
        throw refuse(
          rule.file,
          `${spec.name} is ${printable(JSON.stringify(value.slice(0, 60)))} there, which is none of ${allowed.join(', ')}`,
        );
      }
      return { value, says: `${rule.file} ${rule.says}` };
    }
  }
  return undefined;
}

/** Error `input/contradiction` (exit 4) when a value needs a file that the repository does not have. */
export function requireFiles(spec: InputSpec, value: string, base: EvidenceBase): void {
  for (const need of spec.needs ?? []) {
    if (!need.equals.includes(value) || pathOf(need.file, base) !== undefined) continue;
    throw new TenonError(
      'input/contradiction',
      `${spec.name} is ${value}, and there is no ${need.file} here: ${need.why}.`,
      { exit: 4, remedy: { text: 'Give another value', command: `tenon setup … --set ${spec.name}=…` } },
    );
  }
}

/** The file inside the root, links followed; undefined where there is none, or where it lies outside. */
function pathOf(file: string, { root, reader, platform }: EvidenceBase): AbsPath | undefined {
  const path = pathsOf(platform).join(root, file);
  if (reader.stat(path)?.kind !== 'file') return undefined;
  const real = reader.realpath(path);
  return real !== undefined && isWithin(reader.realpath(root) ?? root, real, platform) ? path : undefined;
}

function read(spec: InputSpec, rule: EvidenceSpec, base: EvidenceBase): Json | undefined {
  const path = pathOf(rule.file, base);
  if (path === undefined) return undefined;
  if ((base.reader.stat(path)?.size ?? 0) > MAX_BYTES) throw refuse(rule.file, 'it is larger than 1 MB');
  const bytes = base.reader.readFile(path, MAX_BYTES);
  const parsed =
    bytes === undefined ? undefined : formatOf(rule.format).parse(new TextDecoder().decode(bytes));
  if (parsed?.ok === true) return parsed.value;
  throw refuse(rule.file, `it cannot be read, and ${spec.name} may stand in it`);
}

const refuse = (file: string, why: string): TenonError =>
  new TenonError('input/evidence-invalid', `${file}: ${why}.`, {
    exit: 4,
    remedy: {
      text: 'Correct the file, or say the value yourself',
      command: 'tenon setup … --set NAME=VALUE',
    },
  });

/** Every value at a path; `*` is each member or item. A member that is reached by its name counts even as an object. */
function* at(value: Json, path: readonly string[]): Generator<{ readonly value: Json }> {
  const [head, ...rest] = path;
  if (head === undefined) {
    yield { value };
    return;
  }
  const members = Array.isArray(value)
    ? head === '*'
      ? (value as readonly Json[])
      : []
    : isObject(value)
      ? head === '*'
        ? Object.values(value)
        : Object.hasOwn(value, head)
          ? [value[head] as Json]
          : []
      : [];
  for (const member of members) yield* at(member, rest);
}
