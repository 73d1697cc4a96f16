import type { Finding } from '../errors/error.ts';
import type { Place } from '../formats/format.ts';
import type { Json } from '../lib/json.ts';
import { fillTemplate, fillText } from './dialect.ts';
import { chooseFile } from './places.ts';
import {
  type Draft,
  type Drafts,
  type Of,
  qualify,
  type RenderInput,
  rulesOf,
  runtimesFor,
  withheld,
} from './render-types.ts';
import type { RuntimeSpec } from './schema.ts';

type Rule = NonNullable<RuntimeSpec['permissions']>['ask'][number];
type Permission = Of<'permission'>;

/** Consent rules: one per tool, or the one setting that a runtime has for a whole server. */
export function renderPermission(one: Permission, input: RenderInput): Drafts {
  const drafts: Draft[] = [];
  const findings: Finding[] = [];
  for (const spec of runtimesFor(one, input.specs)) {
    const gate = qualify(one, spec, spec.permissions, 'permission rules');
    if (!gate.ok || spec.permissions === undefined) {
      findings.push(...gate.findings);
      continue;
    }
    const { decision } = one.artifact;
    const rules = spec.permissions[decision];
    const rule = rules.find(({ scope }) => scope === input.scope);
    if (rule === undefined) {
      const code = rules.length === 0 ? 'render/no-decision' : 'render/scope-unsupported';
      const reason =
        rules.length === 0
          ? `it has no rule that says ${decision}`
          : `it has no rules of scope ${input.scope}`;
      findings.push(withheld(one, spec.id, code, reason));
      continue;
    }
    const rendered = rulesFor(one, spec, rule, input);
    drafts.push(...rendered.drafts);
    findings.push(...gate.findings, ...rendered.findings);
  }
  return { drafts, findings };
}

function rulesFor(one: Permission, spec: RuntimeSpec, rule: Rule, input: RenderInput): Drafts {
  const { server, tools, decision } = one.artifact;
  const file = spec.files[rule.file];
  if (file === undefined) throw new Error(`${spec.id} has no file ${rule.file}`);
  const toolName = spec.mcp?.toolName ?? '{tool}';
  const first = rule.at.map((part) => fillText(part, { server, tool: '', toolName: '' }));
  const choice = chooseFile(file, first, input);
  if ('problem' in choice) return { drafts: [], findings: [choice.problem] };
  const drafts = (rule.granularity === 'server' ? ['*'] : tools).map((tool): Draft => {
    const values = { server, tool, toolName: fillText(toolName, { server, tool }) };
    const path = rule.at.map((part) => fillText(part, values));
    const value = fillTemplate(rule.value, values) as Json;
    const place: Place = rule.kind === 'item' ? { kind: 'item', path, value } : { kind: 'key', path };
    const within = place.kind === 'key' ? entryAround(path, spec, server, rule, input) : undefined;
    const what = rule.granularity === 'server' ? `tools of ${server}` : values.toolName;
    return {
      owner: one.owner,
      runtimes: [spec.id],
      scope: input.scope,
      target: { path: choice.path.display, format: file.format, place },
      value,
      class: 'grants',
      rules: rulesOf(file),
      switches: [],
      ...(within === undefined ? {} : { within }),
      summary:
        decision === 'ask' ? `asks before ${what}` : `${decision === 'deny' ? 'denies' : 'allows'} ${what}`,
      order: 'normal',
    };
  });
  return { drafts, findings: choice.findings };
}

/** The server's entry that a setting belongs into; the engine composes the two (contract, section 4). */
function entryAround(
  path: readonly string[],
  spec: RuntimeSpec,
  server: string,
  rule: Rule,
  input: RenderInput,
): string[] | undefined {
  const place = spec.mcp?.places.find(({ scope, file }) => scope === input.scope && file === rule.file);
  const entry = place?.at.map((part) => fillText(part, { server, root: input.root }));
  const isInside = entry?.every((part, index) => part === path[index]) && entry.length < path.length;
  return isInside ? entry : undefined;
}
