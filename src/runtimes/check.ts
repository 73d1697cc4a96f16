import { CAPABILITIES, sectionOf } from './capabilities.ts';
import { checkList } from './check-list.ts';
import { placeholdersOf } from './dialect.ts';
import { type RuntimeSpec, RuntimeSpecSchema } from './schema.ts';

/** Either a valid spec or what is wrong with it, each problem with its field: `files.settings.create: …`. */
export type Checked =
  | { readonly spec: RuntimeSpec; readonly problems: readonly [] }
  | { readonly spec: undefined; readonly problems: readonly string[] };

const HOOK_VALUES = ['command', 'commandWindows', 'matcher', 'timeout', 'event'];
const LINE_VALUES = ['script', 'file', 'interpreter', 'args'];
const RULE_VALUES = ['server', 'tool', 'toolName'];
const ENTRY_VALUES = [
  ...['server', 'url', 'headers', 'headersLiteral', 'headersEnv', 'bearerEnv', 'timeoutSeconds', 'timeoutMs'],
  ...['command', 'args', 'commandLine', 'env', 'envVars'],
];

/** Members that belong to one kind of gate. */
const GATE_MEMBERS = [
  ['alone', 'allowed-servers'],
  ['each', 'allowed-servers'],
  ['weaker', 'off-switch'],
  ['parent', 'trust'],
] as const;

/**
 * Validates one spec: shape, then what a shape cannot say (references to files, known placeholders, scopes).
 * `path` (`specs/<id>.json`) must carry the id.
 */
export function checkSpec(value: unknown, path: string): Checked {
  const parsed = RuntimeSpecSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || '(document)'}: ${issue.message}`,
    );
    return { spec: undefined, problems };
  }
  const problems = [...meaning(parsed.data, path)];
  return problems.length === 0 ? { spec: parsed.data, problems: [] } : { spec: undefined, problems };
}

function* meaning(spec: RuntimeSpec, path: string): Generator<string> {
  if (path !== `specs/${spec.id}.json`) yield `id: ${spec.id} does not fit the file name`;
  if (spec.support === 'none' && spec.supportReason === undefined) yield 'supportReason: missing';
  for (const [id, file] of Object.entries(spec.files)) {
    const all = [file, ...Object.values(file.os ?? {})];
    for (const where of all) {
      if (!where.paths.includes(where.create)) yield `files.${id}.create: not one of paths`;
      for (const one of where.paths) {
        const isAbsolute = one.startsWith('/') || /^[A-Za-z]:/u.test(one);
        if (isAbsolute && file.scope !== 'managed') yield `files.${id}.paths: ${one} is absolute`;
        const isHome = one.startsWith('~') || one.startsWith('{env:');
        if (file.scope === 'project' && isHome) yield `files.${id}.paths: ${one} is not in the project`;
      }
    }
  }
  yield* mcp(spec);
  yield* checkList(spec);
  yield* hooks(spec);
  yield* permissions(spec);
  yield* capabilities(spec);
  for (const [index, gate] of spec.gates.entries()) {
    if (spec.files[gate.file] === undefined) yield `gates.${index}.file: there is no file ${gate.file}`;
    for (const [member, kind] of GATE_MEMBERS) {
      if (gate[member] !== undefined && gate.kind !== kind)
        yield `gates.${index}.${member}: belongs to the kind ${kind}, and to no other`;
    }
    if ((gate.kind === 'decision') !== (gate.decision !== undefined))
      yield `gates.${index}.decision: belongs to the kind decision, and to no other`;
  }
}

function* mcp(spec: RuntimeSpec): Generator<string> {
  if (spec.mcp === undefined) return;
  for (const [index, place] of spec.mcp.places.entries()) {
    yield* fileOf(spec, `mcp.places.${index}`, place);
    if (place.at.at(-1) !== '{server}') yield `mcp.places.${index}.at: must end with {server}`;
    yield* known(`mcp.places.${index}.at`, place.at, ['server', 'root']);
  }
  yield* known('mcp.http', spec.mcp.http, ENTRY_VALUES);
  yield* known('mcp.stdio', spec.mcp.stdio, ENTRY_VALUES);
  yield* known('mcp.toolName', spec.mcp.toolName, ['server', 'tool']);
}

function* hooks(spec: RuntimeSpec): Generator<string> {
  if (spec.hooks === undefined) return;
  const { form, item, places, support } = spec.hooks;
  if (form === 'command' && support.state !== 'unsupported' && support.state !== 'unknown') {
    if (item === undefined) yield 'hooks.item: missing';
    for (const [index, place] of places.entries()) {
      if (place.file === undefined || place.at === undefined || place.command === undefined) {
        yield `hooks.places.${index}: file, at and command belong together`;
      }
    }
  }
  yield* known('hooks.item', item, HOOK_VALUES);
  const { review } = spec.hooks;
  if (review !== undefined) {
    if (spec.files[review.file] === undefined) yield `hooks.review.file: there is no file ${review.file}`;
    yield* known('hooks.review.at', review.at, ['hook']);
    yield* known('hooks.review.off.at', review.off?.at, ['hook']);
    yield* known('hooks.review.id', review.id, ['file', 'event', 'group', 'index']);
  }
  for (const [index, place] of places.entries()) {
    if (place.file !== undefined)
      yield* fileOf(spec, `hooks.places.${index}`, { ...place, file: place.file });
    yield* known(`hooks.places.${index}.at`, place.at, ['event']);
    yield* known(`hooks.places.${index}.command`, place.command, LINE_VALUES);
    yield* known(`hooks.places.${index}.commandWindows`, place.commandWindows, LINE_VALUES);
  }
}

function* permissions(spec: RuntimeSpec): Generator<string> {
  for (const decision of ['ask', 'deny', 'allow'] as const) {
    for (const [index, rule] of (spec.permissions?.[decision] ?? []).entries()) {
      const name = `permissions.${decision}.${index}`;
      yield* fileOf(spec, name, rule);
      yield* known(`${name}.at`, rule.at, RULE_VALUES);
      yield* known(`${name}.value`, rule.value, RULE_VALUES);
    }
  }
}

/** One place says what a capability is: its section, or `capabilities`. */
function* capabilities(spec: RuntimeSpec): Generator<string> {
  for (const id of CAPABILITIES) {
    const stated = spec.capabilities?.[id];
    if (stated === undefined) continue;
    if (sectionOf(spec, id) !== undefined) yield `capabilities.${id}: its section says it already`;
    if (stated.reason === undefined) yield `capabilities.${id}.reason: missing`;
  }
}

function* fileOf(
  spec: RuntimeSpec,
  name: string,
  place: { readonly file: string; readonly scope: string },
): Generator<string> {
  const file = spec.files[place.file];
  if (file === undefined) yield `${name}.file: there is no file ${place.file}`;
  else if (file.scope !== place.scope) yield `${name}.scope: ${place.file} is a file of scope ${file.scope}`;
}

function* known(
  name: string,
  template: Parameters<typeof placeholdersOf>[0],
  values: readonly string[],
): Generator<string> {
  for (const placeholder of placeholdersOf(template)) {
    if (!values.includes(placeholder)) yield `${name}: {${placeholder}} has no meaning here`;
  }
}
