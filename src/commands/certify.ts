import { isReusable, ownBinding } from '../certify/binding.ts';
import type { Step } from '../certify/scenario.ts';
import type { World } from '../certify/world.ts';
import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { buildOf, isSameBuild } from '../clients/build.ts';
import { findClient } from '../clients/run.ts';
import { type ClientVersion, clientVersion } from '../clients/version.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { renderCertify } from '../reporting/certify-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { findSpec, loadSpecs } from '../runtimes/load.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { ClientList } from '../runtimes/schema-list.ts';
import { type Binding, type Evidence, loadEvidence, saveEvidence } from '../state/evidence.ts';
import { ensureStateDir, openStateFolder } from '../state/folder.ts';
import { maskHome, pathsOf } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import { findRoot } from '../system/root.ts';
import { unknownRuntime } from './runtimes.ts';

/**
 * `tenon certify <runtime>`: the conformance scenario against the real client. Exit 0 when every step held, 1 when one did
 * not, 4 when it cannot be made here. A passing run is reused for five minutes while nothing changed, a failed one never.
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const { system, packageDir } = context;
  const specs = await loadSpecs(system.reader, packageDir);
  const [name = ''] = args.positionals;
  const spec = findSpec(specs, name);
  if (spec === undefined) throw unknownRuntime(name, [...specs.keys()]);
  const list = listOf(spec);
  const ownRoot = rootOf(context);
  const program = programOf(context, spec, list, ownRoot);
  const state = openStateFolder(system);
  // A state folder that cannot be written fails before anything is started.
  ensureStateDir(system, state, pathsOf(system.host.platform).dirname(state.path('evidence', 'file')));

  const { makeWorld } = await import('../certify/world.ts');
  const world = makeWorld(context, ownRoot);
  try {
    const asked = await context.reporter.progress(VERSION_STEP.title, () =>
      clientVersion(spec, world.root, world.system, world.scale, world.signal),
    );
    if (asked.state !== 'found') {
      const step: Step = { ...VERSION_STEP, status: 'fail', message: asked.reason };
      return outcomeOf(context, { spec, program, steps: [step] });
    }
    const build = buildOf(program, system);
    const own = ownBinding(spec, packageDir, system);
    const binding: Binding = { version: asked.version, build: build.digest, ...own };
    const { evidence: known } = loadEvidence(system, state, spec.id);
    if (isReusable(known, binding, system.clock.now())) {
      return outcomeOf(context, { spec, program, steps: [], evidence: known, reused: true });
    }
    const steps = await prove(context, { spec, list, version: asked, world });
    const failed = steps.find(({ status }) => status === 'fail');
    if (!isSameBuild(program, build, system)) throw changedMeanwhile(spec);
    const evidence: Evidence = {
      runtime: spec.id,
      result: failed === undefined ? 'passed' : 'failed',
      at: new Date(system.clock.now()).toISOString(),
      reason: failed === undefined ? '' : `${failed.title}: ${failed.message}`,
      binding,
      program,
      stamps: build.stamps,
    };
    saveEvidence(system, state, evidence);
    return outcomeOf(context, { spec, program, steps, evidence });
  } finally {
    world.close();
  }
}

/** Before the scenario: without a version there is nothing that evidence could be bound to. */
const VERSION_STEP = { id: 'version', title: 'The client says its version' } as const;

interface Subject {
  readonly spec: RuntimeSpec;
  readonly list: ClientList;
  readonly version: ClientVersion;
  readonly world: World;
}

async function prove(context: Context, { spec, list, version, world }: Subject): Promise<readonly Step[]> {
  const { runScenario } = await import('../certify/scenario.ts');
  return runScenario(context, world, spec, list, version);
}

function listOf(spec: RuntimeSpec): ClientList {
  const { list, title, support } = spec;
  if (support !== 'none' && list !== undefined && !list.terminal) return list;
  const why =
    support === 'none'
      ? (spec.supportReason ?? 'nothing can be written for it')
      : list === undefined
        ? 'no command of it is known that lists its servers'
        : 'it lists its servers in a terminal only';
  throw new TenonError('certify/not-possible', `${title} cannot be certified: ${why}.`, {
    exit: 4,
    remedy: { text: 'See what is known of it.', command: `tenon runtimes ${spec.id}` },
  });
}

/** The client on the user's PATH; never a program of the repository that tenon was started in. */
function programOf(
  context: Context,
  { title }: RuntimeSpec,
  { command }: ClientList,
  ownRoot: AbsPath,
): AbsPath {
  const [name = ''] = command;
  const found = findClient(name, ownRoot, context.system);
  if (found.state === 'found') return found.path;
  const why = {
    absent: `${name} is not on PATH`,
    inside: `${name} on PATH is a file of this repository, which tenon never starts`,
    broken: `${name} on PATH leads nowhere or is no program`,
  }[found.state];
  throw new TenonError('certify/not-installed', `${title} cannot be certified here: ${why}.`, {
    exit: 4,
    remedy: { text: `Install ${title}, or correct PATH.` },
  });
}

/** The repository of the working folder; the working folder itself where it is in none. */
function rootOf({ system, options }: Context): AbsPath {
  try {
    return findRoot(system, options.cwd === undefined ? {} : { cwd: options.cwd }).root;
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    return system.host.cwd;
  }
}

const changedMeanwhile = ({ id, title }: RuntimeSpec): TenonError =>
  new TenonError('certify/changed', `${title} changed while it was certified, so nothing was recorded.`, {
    exit: 4,
    remedy: { text: 'It may have updated itself. Try again.', command: `tenon certify ${id}` },
  });

interface Result {
  readonly spec: RuntimeSpec;
  readonly program: AbsPath;
  readonly steps: readonly Step[];
  /** Absent where nothing could be recorded. */
  readonly evidence?: Evidence;
  readonly reused?: true;
}

function outcomeOf({ system }: Context, { spec, program, steps, evidence, reused }: Result): Outcome {
  const failed = steps.find(({ status }) => status === 'fail');
  const passed = failed === undefined && evidence?.result === 'passed';
  const findings: Finding[] =
    failed === undefined
      ? []
      : [
          {
            code: 'certify/failed',
            severity: 'error',
            subject: spec.id,
            message: `${spec.title} is not certified: ${failed.title}: ${failed.message}`,
            remedy: { text: 'See what the client printed', command: `tenon certify ${spec.id} --debug` },
            data: { step: failed.id },
          },
        ];
  const data = {
    runtime: spec.id,
    title: spec.title,
    result: passed ? ('passed' as const) : ('failed' as const),
    reused: reused === true,
    at: evidence?.at ?? null,
    version: evidence?.binding.version ?? null,
    program: maskHome(program, system.host.home),
    binding: evidence === undefined ? null : { ...evidence.binding },
    steps: steps.map((step) => ({ ...step })),
  };
  return {
    command: 'certify',
    exit: passed ? 0 : 1,
    data,
    findings,
    human: (theme) => renderCertify({ ...data, findings }, theme),
  };
}
