import type { Finding } from '../errors/error.ts';
import { isOutside } from '../system/paths.ts';
import type { Facts } from './facts.ts';
import { oursOf } from './ours.ts';
import { found, idle, type Probe, skipped } from './probe.ts';

/** Shared files that git ignores (case K05) and private ones that it would add (C-15). */
export const gitProbe: Probe = {
  id: 'git/files',
  title: 'Git shares what is shared and nothing else',
  async run(facts) {
    const { shared, own } = pathsOf(facts);
    if (shared.size + own.size === 0) return idle('nothing of ours stands in this repository');
    const ignored = await facts.git.ignored();
    if (!ignored.ok) {
      // All of it: git names the command that helps (case K06).
      const reason = ignored.message
        .trim()
        .split(/\s*\n\s*/)
        .join(' ');
      return skipped(`git could not be asked: ${reason.slice(0, 1000)}`);
    }
    const findings = [...shared].flatMap((path): Finding[] => {
      const by = ignored.value.get(path);
      if (by === undefined) return [];
      return [
        {
          code: 'file/ignored',
          severity: 'warning',
          subject: path,
          message: `${path} is ignored by ${by.source}:${by.line} (${by.pattern}): team mates will not get it`,
          remedy: { text: 'Change that line, or use --scope local if that is meant' },
          data: { file: path, ignoredBy: `${by.source}:${by.line}` },
        },
      ];
    });
    const open = [...own].filter((path) => !ignored.value.has(path));
    const tracked = open.length === 0 ? undefined : await facts.git.tracked();
    for (const path of open) {
      const isTracked = tracked?.ok === true && tracked.value.has(path);
      findings.push({
        code: 'file/not-excluded',
        severity: 'warning',
        subject: path,
        message: isTracked
          ? `${path} is meant for this checkout alone, but git tracks it`
          : `${path} is meant for this checkout alone, but git does not ignore it`,
        remedy: { text: `Add ${path} to .git/info/exclude` },
        data: { file: path },
      });
    }
    return found(findings, `${shared.size} shared, ${own.size} private`);
  },
};

/** Display paths of what is ours inside the repository: project scope, and local scope. */
export function pathsOf(facts: Facts): {
  readonly shared: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
} {
  const shared = new Set<string>();
  const own = new Set<string>();
  for (const { target, scope, isThere } of oursOf(facts)) {
    if (!isThere || isOutside(target.path)) continue;
    if (scope === 'project') shared.add(target.path);
    else own.add(target.path);
  }
  for (const path of shared) own.delete(path);
  if (shared.size > 0) shared.add('.tenon/manifest.json');
  return { shared, own };
}
