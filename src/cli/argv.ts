import { COMMANDS } from './command-table.ts';
import { wordsBeforeRest } from './early.ts';
import { type FlagSpec, GLOBAL_FLAGS } from './flags.ts';

export interface SplitArgv {
  /** The first word that is neither a flag nor a flag's value. */
  readonly name: string | undefined;
  /** Everything else before `--`, in order. */
  readonly words: readonly string[];
  readonly rest: readonly string[] | undefined;
}

const takesValue = (flag: FlagSpec): boolean => flag.value !== undefined && flag.optional !== true;

const VALUE_FLAGS: ReadonlySet<string> = new Set(
  [...GLOBAL_FLAGS, ...COMMANDS.flatMap((command) => command.flags)]
    .filter(takesValue)
    .flatMap((flag) => (flag.short === undefined ? [flag.long] : [flag.long, flag.short])),
);

/** `-C`, `--root`, `-nC`: the next word is this flag's value. `-Cdir` and `--root=dir` carry their own. */
function eatsNext(word: string): boolean {
  if (word.startsWith('--')) return VALUE_FLAGS.has(word);
  const letters = [...word.slice(1)];
  const first = letters.findIndex((letter) => VALUE_FLAGS.has(`-${letter}`));
  return first !== -1 && first === letters.length - 1;
}

/** Finds the command's name wherever it stands among the flags, so that flags may come before and after it. */
export function splitArgv(argv: readonly string[]): SplitArgv {
  const head = wordsBeforeRest(argv);
  const rest = head.length === argv.length ? undefined : argv.slice(head.length + 1);
  for (let index = 0; index < head.length; index++) {
    const word = head[index] ?? '';
    if (word.startsWith('-') && word.length > 1) {
      if (eatsNext(word)) index += 1;
      continue;
    }
    return { name: word, words: head.filter((_, at) => at !== index), rest };
  }
  return { name: undefined, words: head, rest };
}
