import type { ArtifactClass } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { equalJson } from '../lib/json.ts';
import { fillTemplate } from './dialect.ts';
import { mcpValues } from './mcp-values.ts';
import { realPathOf } from './paths.ts';
import { chooseFile, documentAt, memberPath } from './places.ts';
import {
  type Draft,
  type Drafts,
  doubtfulReference,
  type Of,
  qualify,
  type RenderInput,
  rulesOf,
  runtimesFor,
  withheld,
} from './render-types.ts';
import type { RuntimeSpec } from './schema.ts';
import { showLaunch, showText } from './show.ts';

/** A server in every chosen runtime; runtimes that share one real file and place share one entry. */
export function renderMcp(one: Of<'mcp-server'>, input: RenderInput): Drafts {
  const drafts: Draft[] = [];
  const findings: Finding[] = [];
  const shared = new Map<string, { draft: Draft; index: number }>();
  const specs = runtimesFor(one, input.specs);
  const created = createdFiles(specs, input);
  for (const spec of specs) {
    const entry = entryFor(one, spec, input, created);
    findings.push(...entry.findings);
    if (entry.draft === undefined) continue;
    const { draft } = entry;
    const key = `${entry.real}\n${JSON.stringify(draft.target.place)}`;
    const known = shared.get(key);
    if (known === undefined) {
      shared.set(key, { draft, index: drafts.length });
      drafts.push(draft);
    } else if (equalJson(known.draft.value, draft.value)) {
      known.draft = join(known.draft, draft);
      drafts[known.index] = known.draft;
    } else {
      const reason = `${draft.target.path} is read by ${known.draft.runtimes.join(', ')} too, which needs another entry`;
      findings.push(withheld(one, spec.id, 'render/shared-differs', reason));
    }
  }
  return { drafts, findings };
}

const join = (known: Draft, other: Draft): Draft => ({
  ...known,
  runtimes: [...known.runtimes, ...other.runtimes],
  switches: [...new Set([...known.switches, ...other.switches])],
  rules: {
    ...known.rules,
    reads: stricter(known.rules.reads, other.rules.reads),
    bom: known.rules.bom === 'rejected' ? 'rejected' : other.rules.bom,
  },
});

const ORDER = ['strict', 'comments', 'jsonc'] as const;
const stricter = (a: (typeof ORDER)[number], b: (typeof ORDER)[number]): (typeof ORDER)[number] =>
  ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b;

interface Entry {
  readonly draft?: Draft;
  readonly real?: string;
  readonly findings: readonly Finding[];
}

/** Files that get their first entry by this, so that a runtime which reads only its strongest file will read them. */
function createdFiles(specs: readonly RuntimeSpec[], input: RenderInput): ReadonlySet<string> {
  const created = specs.flatMap((spec) => {
    const place = spec.mcp?.places.find(({ scope }) => scope === input.scope);
    const file = place === undefined ? undefined : spec.files[place.file];
    const choice = file === undefined ? undefined : chooseFile(file, place?.at ?? [], input);
    return choice === undefined || 'problem' in choice ? [] : [choice.path.display];
  });
  return new Set(created);
}

function entryFor(
  one: Of<'mcp-server'>,
  spec: RuntimeSpec,
  input: RenderInput,
  created: ReadonlySet<string>,
): Entry {
  const { artifact } = one;
  const { mcp } = spec;
  const gate = qualify(one, spec, mcp, 'MCP servers');
  if (!gate.ok || mcp === undefined) return { findings: gate.findings };
  const findings = [...gate.findings];
  const left = (code: Finding['code'], reason: string): Entry => ({
    findings: [withheld(one, spec.id, code, reason)],
  });
  const place = mcp.places.find(({ scope }) => scope === input.scope);
  const file = place === undefined ? undefined : spec.files[place.file];
  if (place === undefined || file === undefined) {
    return left('render/scope-unsupported', `it has no servers of scope ${input.scope}`);
  }
  const transport = artifact.http === undefined ? 'stdio' : 'http';
  const template = mcp[transport];
  if (template === undefined) return left('render/transport', `it starts no ${transport} servers`);
  if (mcp.nameRule !== undefined && !new RegExp(mcp.nameRule, 'u').test(artifact.server)) {
    return left('render/name', `it takes no server named ${artifact.server}`);
  }
  const { values, problems } = mcpValues(artifact, mcp, template, input.scope);
  const fatal = problems.filter((problem) => problem.withhold);
  if (fatal[0] !== undefined) {
    const reason = fatal.map((problem) => problem.message).join('; ');
    return left(fatal[0].code, reason);
  }
  for (const { code, message } of problems)
    findings.push({ code, severity: 'info', subject: spec.id, message });
  findings.push(...doubtfulReference(one, spec));
  const names = { server: artifact.server };
  const at = memberPath(place.at, names, input.root, input.platform, undefined);
  const choice = chooseFile(file, at, { ...input, created });
  if ('problem' in choice) return { findings: [...findings, choice.problem] };
  findings.push(...choice.findings);
  const needsDocument = place.at.includes('{root}');
  const document = needsDocument ? documentAt(choice.path, file.format, input) : undefined;
  const value = fillTemplate(template, values);
  if (value === undefined) throw new Error(`the ${transport} entry of ${spec.id} is empty`);
  return {
    findings,
    real: realPathOf(input, choice.path.abs),
    draft: {
      owner: one.owner,
      runtimes: [spec.id],
      scope: input.scope,
      target: {
        path: choice.path.display,
        format: file.format,
        place: { kind: 'key', path: memberPath(place.at, names, input.root, input.platform, document) },
      },
      value,
      class: classOf(artifact),
      rules: rulesOf(file),
      switches: mcp.switches,
      summary: summaryOf(artifact),
      order: 'normal',
    },
  };
}

/** A server that is started here runs a program; a remote one is a connection (contract, section 1). */
const classOf = (server: Of<'mcp-server'>['artifact']): ArtifactClass =>
  server.http === undefined ? 'executes' : 'connects';

const summaryOf = ({ http, stdio }: Of<'mcp-server'>['artifact']): string =>
  http === undefined
    ? `starts ${showLaunch([stdio?.command ?? '', ...(stdio?.args ?? [])])}`
    : `connects to ${showText(http.url)}`;
