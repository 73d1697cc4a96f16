import { tierHere } from '../certify/here.ts';
import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { printable } from '../lib/printable.ts';
import { type RuntimeFacts, renderRuntime, renderRuntimes } from '../reporting/runtimes-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { type CapabilityId, capabilityMatrix, capabilityOf } from '../runtimes/capabilities.ts';
import { type Detected, detectRuntimes } from '../runtimes/detect.ts';
import { findSpec, loadSpecs } from '../runtimes/load.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';

/** `tenon runtimes [id]`: which coding tools are supported, how far, and what speaks for each here. Starts none of them. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const { system, packageDir } = context;
  const specs = await loadSpecs(system.reader, packageDir);
  const [name] = args.positionals;
  const spec = name === undefined ? undefined : findSpec(specs, name);
  if (name !== undefined && spec === undefined) throw unknownRuntime(name, [...specs.keys()]);
  const here = await setUpHere(context);
  const base = {
    root: here.root ?? system.host.cwd,
    home: system.host.home,
    platform: system.host.platform,
    env: system.host.env,
    reader: system.reader,
  };
  const shown = spec === undefined ? [...specs.values()] : [spec];
  const detected = detectRuntimes(shown, base, system.exec);
  const runtimes = detected.flatMap((one): RuntimeFacts[] => {
    const own = specs.get(one.id);
    return own === undefined ? [] : [factsOf(context, own, one, here)];
  });
  return {
    command: 'runtimes',
    exit: 0,
    data: { runtimes: spec === undefined ? runtimes : [{ ...runtimes[0], ...detailsOf(spec) }] },
    findings: here.findings,
    human: (theme) =>
      spec === undefined || runtimes[0] === undefined
        ? renderRuntimes(runtimes, theme)
        : renderRuntime(runtimes[0], detailsOf(spec), theme),
  };
}

interface SetUpHere {
  readonly root: string | undefined;
  readonly runtimes: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

/** Runtimes that this root has set up. Outside of a repository none; a state that cannot be read is a warning here. */
async function setUpHere(context: Context): Promise<SetUpHere> {
  try {
    const { openWorkspace } = await import('./shared/workspace.ts');
    const workspace = await openWorkspace(context, 'reads');
    const runtimes = new Set(workspace.enrolments.flatMap((enrolment) => enrolment.runtimes));
    return { root: workspace.root, runtimes, findings: [] };
  } catch (error) {
    if (!(error instanceof TenonError) || error.code === 'usage/unknown-runtime') throw error;
    const finding: Finding = {
      code: error.code,
      severity: 'warning',
      subject: '.',
      message: error.message,
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    };
    return { root: undefined, runtimes: new Set(), findings: error.code === 'repo/missing' ? [] : [finding] };
  }
}

/** No coding tool has this name: exit 2. */
export function unknownRuntime(name: string, known: readonly string[]): TenonError {
  const near = closest(name, known);
  return new TenonError(
    'usage/unknown-runtime',
    `There is no coding tool "${printable(name.slice(0, 60))}".`,
    {
      exit: 2,
      remedy:
        near === undefined
          ? { text: 'See the list of them.', command: 'tenon runtimes' }
          : { text: `Did you mean "${near}"?`, command: `tenon runtimes ${near}` },
    },
  );
}

/** State as the contract names it; `not-detected` where nothing speaks for a supported tool. */
function factsOf(
  { system, packageDir }: Context,
  spec: RuntimeSpec,
  detected: Detected,
  here: SetUpHere,
): RuntimeFacts {
  const { tier, failureClass, reason, remedy, certification } = tierHere({
    spec,
    system,
    packageDir,
    root: here.root ?? system.host.cwd,
    enabled: here.runtimes.has(spec.id),
    signs: detected.signals.map((signal) => `${signal.value} (${signal.kind})`),
  });
  return {
    id: spec.id,
    title: spec.title,
    support: spec.support,
    state: tier,
    reason,
    failureClass,
    ...(remedy === undefined ? {} : { remedy }),
    certification,
    features: {
      mcp: best(spec, ['mcp-stdio', 'mcp-http']),
      skills: best(spec, ['skills']),
      hooks: best(spec, ['hooks']),
      permissions: best(spec, ['permissions']),
      instructions: best(spec, ['instructions']),
    },
  };
}

const ORDER = ['supported', 'advisory', 'unknown', 'unsupported'] as const;

/** The best state of some capabilities: a tool that takes servers in one way only takes servers. */
function best(spec: RuntimeSpec, ids: readonly CapabilityId[]): (typeof ORDER)[number] {
  const states = ids.map((id) => capabilityOf(spec, id).state);
  return ORDER.find((state) => states.includes(state)) ?? 'unknown';
}

const detailsOf = (spec: RuntimeSpec) => ({
  homepage: spec.homepage,
  aliases: spec.aliases,
  files: Object.entries(spec.files).map(([id, file]) => ({
    id,
    scope: file.scope,
    paths: file.paths,
    format: file.format,
    reads: file.reads,
    onInvalid: file.onInvalid,
  })),
  tested: spec.version?.tested ?? [],
  minimum: spec.version?.minimum ?? null,
  afterSetup: spec.reload.text,
  approval: spec.approval ?? null,
  capabilities: capabilityMatrix(spec),
  limits: spec.limits,
  evidence: spec.evidence,
});

export type RuntimeDetails = ReturnType<typeof detailsOf>;
