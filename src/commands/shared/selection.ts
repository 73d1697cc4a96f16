import type { Context } from '../../cli/context.ts';
import type { Desired, Enrolment } from '../../engine/types.ts';
import { composeWishes, type Wishes } from '../../engine/wishes.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { formatOf, loadFormats } from '../../formats/index.ts';
import { expandIntegration } from '../../integrations/expand.ts';
import { type ResolvedInputs, resolveInputs } from '../../integrations/inputs.ts';
import { loadInstance, loadIntegration } from '../../integrations/load.ts';
import { serverFromDefinition } from '../../integrations/server.ts';
import type { LoadedIntegration, ResolvedInput } from '../../integrations/types.ts';
import { getIn, type JsonPath } from '../../lib/json.ts';
import { renderArtifacts } from '../../runtimes/render.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import { fromDisplay } from '../../system/paths.ts';
import type { TrustQuestion } from '../../trust/policy.ts';
import { disclosures } from './disclosures.ts';
import { heldCredentials, withCredentials } from './held-credentials.ts';
import { otherScopes } from './other-scopes.ts';
import { missingRequirements } from './requirements.ts';
import { setupLine } from './setup-line.ts';
import type { Workspace } from './workspace.ts';

/** One integration with everything that was chosen for it. */
export interface Selection {
  readonly enrolment: Enrolment;
  readonly loaded: LoadedIntegration;
  readonly inputs: readonly ResolvedInput[];
  /** Every input and override was decided on this host: typed, answered, or approved before. Absent = the manifest says them. */
  readonly ownChoices?: boolean;
}

/** The selection that an enrolment stands for, with today's definition; inputs as they were set up. */
export async function selectionOf(
  context: Context,
  workspace: Workspace,
  enrolment: Enrolment,
): Promise<Selection> {
  const loaded = await loadEnrolled(context, workspace, enrolment);
  const resolved = await resolveInputs(loaded.manifest.inputs, {
    id: loaded.manifest.id,
    mode: 'later',
    flags: {},
    env: {},
    manifest: { ...enrolment.inputs, ...enrolment.localInputs },
    trusted: loaded.source === 'bundled',
  });
  return { enrolment, loaded, inputs: requireHeld(enrolment, resolved) };
}

/**
 * The inputs of what is set up already; nobody is asked for them here. Those of a setup with `--local` are known to the
 * host that made it alone: another one is told how to give them without writing them into the manifest.
 */
function requireHeld(enrolment: Enrolment, { values, missing }: ResolvedInputs): readonly ResolvedInput[] {
  if (missing.length === 0) return values;
  const { integration, scope, inputs } = enrolment;
  const names = missing.map(({ name }) => name);
  const isProject = scope === 'project';
  const keepsLocal = isProject && Object.keys(inputs).length === 0;
  const line = `${setupLine(enrolment)}${keepsLocal ? ' --local' : ''}`;
  throw new TenonError(
    'input/missing',
    `${integration} needs ${names.join(' and ')}, and neither ${isProject ? 'the manifest nor this host' : 'the record of its setup nor its definition'} has a value`,
    {
      exit: 4,
      remedy: {
        text: keepsLocal
          ? 'Give them for this host alone, as they were given where it was set up'
          : 'Give each of them as a flag',
        command: `${line} ${names.map((name) => `--set ${name}=…`).join(' ')}`,
      },
    },
  );
}

async function loadEnrolled(
  context: Context,
  workspace: Workspace,
  enrolment: Enrolment,
): Promise<LoadedIntegration> {
  const { integration, server, of } = enrolment;
  if (integration.startsWith('add:')) {
    return serverFromDefinition(integration.slice('add:'.length), server, 'repository');
  }
  const { system, packageDir } = context;
  return of === undefined
    ? loadIntegration(system.reader, packageDir, workspace.root, integration)
    : loadInstance(system.reader, packageDir, workspace.root, integration, of);
}

export interface Rendered extends Wishes {
  readonly desired: readonly Desired[];
}

/** Renders selections for their runtimes and composes the result. Reads files; writes nothing. */
export async function renderSelections(
  context: Context,
  workspace: Workspace,
  selections: readonly Selection[],
  trustOf: (question: TrustQuestion) => Desired['trust'],
  credentials: 'ask' | 'held' = 'held',
): Promise<Rendered> {
  const { system } = context;
  await loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']);
  const desired: Desired[] = [];
  const findings: Finding[] = [];
  for (const selection of selections) {
    const { enrolment, loaded, inputs } = selection;
    const specs = enrolment.runtimes.flatMap((id): readonly RuntimeSpec[] => {
      const spec = workspace.specs.get(id);
      return spec === undefined ? [] : [spec];
    });
    const artifacts = expandIntegration(loaded, inputs, {
      without: enrolment.without,
      runtimes: enrolment.runtimes,
      overrides: enrolment.overrides,
    });
    const rendered = renderArtifacts({
      specs,
      artifacts,
      scope: enrolment.scope,
      reader: system.reader,
      root: workspace.root,
      home: system.host.home,
      env: system.host.env,
      platform: system.host.platform,
      trustOf: (artifact, draft) =>
        trustOf({ loaded, enrolment, artifact, draft, ownChoices: selection.ownChoices === true }),
      interpreterPresent: (name) => system.exec.which(name) !== undefined,
    });
    const marked = withCredentials(context, workspace, selection, rendered.desired);
    const held =
      credentials === 'ask' ? { desired: marked, findings: [] } : heldCredentials(workspace, marked);
    desired.push(...held.desired);
    findings.push(...rendered.findings, ...held.findings);
  }
  const wishes = composeWishes(desired, (target, path) => isThere(context, workspace, target, path));
  return {
    desired,
    wishes: wishes.wishes,
    problems: wishes.problems,
    findings: [
      ...findings,
      ...disclosures(selections),
      ...wishes.findings,
      ...missingRequirements(context, selections, desired),
      ...otherScopes(context, workspace, wishes.wishes),
    ],
  };
}

/** Whether a document holds something at a path; a document that cannot be read holds nothing. */
function isThere(context: Context, workspace: Workspace, target: Desired['target'], path: JsonPath): boolean {
  const { reader, host } = context.system;
  const abs = fromDisplay(target.path, { root: workspace.root, home: host.home, platform: host.platform });
  const bytes = reader.readFile(abs);
  if (bytes === undefined) return false;
  const parsed = formatOf(target.format).parse(new TextDecoder().decode(bytes));
  return parsed.ok && getIn(parsed.value, path) !== undefined;
}
