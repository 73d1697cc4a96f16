import { findCommand } from '../../cli/command-table.ts';
import type { Context } from '../../cli/context.ts';
import type { Selection } from './selection.ts';
import { shellFolder, shellQuote } from './shell-quote.ts';

/**
 * The command line that repeats this run without questions. Inputs are never secret, so they can stand in it. `chosen`
 * is what a person answered about conflicts, by address; it stands there as flags, beside those that were given, and so
 * does the consent to files of the home folder (`userFiles`), which `--yes` does not give.
 */
export function oneShot(
  context: Context,
  argv: readonly string[],
  selections: readonly Selection[],
  chosen: ReadonlyMap<string, string> = new Map(),
  userFiles = false,
): string {
  const { options } = context;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words = ['tenon', ...argv.slice(0, end)];
  for (const { inputs, loaded } of selections) {
    if (loaded.ref.startsWith('add:')) continue;
    for (const { name, value, origin } of inputs)
      if (origin !== 'default') words.push('--set', `${name}=${value}`);
  }
  for (const runtime of new Set(selections.flatMap(({ enrolment }) => enrolment.runtimes)))
    words.push('--runtime', runtime);
  if (options.scope !== 'project') words.push('--scope', options.scope);
  for (const part of options.without) words.push('--without', part);
  if (options.offline) words.push('--offline');
  for (const allowed of new Set([...options.allow, ...(userFiles ? ['user-files'] : [])]))
    words.push('--allow', allowed);
  // A saved plan holds these decisions itself, and its command takes no others.
  if (findCommand(argv[0] ?? '')?.takes.includes('--resolve') === true) {
    for (const [address, answer] of new Map([...Object.entries(options.resolve), ...chosen]))
      words.push('--resolve', `${address}=${answer}`);
    for (const address of options.force) words.push('--force', address);
  }
  words.push('--yes');
  const { home } = context.system.host;
  const where = [
    ...(options.cwd === undefined ? [] : ['-C', shellFolder(options.cwd, home)]),
    ...(options.root === undefined ? [] : ['--root', shellFolder(options.root, home)]),
  ];
  return [...words.map(shellQuote), ...where, ...argv.slice(end).map(shellQuote)].join(' ');
}
