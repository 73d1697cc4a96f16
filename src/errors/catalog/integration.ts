import type { Codes } from './entry.ts';

/** Definitions, inputs, the manifest, and what a coding tool can take of them. */
export const INTEGRATION_CODES: Codes = {
  'integration/unknown': {
    title: 'there is no such integration',
    explain:
      "An integration is a bundled id, a path such as ./tools/acme, or an installed package. A repository's own is always named by path.",
    exit: 2,
  },
  'integration/invalid': {
    title: 'the definition of an integration has a fault',
    explain:
      'integration.json or a file beside it is not as it must be; the message names file and field. tenon validate FOLDER shows every fault.',
    exit: 4,
  },
  'integration/outside': {
    title: 'a definition lies outside the repository',
    explain:
      "Definitions are read from the target's own root, so that what was reviewed is what is used. Move the folder into the repository.",
    exit: 4,
  },
  'integration/not-reversible': {
    title: 'setup and uninstall do not cancel out',
    explain:
      'tenon validate set the integration up in a sample repository in memory and took it out again, and something stayed or changed. Please report it with the folder: tenon must refuse such a definition.',
  },
  'integration/not-for-runtime': {
    title: 'a coding tool cannot take the integration',
    explain:
      'The rehearsal of tenon validate ended with a refusal for this coding tool, for example because a required part has no place there. Nothing is wrong with the others.',
  },
  'integration/golden-differs': {
    title: 'the output is not what the golden file records',
    explain:
      'golden.json beside integration.json records what each coding tool should get, as hashes. Look at what changed; where it is wanted, save data.golden of tenon validate --json in its place.',
  },
  'integration/unsupported-version': {
    title: 'a definition needs a newer tenon',
    explain:
      'It is written for a version of the format that this program does not know. Install a newer tenon.',
    exit: 4,
  },
  'integration/missing-value': {
    title: 'a definition uses a value that is not set',
    explain:
      'A text of the definition holds a placeholder for an input without a value. Give it with --set NAME=VALUE.',
    exit: 4,
  },
  'integration/unknown-placeholder': {
    title: 'a definition uses a placeholder that it does not declare',
    explain:
      'Only declared inputs can be put into texts. This is a fault of the definition; its author corrects it in integration.json.',
    exit: 4,
  },
  'input/missing': {
    title: 'a needed input has no value',
    explain:
      "Inputs come from --set, from an environment variable that begins with the integration's id, or from a question at a terminal. Here none of them gave one.",
    exit: 4,
  },
  'input/invalid': {
    title: 'an input has a value that cannot be used',
    explain: 'The message says what is wrong with it. Give another one with --set NAME=VALUE.',
    exit: 4,
  },
  'input/conflict': {
    title: 'another value than the one that this root has',
    explain:
      "Some inputs say which project a repository belongs to, and the manifest or this host's records hold one already. It is not replaced in passing. Decide it with --resolve input:NAME=keep or --resolve input:NAME=replace.",
    exit: 4,
  },
  'secret/literal': {
    title: 'a credential where only a reference may stand',
    explain:
      "The text looks like a token, key or password, and it would end up in a committed file, in the shell's history or in a list of processes. Put it into an environment variable and name that instead, for example with --token-env NAME.",
    exit: 4,
  },
  'override/recorded': {
    title: 'a default has another value here',
    explain:
      'The contract of the integration has a default, and a choice of this set-up says otherwise. The choice is part of the plan and is recorded in the manifest and in the ledger. tenon plan --explain names where every value comes from.',
  },
  'override/refused': {
    title: 'a default that cannot be changed',
    explain:
      'Some defaults protect people who are not asked here, so no command can loosen them. Leave the override out.',
    exit: 4,
  },
  'override/unknown': {
    title: 'there is no such default',
    explain: 'Overrides name a default or an artifact of the integration. The message lists what is near.',
    exit: 4,
  },
  'manifest/malformed': {
    title: 'the manifest of tenon has a syntax error',
    explain:
      'The file .tenon/manifest.json says what this repository has set up. It is never reset by itself. Correct it at the place that the message names, or restore it from git.',
    exit: 4,
  },
  'manifest/invalid': {
    title: 'the manifest of tenon has a field that it does not know',
    explain:
      'The file .tenon/manifest.json has another shape than this version writes; the message names the field. Correct it, or restore it from git.',
    exit: 4,
  },
  'manifest/unsupported-version': {
    title: 'the manifest is of a newer version',
    explain:
      'A newer tenon wrote .tenon/manifest.json, and this one could lose what it does not know. Update tenon.',
    exit: 4,
  },
  'manifest/minimum-version': {
    title: 'the manifest asks for a newer tenon',
    explain: 'The repository names a minimum version in .tenon/manifest.json. Update tenon.',
    exit: 4,
  },
  'runtime/choose': {
    title: 'which coding tools are meant is not certain',
    explain:
      'Several coding tools have files here, or none has, and there is no terminal to ask at. Name them with --runtime ID, repeated as needed.',
    exit: 4,
  },
  'runtime/unsupported': {
    title: 'nothing can be written for this coding tool',
    explain:
      'It has no place for what the integration needs; the message says why. Its own steps are printed where there are any. Leave it out of --runtime.',
    exit: 4,
  },
  'runtime/scope-unsupported': {
    title: 'the coding tool has no such scope',
    explain:
      'It keeps no files of this scope, so nothing is written for the other chosen tools either. Choose another --scope, or leave the tool out.',
    exit: 4,
  },
  'runtime/spec-invalid': {
    title: 'a spec of a coding tool has a fault',
    explain:
      'A file in specs/ of the package is not as it must be; the message names file and field. Correct it, or take it out of the package.',
    exit: 2,
  },
  'render/advisory': {
    title: 'the coding tool supports this only in part',
    explain:
      'It takes the artifact but does not enforce it in every case, for the reason in the message. It is written; do not rely on it alone.',
  },
  'render/defined-twice': {
    title: 'the server stands in two files of the coding tool',
    explain:
      'Both files are read, and one of them wins. tenon changes the one that the message names. Remove the other entry if it is not needed.',
  },
  'render/entry-missing': {
    title: 'an item of a list is not where its record says',
    explain: 'The list holds no element that is ours. It may have been removed by hand.',
  },
  'render/field-ignored': {
    title: 'the coding tool has no member for a detail',
    explain:
      'The entry is written without it, as the message says. Most often it is a time limit that the tool fixes itself.',
  },
  'render/file-chosen': {
    title: 'several files could hold the entry',
    explain:
      'The tool reads more than one file; tenon took the one that already holds such entries, or the strongest. The message names it.',
  },
  'render/literal-expands': {
    title: 'the coding tool would change a literal value',
    explain:
      'A header, variable, argument or URL holds text that this coding tool takes for a reference to a variable or file, ' +
      'and it has no escape for it. The server is left out for that tool, because another value than the written one ' +
      'would be sent. Write the value without that text, or refer to an environment variable that holds it.',
  },
  'render/name': {
    title: 'the coding tool takes no server of this name',
    explain: 'Its names follow a stricter rule. Choose another name.',
    exit: 4,
  },
  'render/no-decision': {
    title: 'the coding tool has no such permission rule',
    explain:
      'It cannot express this decision (ask, deny or allow) for single tools, so the rule is left out. Its own settings may offer something near.',
  },
  'render/no-field': {
    title: 'the coding tool has no place for a needed part',
    explain:
      'Its entries cannot carry it (for example headers), and without it the server would not work, so the entry is left out.',
  },
  'render/no-reference': {
    title: 'the coding tool cannot refer to a variable there',
    explain:
      'A header or variable of the server refers to an environment variable, and this coding tool has no way to write ' +
      'that in this place or scope. The server is left out for it; a secret is never written as text instead. Use another ' +
      'scope where the tool can, or a server without that header.',
  },
  'render/not-text': {
    title: 'a file of the integration is no text',
    explain: 'A skill, script or block must be UTF-8 text. This is a fault of the definition.',
  },
  'render/read-twice': {
    title: 'a skill is read from two folders',
    explain:
      'The tool also reads the folder of another tool, so it sees the same skill twice. That is harmless.',
  },
  'render/scope-unsupported': {
    title: 'the coding tool has no place of this scope for one part',
    explain:
      'Other parts have one and are written. Choose another --scope for this part, or leave it out with --without.',
  },
  'render/shadows-file': {
    title: 'a new instruction file would hide another',
    explain:
      'The tool reads only the first of several files that exists. A new file would make it stop reading the one it reads today.',
  },
  'render/shared-differs': {
    title: 'two coding tools share a file and want different text',
    explain: 'Both read the same file but need another value in it, so the part is left out for one of them.',
  },
  'render/transport': {
    title: 'the coding tool starts no such server',
    explain: 'It supports either servers on the network or programs, not the one that is needed here.',
  },
  'render/unknown-file': {
    title: 'a setting names a file that the coding tool does not have',
    explain: "This is a fault of the definition: the file's id is not in the tool's spec.",
  },
  'render/unsupported': {
    title: 'the coding tool has no such feature',
    explain:
      'It has no place for this kind of artifact (servers, skills, hooks or rules), or nobody knows one. The other parts are written.',
  },
  'hook/event-missing': {
    title: 'the coding tool has no such event',
    explain: 'A hook for it would never run, so it is left out.',
  },
  'hook/cannot-ask': {
    title: 'hooks of this coding tool cannot make it ask',
    explain:
      'A consent hook would run and change nothing, so it is left out. Permission rules may do instead.',
  },
  'hook/form': {
    title: 'the coding tool takes hooks in another form',
    explain:
      'It takes plugins where the integration ships scripts, or the other way round, so the hook is left out.',
  },
  'hook/interpreter-missing': {
    title: 'the program that runs a hook is not installed',
    explain:
      'The hook is left out, since it would fail at every start. Install the program, then run the command again.',
  },
  'hook/unsafe-name': {
    title: 'the file name of a hook is not plain',
    explain:
      'A name with blanks, quotes or other special characters in a shell line is not safe everywhere. Rename the file in the integration.',
  },
  'hook/no-matcher': {
    title: 'the coding tool cannot limit a hook to some tools',
    explain:
      'Its hooks run before every tool, so one that is meant for a few would stop them all. It is left out.',
  },
  'hook/position-changed': {
    title: 'hooks of yours move to another position',
    explain:
      'Some coding tools remember trust by the place of a hook in its list. Taking ours out moves the ones behind it, so the tool asks about them again. Nothing in them changes.',
  },
};
