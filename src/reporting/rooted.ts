import { type Finding, type Remedy, TenonError } from '../errors/error.ts';
import { isObject, setOwn } from '../lib/json.ts';
import { mapCommands } from './text.ts';
import type { Outcome, Reporter, Theme } from './types.ts';

/** Commands that work on a root; the others look something up, or have a place of their own. */
const WORKS_ON_ROOT =
  /^tenon (?:setup|add|plan|apply|sync|status|doctor|uninstall|undo|recover|disable|enable|trust|adopt|forget|history|state)(?=$| )/u;
const NAMES_PLACE = / (?:--root|--cwd|--all-roots|--help|-C)(?=$|[ =])/u;

/** A command line that works on the root that `root` names, a word for a shell. What is none stays as it is. */
export const commandAt = (command: string, root: string): string =>
  NAMES_PLACE.test(command) ? command : command.replace(WORKS_ON_ROOT, (words) => `${words} --root ${root}`);

/** The same for the command lines in the midst of a text. */
const textAt = (text: string, root: string): string =>
  mapCommands(text, (command) => commandAt(command, root));

/**
 * A reporter for a root that `tenon` alone would not work on in the folder of this run: every command that is printed, as
 * text or as data, names that root, so that it does what it says when it is copied.
 */
export function rooted(inner: Reporter, root: string): Reporter {
  const { settle } = inner;
  return {
    ...inner,
    outcome: (outcome) => inner.outcome(outcomeAt(outcome, root)),
    ...(settle === undefined ? {} : { settle: (outcome: Outcome) => settle(outcomeAt(outcome, root)) }),
    error: (error, command) => inner.error(errorAt(error, root), command),
    note: (text, needed) => inner.note((theme) => text(themeAt(theme, root)), needed),
  };
}

export function outcomeAt(outcome: Outcome, root: string): Outcome {
  const { data, findings, human, blocks } = outcome;
  return {
    ...outcome,
    data: dataAt(data, root),
    findings: findingsAt(findings, root),
    human: (theme) => human(themeAt(theme, root)),
    ...(blocks === undefined ? {} : { blocks: (theme: Theme) => blocks(themeAt(theme, root)) }),
  };
}

export function errorAt(error: TenonError, root: string): TenonError {
  const { code, message, exit, state, remedy, findings, data, cause } = error;
  return new TenonError(code, message, {
    exit,
    state,
    findings: findingsAt(findings, root),
    ...(remedy === undefined ? {} : { remedy: remedyAt(remedy, root) }),
    ...(data === undefined ? {} : { data: dataAt(data, root) }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Commands in a text are what it accents. */
const themeAt = (theme: Theme, root: string): Theme => ({
  ...theme,
  accent: (text) => theme.accent(commandAt(text, root)),
});

const findingsAt = (findings: readonly Finding[], root: string): readonly Finding[] =>
  findings.map((finding) =>
    finding.remedy === undefined ? finding : { ...finding, remedy: remedyAt(finding.remedy, root) },
  );

const remedyAt = (remedy: Remedy, root: string): Remedy => ({
  ...remedy,
  text: textAt(remedy.text, root),
  ...(remedy.command === undefined ? {} : { command: commandAt(remedy.command, root) }),
});

/** What a text in a document is: commands stand in remedies and next steps, and there in texts as well. */
type Part = 'command' | 'remedy' | 'text' | 'other';

const partOf = (key: string, within: Part): Part => {
  if (key === 'remedy') return 'remedy';
  if (key === 'next') return 'text';
  if (within === 'remedy') return key === 'command' ? 'command' : 'text';
  return within;
};

/** The remedies and next steps in a document; only what changes is copied. */
function dataAt<T>(value: T, root: string, part: Part = 'other'): T {
  if (typeof value === 'string') {
    if (part === 'other') return value;
    return (part === 'text' ? textAt(value, root) : commandAt(value, root)) as T;
  }
  if (!Array.isArray(value) && !isObject(value)) return value;
  let copy: object | undefined;
  for (const [key, member] of Object.entries(value)) {
    const named = dataAt(member, root, partOf(key, part));
    if (named === member) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    setOwn(copy, key, named);
  }
  return (copy ?? value) as T;
}
