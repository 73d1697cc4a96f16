import type { FlagSpec } from '../cli/flags.ts';
import { type Verb, verbs } from './catalogue.ts';

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Words that everything has, and that so tell nothing apart. */
const COMMON = new Set(['a', 'an', 'and', 'are', 'do', 'how', 'i', 'in', 'is', 'it', 'of', 'or', 'the', 'to', 'what', 'with']); // biome-ignore format: a word list

/** What an agent needs to call a verb by `invoke`. */
const described = ({ command, flags }: Verb) => ({
  verb: command.name,
  summary: command.summary,
  detail: command.detail,
  positionals: command.arguments.map(({ name, required, variadic, choices }) => ({
    name,
    required,
    repeatable: variadic === true,
    ...(choices === undefined ? {} : { choices }),
  })),
  flags: flags.map(flagOf),
});

const flagOf = (flag: FlagSpec) => ({
  flag: flag.long,
  value: flag.value ?? null,
  repeatable: flag.repeat === true,
  ...(flag.choices === undefined ? {} : { choices: flag.choices }),
  summary: flag.summary,
});

/** Weight of a place where a word of the question may stand. */
function places({ command, flags }: Verb): [number, string[]][] {
  return [
    [8, wordsOf(command.name)],
    [4, wordsOf(command.summary)],
    [2, wordsOf([command.detail, ...command.examples.map(({ says }) => says)].join(' '))],
    [2, wordsOf(command.arguments.map(({ name, complete }) => `${name} ${complete ?? ''}`).join(' '))],
    [1, wordsOf(flags.map(({ long, summary }) => `${long} ${summary}`).join(' '))],
  ];
}

function score(query: readonly string[], verb: Verb): number {
  return query.reduce((sum, word) => {
    const best = places(verb).map(([weight, words]) => {
      if (words.includes(word)) return weight;
      const stem = word.length > 4 ? word.slice(0, -1) : word;
      return word.length > 2 && words.some((one) => one.startsWith(stem)) ? weight / 2 : 0;
    });
    return sum + Math.max(...best);
  }, 0);
}

/**
 * The verbs that fit a question, best first; all of them for an empty one. Only what {@link verbs} lets through is
 * ever described.
 */
export function discover(query: string, limit: number) {
  const asked = wordsOf(query.slice(0, 1000)).filter((word) => !COMMON.has(word));
  const ranked = verbs().map((verb) => ({ verb, score: asked.length === 0 ? 1 : score(asked, verb) }));
  const fitting = ranked.filter((one) => one.score > 0).sort((a, b) => b.score - a.score);
  return { total: fitting.length, verbs: fitting.slice(0, limit).map(({ verb }) => described(verb)) };
}
