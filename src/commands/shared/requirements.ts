import type { Context } from '../../cli/context.ts';
import type { Desired, Enrolment } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import type { LoadedIntegration } from '../../integrations/types.ts';
import { printable } from '../../lib/printable.ts';

/**
 * Programs that a definition needs and that are not on PATH. Nothing is ever installed (contract, section 4): the
 * program is named with what its author says about getting it. Hooks are withheld by the renderer; a server's entry is
 * written all the same, because a team mate may have the program.
 */
export function missingRequirements(
  context: Context,
  selections: readonly { readonly enrolment: Enrolment; readonly loaded: LoadedIntegration }[],
  desired: readonly Desired[],
): Finding[] {
  const wanted = (selection: (typeof selections)[number], kinds: readonly string[]): boolean =>
    desired.some(
      ({ owner }) =>
        owner.integration === selection.enrolment.integration &&
        selection.loaded.manifest.artifacts.some(
          ({ name, kind }) => name === owner.artifact && kinds.includes(kind),
        ),
    );
  return selections.flatMap((selection) =>
    selection.loaded.manifest.requires
      .filter((one) => context.system.exec.which(one.binary) === undefined)
      .filter((one) => wanted(selection, one.for))
      .map(
        (one): Finding => ({
          code: 'requirement/missing',
          severity: 'warning',
          subject: printable(one.binary),
          message: `${printable(selection.enrolment.integration)} needs ${printable(one.binary)}, which is not on PATH here`,
          remedy: { text: printable(one.remedy) },
        }),
      ),
  );
}
