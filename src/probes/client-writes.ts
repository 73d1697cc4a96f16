import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import type { Examined } from './examined.ts';

const SHOWN = 5;

/**
 * What a client changed in the repository while it was asked. Doctor writes nothing; what the client does of its own accord
 * is told: as a note where its spec foresees it, else as a warning.
 */
export function changeFindings({ spec, files }: Examined, changed: readonly string[]): Finding[] {
  const foreseen = new Set([
    ...(spec.creates ?? []),
    ...files.filter(({ data }) => data.clientWrites !== undefined).map(({ path }) => path.display),
  ]);
  // The folder of a file that it may write comes with it.
  const isForeseen = (path: string): boolean =>
    [...foreseen].some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  const finding = (severity: Finding['severity'], paths: readonly string[]): Finding[] => {
    if (paths.length === 0) return [];
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
    return [
      {
        code: 'host/client-wrote',
        severity,
        subject: printable(paths[0] ?? ''),
        message: `${spec.title} changed ${paths.slice(0, SHOWN).map(printable).join(', ')}${more} while it listed its servers`,
        remedy: {
          text: 'It does so at every start; look at the change before you commit',
          command: 'git status',
        },
        data: { runtimes: [spec.id], files: paths.slice(0, 100).map(printable) },
      },
    ];
  };
  return [
    ...finding('info', changed.filter(isForeseen)),
    ...finding(
      'warning',
      changed.filter((path) => !isForeseen(path)),
    ),
  ];
}
