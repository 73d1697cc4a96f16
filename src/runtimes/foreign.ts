import type { DisplayPath } from '../engine/types.ts';
import type { ErrorCode, Finding } from '../errors/error.ts';
import type { Position } from '../formats/format.ts';
import { isObject, type Json, type JsonPath } from '../lib/json.ts';
import { fillText } from './dialect.ts';
import type { ForeignRuleData } from './schema.ts';
import { showText } from './show.ts';

/** A parsed file and how to find a member in its text. */
export interface ForeignDocument {
  readonly path: DisplayPath;
  readonly value: Json | undefined;
  locate(path: JsonPath): Position | undefined;
}

interface Spot {
  readonly path: JsonPath;
  readonly value: Json;
}

/**
 * What a client makes of content that need not be ours, by the rules of its spec. `data` of each finding: `pointer` path,
 * `line`, `column`, and `dropsFile` when the client then ignores the whole file.
 */
export function foreignFindings(rules: readonly ForeignRuleData[], document: ForeignDocument): Finding[] {
  if (document.value === undefined) return [];
  const root: Spot = { path: [], value: document.value };
  return rules.flatMap((rule) =>
    spotsOf(root, rule.at)
      .filter((spot) => holds(rule, spot))
      .map((spot) => finding(rule, spot, document)),
  );
}

/** The values at a path of a rule; `*` is every member or item. */
function spotsOf(from: Spot, at: readonly string[]): Spot[] {
  const [step, ...rest] = at;
  if (step === undefined) return [from];
  return childrenOf(from)
    .filter((child) => step === '*' || child.path.at(-1) === step)
    .flatMap((child) => spotsOf(child, rest));
}

function childrenOf({ path, value }: Spot): Spot[] {
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => ({ path: [...path, String(index)], value: item }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, member]) => ({ path: [...path, name], value: member }));
}

/** An entry of a client's file is short; a longer text is compared with no expression, which could take long over it. */
const MAX_MATCHED = 2000;

const matches = (expression: string, text: string): boolean =>
  text.length <= MAX_MATCHED && new RegExp(expression, 'u').test(text);

function holds(rule: ForeignRuleData, { path, value }: Spot): boolean {
  const name = path.at(-1) ?? '';
  const text = typeof value === 'string' ? value : undefined;
  const members = isObject(value) ? value : undefined;
  const checks: boolean[] = [];
  if (rule.has !== undefined)
    checks.push(members !== undefined && rule.has.every((key) => Object.hasOwn(members, key)));
  if (rule.lacks !== undefined) {
    checks.push(members !== undefined && rule.lacks.every((key) => !Object.hasOwn(members, key)));
  }
  if (rule.nameMatches !== undefined) checks.push(matches(rule.nameMatches, name));
  if (rule.nameNotIn !== undefined) checks.push(!rule.nameNotIn.includes(name));
  if (rule.valueMatches !== undefined) {
    checks.push(text !== undefined && matches(rule.valueMatches, text));
  }
  if (rule.valueNotIn !== undefined) checks.push(text !== undefined && !rule.valueNotIn.includes(text));
  if (rule.isNot !== undefined) checks.push(typeOf(value) !== rule.isNot);
  return checks.every(Boolean);
}

const typeOf = (value: Json): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

function finding(rule: ForeignRuleData, { path, value }: Spot, document: ForeignDocument): Finding {
  const at = document.locate(path);
  const message = fillText(rule.message, {
    name: showText(path.at(-1) ?? ''),
    path: showText(dotted(path)),
    value: typeof value === 'string' ? showText(value) : '',
    file: document.path,
  });
  return {
    code: rule.code as ErrorCode,
    severity: rule.severity,
    subject: document.path,
    message: at === undefined ? message : `${message} (line ${at.line})`,
    ...(rule.remedy === undefined ? {} : { remedy: { text: rule.remedy } }),
    data: {
      path: [...path],
      ...(at === undefined ? {} : { line: at.line, column: at.column }),
      ...(rule.dropsFile === true ? { dropsFile: true } : {}),
    },
  };
}

/** `permissions.allow[0]`. */
const dotted = (path: JsonPath): string =>
  path.reduce(
    (text, part) => (/^\d+$/u.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
