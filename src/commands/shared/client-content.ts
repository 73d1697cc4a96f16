import type { Context } from '../../cli/context.ts';
import type { PlanRequest } from '../../engine/plan-request.ts';
import { formatOf } from '../../formats/index.ts';
import { allowFindings } from '../../runtimes/allow-rules.ts';
import { foreignFindings } from '../../runtimes/foreign.ts';
import { canonicalPath, type PathBase, resolvePath } from '../../runtimes/paths.ts';
import { filesOn } from '../../runtimes/places.ts';
import type { ForeignRuleData } from '../../runtimes/schema.ts';
import type { Workspace } from './workspace.ts';

/**
 * What clients make of a file's content after a plan, by the rules of their specs: entries of the user that they skip,
 * those for which they refuse the whole file (contract, section 7), and rules that allow what a rule of ours asks about
 * (section 4).
 */
export function clientContent(
  context: Context,
  workspace: Workspace,
): NonNullable<PlanRequest['contentFindings']> {
  const { reader, host } = context.system;
  const { home, platform, env } = host;
  const base: PathBase = { root: workspace.root, home, platform, env, reader };
  const rulesOf = (path: string, runtime: string): readonly ForeignRuleData[] =>
    Object.values(workspace.specs.get(runtime)?.files ?? {}).flatMap((file) => {
      if (file.foreign.length === 0 || file.scope === 'managed') return [];
      const isRead = filesOn(file, platform).paths.some((template) => {
        const place = resolvePath(template, base);
        return place.display === path || canonicalPath(place, base).display === path;
      });
      return isRead ? file.foreign : [];
    });
  return (path, text, format, wishes) =>
    [...new Set(wishes.flatMap(({ runtimes }) => runtimes))].flatMap((runtime) => {
      const spec = workspace.specs.get(runtime);
      const rules = rulesOf(path, runtime);
      const guarding = wishes
        .filter(({ runtimes, classes }) => runtimes.includes(runtime) && classes.includes('grants'))
        .map(({ target: { place }, value }) => ({ path, place, value }));
      if (spec === undefined || (rules.length === 0 && guarding.length === 0)) return [];
      const parsed = formatOf(format).parse(text);
      if (!parsed.ok) return [];
      const locate = (at: readonly string[]) => formatOf(format).locate(text, at);
      const document = { path, value: parsed.value, locate };
      return [...foreignFindings(rules, document), ...allowFindings(spec, guarding, document)];
    });
}
