import type { Finding } from '../errors/error.ts';
import { equalJson, getIn, isObject, type Json } from '../lib/json.ts';
import { matchesWildcard } from '../lib/wildcard.ts';
import { allowFindings } from '../runtimes/allow-rules.ts';
import { showText } from '../runtimes/show.ts';
import { whereOf } from './documents.ts';
import type { Facts } from './facts.ts';
import { documentOf, type Ours, oursOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

/** Rules of ours in runtimes where the last matching rule wins: a broader one of the user behind them undoes them. */
export const permissionsProbe: Probe = {
  id: 'config/permissions',
  title: 'Permission rules take effect',
  needs: ['config/readable'],
  run(facts) {
    const rules = oursOf(facts).filter(
      ({ judgement, isThere }) => isThere && (judgement.slot.wish?.classes ?? []).includes('grants'),
    );
    if (rules.length === 0) return idle('no permission rule of ours is there');
    const allowed = facts.examined.flatMap((one) => allowedToo(one, rules, facts));
    const ordered = new Set(
      facts.examined
        .filter(({ spec }) => spec.permissions?.lastMatchWins === true)
        .map(({ spec }) => spec.id),
    );
    const findings = rules.flatMap((one): Finding[] => {
      const runtimes = one.runtimes.filter((id) => ordered.has(id));
      const { place } = one.target;
      const document = documentOf(facts, one.target);
      if (runtimes.length === 0 || place.kind !== 'key' || document?.state !== 'parsed') return [];
      const container = place.path.slice(0, -1);
      const name = place.path.at(-1) ?? '';
      const managed = managedRules(one, container, name, runtimes, facts);
      const winner = broaderBehind(getIn(document.value, container), name);
      if (winner === undefined || managed.length > 0) return managed;
      const at = document.locate([...container, winner]);
      return [
        {
          code: 'config/rule-order',
          severity: 'error',
          subject: one.address,
          message: `${showText(winner)}${at === undefined ? '' : ` in line ${at.line}`} stands behind our rule for ${showText(name)}, and the last match wins in ${runtimes.join(', ')}`,
          remedy: { text: `Move ${showText(winner)} before it in ${document.path}` },
          data: { ...whereOf(document, [...container, winner]), runtimes },
        },
      ];
    });
    return found(
      [...findings, ...allowed],
      `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'} in place`,
    );
  },
};

/** Rules of any file of a coding tool that allow what one of ours asks about or denies (contract, section 4). */
function allowedToo(
  { spec, files }: Facts['examined'][number],
  rules: readonly Ours[],
  facts: Facts,
): Finding[] {
  const ours = rules.flatMap(({ runtimes, target, judgement }) => {
    const value = judgement.slot.wish?.value;
    return runtimes.includes(spec.id) && value !== undefined
      ? [{ path: target.path, place: target.place, value }]
      : [];
  });
  if (ours.length === 0) return [];
  return files.flatMap((file): Finding[] => {
    const { format, scope } = file.data;
    if (scope === 'managed' || !file.exists || (format !== 'json' && format !== 'toml')) return [];
    const document = facts.documents.get(file.path, format);
    if (document.state !== 'parsed') return [];
    // Where the last match wins, the one behind ours is told above, whatever it says.
    return allowFindings(spec, ours, document).filter(
      ({ code }) => code === 'config/allowed-too' || spec.permissions?.lastMatchWins !== true,
    );
  });
}

/** Rules of an administrator: their file comes last, so each that matches decides. */
function managedRules(
  one: Ours,
  container: readonly string[],
  name: string,
  runtimes: readonly string[],
  facts: Facts,
): Finding[] {
  const own = one.judgement.slot.wish?.value ?? null;
  return facts.examined
    .filter(({ spec }) => runtimes.includes(spec.id))
    .flatMap(({ spec, files }) =>
      files.flatMap((file): Finding[] => {
        const { format, scope } = file.data;
        if (scope !== 'managed' || !file.exists || (format !== 'json' && format !== 'toml')) return [];
        const document = facts.documents.get(file.path, format);
        if (document.state !== 'parsed') return [];
        const rules = getIn(document.value, container);
        const winner = lastMatch(rules, name);
        if (winner === undefined || !isObject(rules) || equalJson(rules[winner] as Json, own)) return [];
        const decides = String(rules[winner]);
        return [
          {
            code: 'config/rule-order',
            // One that allows takes the question away; any other is stricter, and its owner's decision.
            severity: decides === 'allow' ? 'error' : 'warning',
            subject: one.address,
            message: `an administrator's rule ${showText(winner)}: ${showText(decides)} in ${document.path} decides over our rule for ${showText(name)} in ${spec.title}`,
            remedy: { text: 'Ask the administrator of this machine' },
            data: { ...whereOf(document, [...container, winner]), runtimes: [spec.id] },
          },
        ];
      }),
    );
}

/** The last rule that matches a tool's name. */
function lastMatch(rules: Json | undefined, name: string): string | undefined {
  if (!isObject(rules)) return undefined;
  return Object.keys(rules)
    .filter((rule) => matchesWildcard(rule, name, { single: true }))
    .at(-1);
}

/** The last rule behind the named one that matches it too and says something else. `*` is any text, `?` one sign. */
export function broaderBehind(rules: Json | undefined, name: string): string | undefined {
  if (!isObject(rules) || !Object.hasOwn(rules, name)) return undefined;
  const names = Object.keys(rules);
  const behind = names
    .slice(names.indexOf(name) + 1)
    .filter((other) => matchesWildcard(other, name, { single: true }));
  const last = behind.at(-1);
  if (last === undefined) return undefined;
  return equalJson(rules[last] as Json, rules[name] as Json) ? undefined : last;
}
