import type { Finding } from '../errors/error.ts';
import { foreignFindings } from '../runtimes/foreign.ts';
import type { Facts } from './facts.ts';
import { found, idle, type Probe } from './probe.ts';
import { type SharedFile, sharedFiles } from './readers.ts';

/** What each client makes of content that need not be ours, by the rules of its spec (cases H02–H07, D07). */
export const foreignProbe: Probe = {
  id: 'config/content',
  title: 'Coding tools understand what stands in their files',
  needs: ['config/readable'],
  run(facts) {
    const files = sharedFiles(facts).filter(({ document }) => document.state === 'parsed');
    const ruled = files.filter(({ readers }) => readers.some(({ file }) => file.data.foreign.length > 0));
    if (ruled.length === 0) return idle('there is no file for which a rule is known');
    return found(ruled.flatMap(contentFindings), 'nothing that is known to be ignored or refused');
  },
};

/** The findings of every reader's rules; an error counts only for a runtime that is used here. */
export function contentFindings(file: SharedFile): readonly Finding[] {
  let found = contents.get(file);
  if (found === undefined) {
    found = ruledOut(file);
    contents.set(file, found);
  }
  return found;
}

/** Asked for by two probes. */
const contents = new WeakMap<SharedFile, readonly Finding[]>();

function ruledOut({ document, readers }: SharedFile): Finding[] {
  return readers.flatMap(({ runtime, file }) =>
    foreignFindings(file.data.foreign, document).map((finding): Finding => {
      const { path, ...where } = finding.data ?? {};
      return {
        ...finding,
        severity: runtime.reason === 'shared' && finding.severity === 'error' ? 'warning' : finding.severity,
        data: {
          ...where,
          file: document.path,
          ...(path === undefined ? {} : { path }),
          runtimes: [runtime.spec.id],
        },
      };
    }),
  );
}

/** Files that a runtime loses as a whole, by runtime and path: what stands in them is possibly not loaded (case D07). */
export function lostFiles(facts: Facts, strict: (file: SharedFile) => readonly Finding[]): Set<string> {
  const lost = new Set<string>();
  for (const file of sharedFiles(facts)) {
    const { document, readers } = file;
    for (const { runtime } of readers) {
      if (document.state !== 'parsed') lost.add(`${runtime.spec.id} ${document.path}`);
    }
    for (const { data } of document.state === 'parsed' ? [...strict(file), ...contentFindings(file)] : []) {
      const losing = data?.['lostBy'] ?? data?.['runtimes'];
      if (data?.['dropsFile'] !== true || !Array.isArray(losing)) continue;
      for (const id of losing) lost.add(`${String(id)} ${document.path}`);
    }
  }
  return lost;
}
