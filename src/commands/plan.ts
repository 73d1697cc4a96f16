import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Fingerprint } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { renderFindings } from '../reporting/findings-view.ts';
import { renderPatch } from '../reporting/plan-view.ts';
import { renderPlanned } from '../reporting/planned-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { pathsOf } from '../system/paths.ts';
import { selectionsFor } from './setup.ts';
import { converge } from './shared/converge.ts';
import { explainOrigins } from './shared/explain-origins.ts';
import { loginData, planFit, uncheckedEndpoints } from './shared/fit.ts';
import { withInputsSettled } from './shared/fixed-inputs.ts';
import { nameForGit } from './shared/git-name.ts';
import { settleMoved } from './shared/held-inputs.ts';
import { type LoginReport, loginReport } from './shared/login.ts';
import { instanceName } from './shared/named.ts';
import { writeNewFile } from './shared/new-file.ts';
import { planData } from './shared/plan-data.ts';
import { type PlanFile, planFileText } from './shared/plan-file.ts';
import { planWithFlags } from './shared/plan-with-flags.ts';
import type { Selection } from './shared/selection.ts';
import { openWorkspace, rootAsSeen } from './shared/workspace.ts';

/** `tenon plan [integration…]`: the plan of `setup`, or of `sync` when none is named. Contacts nothing. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const { options } = context;
  const workspace = await openWorkspace(context, 'reads');
  const isSetup = args.positionals.length > 0;
  const name = instanceName(args.flags, args.positionals);
  let result: PlanResult;
  let selections: readonly Selection[];
  let failed: readonly Finding[] = [];
  let login: LoginReport | undefined;
  if (isSetup) {
    selections = await selectionsFor(
      context,
      workspace,
      args.positionals,
      name === undefined ? {} : { name },
    );
    selections = await settleMoved(context, workspace, selections);
    const { make } = await planFit(context, workspace, 'setup', selections);
    ({ result } = await planWithFlags(withInputsSettled(context, selections).options, [], make));
    // Nothing is contacted here, so what needs an answer of the server says that it was not checked.
    login = await loginReport(context, workspace, selections, uncheckedEndpoints(selections));
  } else {
    const convergence = await converge(context, workspace, { command: 'sync', prune: false });
    ({ selections, failed } = convergence);
    const settled = withInputsSettled(context, selections).options;
    ({ result } = await planWithFlags(settled, [], convergence.make));
  }
  const { plan } = result;
  const out = args.flags['out'];
  if (typeof out === 'string') {
    const file: PlanFile = {
      schema: 'tenon/planfile/v1',
      command: isSetup ? 'setup' : 'sync',
      selections: selections.map(({ enrolment }) => ({
        integration: enrolment.integration,
        ...(enrolment.of === undefined ? {} : { of: enrolment.of }),
        scope: enrolment.scope,
        runtimes: enrolment.runtimes,
        inputs: enrolment.inputs,
        overrides: enrolment.overrides,
        without: enrolment.without,
      })),
      resolve: options.resolve,
      force: options.force,
      digest: plan.digest as Fingerprint,
    };
    const { host } = context.system;
    const abs = pathsOf(host.platform).resolve(host.cwd, options.cwd ?? '.', out);
    writeNewFile(context, {
      abs,
      shown: shownPath(context, out),
      text: planFileText(file),
      mode: 0o666 & ~host.umask,
    });
  }
  const origins =
    args.flags['explain'] === true ? explainOrigins(context, workspace, selections, isSetup) : undefined;
  const { platform } = context.system.host;
  const { top } = workspace.facts;
  const patch =
    args.flags['patch'] === true
      ? renderPatch(plan, ({ path, real }) => nameForGit(top, top, real, platform) ?? path)
      : undefined;
  const masked = (patch?.masked ?? []).map(maskedFinding);
  // With --patch stdout is the patch alone, also where it goes to a screen.
  if (masked.length > 0) context.reporter.note((theme) => renderFindings(masked, theme), 'needed');
  const saved = typeof out === 'string' ? shownPath(context, out) : undefined;
  const findings = [...failed, ...plan.findings, ...result.skipped, ...masked];
  const isOpen =
    plan.conflicts.length + result.left.length > 0 || failed.some(({ code }) => code === 'input/conflict');
  return {
    command: 'plan',
    exit: isOpen ? 4 : 0,
    data: {
      plan: planData(result),
      ...(login === undefined ? {} : { login: loginData(login) }),
      ...(origins === undefined ? {} : { origins }),
      ...(patch === undefined ? {} : { patch: patch.patch, masked: patch.masked }),
      ...(saved === undefined ? {} : { out: saved }),
    },
    findings,
    ...(patch === undefined ? {} : { raw: patch.patch }),
    human: (theme) =>
      renderPlanned(
        {
          root: rootAsSeen(workspace),
          plan,
          login: login?.ways ?? [],
          findings,
          origins,
          patch,
          out: saved,
        },
        theme,
      ),
  };
}

/** A patch shows no secret, so git does not find the lines beside which one stands (contract, section 8). */
const maskedFinding = (path: string): Finding => ({
  code: 'plan/masked',
  severity: 'warning',
  subject: path,
  message: 'a secret in this file is shown as [REDACTED], so git apply may refuse its part of the patch',
  remedy: {
    text: 'Write it with tenon setup or tenon sync instead, or leave the file out with git apply --exclude',
  },
});

/** As it was typed; of a path below the home folder nobody else has to read where that is. */
function shownPath({ options, system }: Context, path: string): string {
  const { home } = system.host;
  return path.startsWith(`${home}/`) && !options.showPaths ? `~${path.slice(home.length)}` : path;
}
