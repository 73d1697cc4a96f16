import type { Finding } from '../errors/error.ts';
import { type Facts, isInspection } from './facts.ts';
import { type Ours, oursOf } from './ours.ts';
import { found, idle, type Probe, skipped } from './probe.ts';

/**
 * Which other coding tools run our hooks too: some read the hooks of another tool's file. A script that has an entry of
 * its own there as well runs twice in such a tool.
 */
export const sharedHooksProbe: Probe = {
  id: 'hooks/readers',
  title: 'Hooks run where they were meant to',
  run(facts) {
    if (!isInspection(facts.inspection)) return skipped('what is set up could not be computed');
    const hooks = oursOf(facts).filter((one) => one.isThere && isHook(one, facts));
    if (hooks.length === 0) return idle('no hook of ours is configured');
    const findings = [...new Set(hooks.map(({ target }) => target.path))].flatMap((path) =>
      facts.examined
        .filter(({ spec }) => spec.hooks?.alsoRuns?.includes(path))
        .map(({ spec }): Finding => {
          const hasOwn = hooks.some((one) => one.target.path !== path && one.runtimes.includes(spec.id));
          const twice = hasOwn ? ', and has one of its own: the script has to tell them apart' : '';
          return {
            code: 'hook/runs-elsewhere',
            severity: 'info',
            subject: path,
            message: `${spec.title} runs the hooks of ${path} too${twice}`,
            data: { runtime: spec.id, file: path, hasOwn },
          };
        }),
    );
    return found(findings, 'no other coding tool runs them');
  },
};

/** An item in a file in which a runtime of it keeps hooks. */
function isHook({ target, runtimes, judgement }: Ours, facts: Facts): boolean {
  const classes = judgement.slot.wish?.classes ?? judgement.slot.record?.classes ?? [];
  if (target.place.kind !== 'item' || !classes.includes('executes')) return false;
  return runtimes.some((id) => {
    const spec = facts.specs.get(id);
    return (spec?.hooks?.places ?? []).some(
      ({ file }) => file !== undefined && spec?.files[file]?.paths.includes(target.path) === true,
    );
  });
}
