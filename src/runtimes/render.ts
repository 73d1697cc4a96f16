import type { Desired } from '../engine/types.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import type { ExpandedArtifact } from '../integrations/types.ts';
import { assertNever } from '../lib/assert-never.ts';
import { canonicalJson } from '../lib/json.ts';
import { softenCoveredHooks } from './covered-hooks.ts';
import { renderBlock } from './render-block.ts';
import { renderFile, renderIgnoreLine } from './render-file.ts';
import { renderHook } from './render-hook.ts';
import { renderMcp } from './render-mcp.ts';
import { renderPermission } from './render-permission.ts';
import { renderSetting } from './render-setting.ts';
import { renderSkill } from './render-skill.ts';
import { type Draft, type Drafts, type Rendered, type RenderInput, runtimesFor } from './render-types.ts';
import type { RuntimeSpec } from './schema.ts';
import { scopesOf } from './scopes.ts';
import { shadowedFiles } from './shadowing.ts';

/**
 * What the chosen runtimes should hold for these artifacts. Reads files only to choose between several of a runtime;
 * where that can happen the formats must be loaded (or `parse` given). What a runtime cannot take is a finding and left
 * out. Throws `runtime/unsupported` for a runtime that nothing can be written for, `runtime/scope-unsupported` for one
 * without that scope (contract, section 3: then nothing is written for the others either); both exit 4.
 */
export function renderArtifacts(input: RenderInput): Rendered {
  for (const spec of input.specs) requireScope(spec, input);
  const desired = new Map<string, Desired>();
  const findings: Finding[] = [];
  for (const artifact of input.artifacts) {
    const rendered = renderOne(artifact, input);
    findings.push(...rendered.findings);
    for (const draft of rendered.drafts) {
      const key = keyOf(draft);
      const known = desired.get(key);
      const made = { ...draft, trust: input.trustOf(artifact, draft) };
      desired.set(key, known === undefined ? made : shared(known, made));
    }
  }
  findings.push(...shadowedFiles([...desired.values()], input));
  const all = [...desired.values()];
  const rendered = {
    desired: all,
    findings: softenCoveredHooks(distinct(findings), input.artifacts, all),
  };
  for (const spec of input.specs) requireSomething(spec, rendered);
  return rendered;
}

/** A chosen runtime is never left out as a whole without a word (contract, section 4): it takes no servers, and got nothing. */
function requireSomething(spec: RuntimeSpec, { desired, findings }: Rendered): void {
  if (desired.some(({ runtimes }) => runtimes.includes(spec.id))) return;
  const server = findings.find(
    ({ code, subject, data }) =>
      code === 'render/unsupported' && subject === spec.id && data?.['kind'] === 'mcp-server',
  );
  if (server === undefined) return;
  throw new TenonError('runtime/unsupported', server.message, {
    exit: 4,
    remedy: { text: spec.reload.text },
    findings,
  });
}

function renderOne(one: ExpandedArtifact, input: RenderInput): Drafts {
  const { artifact } = one;
  switch (artifact.kind) {
    case 'mcp-server':
      return renderMcp({ ...one, artifact }, input);
    case 'skill':
      return renderSkill({ ...one, artifact }, input);
    case 'hook':
      return renderHook({ ...one, artifact }, input);
    case 'permission':
      return renderPermission({ ...one, artifact }, input);
    case 'setting':
      return renderSetting({ ...one, artifact }, input);
    case 'block':
      return renderBlock({ ...one, artifact }, input);
    case 'file':
      return renderFile({ ...one, artifact }, input);
    case 'ignore-line':
      return renderIgnoreLine({ ...one, artifact }, input);
    default:
      return assertNever(artifact);
  }
}

function requireScope(spec: RuntimeSpec, { scope, artifacts }: RenderInput): void {
  if (spec.support === 'none') {
    throw new TenonError(
      'runtime/unsupported',
      `nothing can be written for ${spec.title}: ${spec.supportReason ?? 'it has no files'}`,
      { exit: 4, remedy: { text: spec.reload.text } },
    );
  }
  const wantsServers = artifacts.some(
    (one) => one.artifact.kind === 'mcp-server' && runtimesFor(one, [spec]).length > 0,
  );
  const scopes = scopesOf(spec, wantsServers ? 'servers' : 'anything');
  if (scopes.includes(scope)) return;
  const others = scopes.length === 0 ? 'no scope' : scopes.join(', ');
  throw new TenonError(
    'runtime/scope-unsupported',
    `${spec.title} has no ${scope} scope; it has ${others}${spec.scopesNote === undefined ? '' : ` (${spec.scopesNote})`}`,
    {
      exit: 4,
      remedy: {
        text:
          scopes[0] === undefined
            ? 'choose other runtimes'
            : `leave ${spec.id} out, or set it up on its own with --scope ${scopes[0]}`,
      },
    },
  );
}

/** Things of one integration that are the same thing: a script that two hooks call. */
const keyOf = ({ owner, target, value }: Draft): string =>
  canonicalJson([owner.integration, target.path, JSON.stringify(target.place), value]);

const shared = (known: Desired, other: Desired): Desired => ({
  ...known,
  runtimes: [...new Set([...known.runtimes, ...other.runtimes])],
  trust: known.trust === 'untrusted' ? known.trust : other.trust,
});

function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Map(
    findings.map((finding) => [JSON.stringify([finding.code, finding.subject, finding.message]), finding]),
  );
  return [...seen.values()];
}
