import type { Context } from '../../cli/context.ts';
import { usageError } from '../../cli/usage-error.ts';
import { loadInstance, loadIntegration } from '../../integrations/load.ts';
import type { LoadedIntegration } from '../../integrations/types.ts';
import { INSTANCE_NAME } from '../../lib/instance-name.ts';
import { printable } from '../../lib/printable.ts';
import type { Workspace } from './workspace.ts';

/** The name that `--name` gives, or undefined. Throws a usage error where it is none, or is for more than one integration. */
export function instanceName(
  flags: Readonly<Record<string, unknown>>,
  refs: readonly string[],
): string | undefined {
  const { name } = flags;
  if (typeof name !== 'string') return undefined;
  if (!INSTANCE_NAME.test(name)) {
    throw usageError(
      'usage/bad-value',
      `"${printable(name).slice(0, 80)}" is no name for an instance.`,
      'Use 1 to 64 letters, digits, "-" and "_".',
    );
  }
  if (refs.length !== 1) {
    throw usageError(
      'usage/conflicting-flags',
      '--name is the name of one instance.',
      'Name exactly one integration with it.',
    );
  }
  return name;
}

/**
 * The definition that a command line names: an integration; an instance that is set up here, by its name; or with `name`
 * a new or known instance of that definition. Throws as `loadInstance`, and a usage error for a name that is taken.
 */
export async function loadNamed(
  context: Context,
  workspace: Workspace,
  ref: string,
  name?: string,
): Promise<LoadedIntegration> {
  const { packageDir, system } = context;
  const known = workspace.enrolments.find((one) => one.integration === ref && one.of !== undefined);
  const of = known?.of ?? ref;
  if (name === undefined) {
    return known === undefined
      ? loadIntegration(system.reader, packageDir, workspace.root, ref)
      : loadInstance(system.reader, packageDir, workspace.root, ref, of);
  }
  const loaded = await loadInstance(system.reader, packageDir, workspace.root, name, of);
  const other = workspace.enrolments.find(
    (one) => (one.integration === name && one.of !== loaded.of) || one.integration === `add:${name}`,
  );
  if (other === undefined) return loaded;
  throw usageError(
    'usage/conflicting-flags',
    `"${name}" is the name of something else that is set up here.`,
    'Choose another name, or uninstall that first.',
    `tenon uninstall ${name}`,
  );
}
