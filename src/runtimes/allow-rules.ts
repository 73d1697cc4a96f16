import type { DisplayPath, RuntimeId } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { Place } from '../formats/format.ts';
import { equalJson, getIn, isObject, type Json, type JsonPath } from '../lib/json.ts';
import { matchesWildcard } from '../lib/wildcard.ts';
import type { ForeignDocument } from './foreign.ts';
import type { RuntimeSpec } from './schema.ts';
import { showText } from './show.ts';

/** A rule of ours that asks or denies, where it stands. */
export interface GuardingRule {
  readonly path: DisplayPath;
  readonly place: Place;
  readonly value: Json;
}

type Permissions = NonNullable<RuntimeSpec['permissions']>;
type Decision = Permissions['ask'][number];

interface Allowing {
  readonly at: JsonPath;
  readonly pattern: string;
  readonly tools: string[];
  /** The client takes this rule and not ours. */
  readonly wins: boolean;
}

/**
 * Rules in a document that allow a tool for which a rule of ours asks or denies (contract, section 4): `config/rule-order`,
 * an error, where the client takes the other rule, and `config/allowed-too` where ours decides as long as it stands.
 * `data`: `file`, `line` and `column` of the rule, `runtimes`.
 */
export function allowFindings(
  spec: Pick<RuntimeSpec, 'id' | 'title' | 'permissions'>,
  rules: readonly GuardingRule[],
  document: ForeignDocument,
): Finding[] {
  const { permissions } = spec;
  if (permissions === undefined || document.value === undefined) return [];
  const found = new Map<string, Allowing>();
  for (const rule of rules) {
    const name = toolOf(permissions, rule);
    if (name === undefined) continue;
    for (const { at, pattern, wins } of allowing(permissions, rule, name, document)) {
      const key = `${JSON.stringify(at)} ${wins}`;
      const same = found.get(key) ?? { at, pattern, tools: [], wins };
      same.tools.push(name);
      found.set(key, same);
    }
  }
  return [...found.values()].map((one) => finding(spec, one, document));
}

/** The tool that a rule of ours is about; undefined for one that allows, and for a setting of a whole server. */
function toolOf(permissions: Permissions, { place, value }: GuardingRule): string | undefined {
  for (const rule of [...permissions.ask, ...permissions.deny]) {
    if (rule.granularity !== 'tool' || rule.kind !== place.kind) continue;
    const name =
      place.kind === 'item'
        ? equalJson([...rule.at], [...place.path])
          ? nameIn(rule.value, value)
          : undefined
        : place.kind === 'key' && equalJson(rule.value as Json, value)
          ? nameIn([...rule.at], [...place.path])
          : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

function* allowing(
  permissions: Permissions,
  ours: GuardingRule,
  name: string,
  document: ForeignDocument,
): Generator<Omit<Allowing, 'tools'>> {
  const seen = new Set<string>();
  for (const rule of permissions.allow) {
    const at = rule.kind === 'key' ? rule.at.slice(0, -1) : rule.at;
    const isSameList = document.path === ours.path && equalJson([...at], containerOf(ours.place));
    if (rule.granularity !== 'tool' || seen.has(JSON.stringify(at))) continue;
    seen.add(JSON.stringify(at));
    const entries = entriesOf(rule, getIn(document.value, at));
    const own = isSameList ? entries.findIndex((entry) => isOurs(entry, ours)) : -1;
    for (const [index, entry] of entries.entries()) {
      const pattern = patternOf(rule, entry);
      if (pattern === undefined || !covers(pattern, name, permissions)) continue;
      const wins =
        own !== -1 &&
        ((permissions.firstMatchWins === true && index < own) || (permissions.lastMatchWins && index > own));
      yield { at: [...at, entry.key], pattern, wins };
    }
  }
}

/** A member of the object, or an item of the list, that holds a client's rules. */
interface Entry {
  readonly key: string;
  readonly value: Json;
}

function entriesOf(rule: Decision, container: Json | undefined): Entry[] {
  const fits = rule.kind === 'item' ? Array.isArray(container) : isObject(container);
  return fits ? Object.entries(container as Json[]).map(([key, value]) => ({ key, value })) : [];
}

const containerOf = (place: Place): string[] =>
  place.kind === 'item' ? [...place.path] : place.kind === 'key' ? place.path.slice(0, -1) : [];

const isOurs = (entry: Entry, { place, value }: GuardingRule): boolean =>
  place.kind === 'key' ? entry.key === place.path.at(-1) : equalJson(entry.value, value);

/** What an entry allows, as its client writes it; undefined for an entry that says something else. */
const patternOf = (rule: Decision, { key, value }: Entry): string | undefined =>
  rule.kind === 'item'
    ? nameIn(rule.value, value)
    : equalJson(rule.value as Json, value)
      ? nameIn(rule.at.at(-1), key)
      : undefined;

/** What stands at `{toolName}` in a value that is otherwise as the template says. */
function nameIn(template: unknown, value: Json | undefined): string | undefined {
  if (template === '{toolName}') return typeof value === 'string' ? value : undefined;
  const members: readonly [string, unknown][] =
    Array.isArray(template) || isObject(template) ? Object.entries(template) : [];
  if (members.length === 0 || value === undefined || (!Array.isArray(value) && !isObject(value)))
    return undefined;
  let name: string | undefined;
  for (const [key, part] of members) {
    const there = (value as Readonly<Record<string, Json>>)[key];
    const found = nameIn(part, there);
    if (found !== undefined) name = found;
    else if (there === undefined || !equalJson(part as Json, there)) return undefined;
  }
  return name;
}

/** Exact, by wildcard, or by the name of the server alone, where the client has such rules. */
const covers = (pattern: string, name: string, { serverRuleBefore: end }: Permissions): boolean =>
  (end !== undefined && name.startsWith(pattern + end)) || matchesWildcard(pattern, name, { single: true });

function finding(
  { id, title }: Pick<RuntimeSpec, 'id' | 'title'>,
  { at, pattern, tools, wins }: Allowing,
  document: ForeignDocument,
): Finding {
  const where = document.locate(at);
  const line = where === undefined ? '' : ` in line ${where.line}`;
  const [first = '', ...more] = tools;
  const about = `${showText(first)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  const ours = more.length === 0 ? 'our rule for it' : 'our rules for them';
  const rule = `${showText(pattern)}${line} of ${document.path} allows ${about} in ${title}`;
  return {
    code: wins ? 'config/rule-order' : 'config/allowed-too',
    severity: wins ? 'error' : 'info',
    subject: document.path,
    message: wins
      ? `${rule}, and decides over ${ours}`
      : `${rule}; ${ours} ${more.length === 0 ? 'decides' : 'decide'} as long as both stand`,
    remedy: {
      text: wins
        ? `Move ${showText(pattern)} to where ours decides, take it out, or leave ours out with --without permissions`
        : `Take ${showText(pattern)} out if a question is wanted without ours, too`,
    },
    data: {
      file: document.path,
      ...(where === undefined ? {} : { line: where.line, column: where.column }),
      runtimes: [id satisfies RuntimeId],
    },
  };
}
