import type { Context } from '../../cli/context.ts';
import type { PlanFile } from './plan-file.ts';
import { shellFolder, shellQuote } from './shell-quote.ts';

/** The command line that makes a saved plan anew, in a file beside it: an existing one is never overwritten. */
export function planAgain({ options, system }: Context, file: PlanFile, path: string): string {
  const [first, ...others] = file.selections;
  const words = ['tenon', 'plan'];
  if (file.command === 'setup' && first !== undefined) {
    words.push(...file.selections.map(({ integration, of }) => of ?? integration));
    if (first.of !== undefined) words.push('--name', first.integration);
    const all = [first, ...others];
    for (const runtime of new Set(all.flatMap(({ runtimes }) => runtimes))) words.push('--runtime', runtime);
    if (first.scope !== 'project') words.push('--scope', first.scope);
    const settings = all.flatMap(({ inputs, overrides }) => Object.entries({ ...inputs, ...overrides }));
    for (const setting of new Set(settings.map(([key, value]) => `${key}=${String(value)}`)))
      words.push('--set', setting);
    for (const part of new Set(all.flatMap(({ without }) => without))) words.push('--without', part);
  }
  for (const [address, answer] of Object.entries(file.resolve))
    words.push('--resolve', `${address}=${answer}`);
  for (const address of file.force) words.push('--force', address);
  words.push('--out', `${path}.new`);
  const { home } = system.host;
  const where = [
    ...(options.cwd === undefined ? [] : ['-C', shellFolder(options.cwd, home)]),
    ...(options.root === undefined ? [] : ['--root', shellFolder(options.root, home)]),
  ];
  return [...words.map(shellQuote), ...where].join(' ');
}
