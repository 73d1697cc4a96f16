import type { Codes } from './entry.ts';

/** What only doctor says. */
export const DOCTOR_CODES: Codes = {
  'config/not-read': {
    title: 'the coding tool cannot read the file as it is',
    explain:
      "tenon can read the file, but the tool's own reader takes no comment, trailing comma or byte-order mark there. Take it out, or the tool works without this file.",
  },
  'config/not-loaded': {
    title: 'configured but possibly not loaded',
    explain:
      'Our part stands in a file that its coding tool drops or refuses as a whole, for a reason that another finding names. Correct that one, and this goes away.',
  },
  'config/nested': {
    title: 'a configuration in a sub-folder',
    explain:
      'A coding tool that is started there may read this file too. tenon leaves it alone: it works on one root. Name the folder with --root to work on it.',
  },
  'config/duplicate-server': {
    title: 'one server under several names',
    explain:
      'The same endpoint or the same program is configured more than once for one coding tool, so its tools appear twice. Take one of the entries out.',
  },
  'config/rule-order': {
    title: 'another rule wins over ours',
    explain:
      'In this coding tool the order of permission rules decides, and another rule that matches the same tool stands where it wins: behind ours where the last match counts, before it where the first one does. Move it to the other side, or take it out. A setup that would end so is refused.',
    exit: 4,
  },
  'config/allowed-too': {
    title: 'another rule allows what ours asks about',
    explain:
      'A rule that was there before allows a tool that our rule asks about or denies. Ours decides in this coding tool as long as it stands; without it the tool is used with no question.',
  },
  'ownership/missing': {
    title: 'something that is set up is not there',
    explain:
      'The manifest or the record on this host says that an entry belongs here, and its file does not hold it. Run tenon sync to bring everything to its definition.',
  },
  'ownership/outdated': {
    title: 'an entry is older than its definition',
    explain:
      'What stands there is what tenon wrote, but the definition has changed since. Run tenon sync to update it.',
  },
  'host/shadowed': {
    title: 'another scope holds the same name and wins',
    explain:
      'The coding tool uses the entry of a stronger scope, so ours has no effect here. Take the other entry out, or rename one of them.',
  },
  'host/disabled': {
    title: 'configured, but switched off',
    explain:
      'The user switched the server off in the coding tool, or in its entry. That is respected: nothing is changed. Switch it on again in the tool if that is wanted.',
  },
  'host/rejected': {
    title: 'configured, but rejected in the coding tool',
    explain:
      "The tool's own list names the server as refused. tenon never changes such lists. Approve it in the tool if that is wanted.",
  },
  'host/approved-changed': {
    title: 'approved by name, and its content changed since',
    explain:
      'The coding tool remembers an approval by the name of the server alone. The entry is no longer what tenon wrote, and the tool uses the changed one without asking again. Look at the change; bring ours back with tenon sync --force ADDRESS, or take the approval back in the tool.',
  },
  'host/not-certified': {
    title: 'set up, and not certified on this machine',
    explain:
      'tenon wrote the configuration, and no evidence shows that this build of the client uses it: it was never certified here, its program is not on this machine, or the evidence is stale because the client, its spec, the integration or the scenario changed. Run tenon certify RUNTIME. Where the client never is, as on a CI machine, accept the finding in .tenon/manifest.json, with {"code":"host/not-certified","reason":"no coding tools here","expires":"2027-06-30"} in its "suppressions".',
  },
  'host/degraded': {
    title: 'set up, and not usable as it is',
    explain:
      'Something keeps the coding tool from what was set up for it; the message names the failure: a program that cannot be started, a version older than what was tested, an unsafe or broken configuration, a failed certification. Its remedy says what to do.',
  },
  'host/unsupported': {
    title: 'set up for a coding tool that is not supported here',
    explain:
      'The manifest names a coding tool that does not run on this platform, or for which nothing can be written. Take it out with tenon uninstall --runtime RUNTIME.',
  },
  'state/evidence': {
    title: 'evidence of a certification cannot be used',
    explain:
      'The file in the state folder is damaged, of an unknown version, or writable by others, so it certifies nothing. Certify again; tenon state repair sets the file aside.',
  },
  'certify/failed': {
    title: 'a coding tool did not pass the conformance scenario',
    explain:
      'The message names the step that did not hold, in a scratch repository of its own. Nothing of yours was changed. --debug shows what the client listed. A failed run is never reused: the next one is made anew.',
    exit: 1,
  },
  'certify/not-possible': {
    title: 'a coding tool that cannot be certified',
    explain:
      'It has no program that lists its servers without a person: an editor, a cloud surface, or a client whose command is not known. Look at it in the tool itself.',
    exit: 4,
  },
  'certify/not-installed': {
    title: 'the client is not on this machine',
    explain:
      'Its program was not found on PATH outside of this repository, so there is nothing to certify. Install it, or correct PATH.',
    exit: 4,
  },
  'certify/changed': {
    title: 'the client changed while it was certified',
    explain:
      'Its files are others than before, probably by an update of its own, so the run proves nothing. Try again.',
    exit: 4,
  },
  'host/denied': {
    title: 'denied, or not among those that are allowed',
    explain:
      'A managed policy of this machine, or a list in the settings of the coding tool, denies the server or does not allow it. The message names the file.',
  },
  'host/hooks-off': {
    title: 'hooks are switched off in the coding tool',
    explain: 'Our hook is configured and does not run. The message names the setting.',
  },
  'host/unknown-name': {
    title: 'a list of servers names one that does not exist',
    explain:
      'Such a list switches servers on or off by name, and this name belongs to no server that the coding tool has here. Correct or remove the name.',
  },
  'host/cannot-tell': {
    title: 'a state of the coding tool could not be read',
    explain:
      'The file that holds it is there but cannot be read, so nothing is said about it. Correct the file or its access rights.',
  },
  'host/several-keys': {
    title: 'one folder under several spellings',
    explain:
      "The coding tool keeps facts of this folder under several spellings of its path, so trust may stand at one and servers at another. Nothing is merged or renamed. Tidy them up with the tool's own means.",
  },
  'host/variable-unset': {
    title: 'a variable that a server needs is not set',
    explain:
      'An entry refers to an environment variable that this shell does not have. The message says what the coding tool does then. Set it where the tool is started; its value belongs into no file.',
  },
  'hook/script-missing': {
    title: 'a hook calls a script that is not there',
    explain:
      'Interpreters end with an error then, and some coding tools take that as a refusal of every tool call. Bring the script back or take the hook out.',
  },
  'hook/script-broken': {
    title: 'a hook script does not parse',
    explain:
      'The installed interpreter finds a syntax error in it. Update the interpreter, or run tenon sync.',
  },
  'hook/runs-elsewhere': {
    title: 'another coding tool runs the hook too',
    explain:
      "Some coding tools also run the hooks that stand in another one's file. Where such a tool has a hook of its own for the same, the script runs twice there, so it has to look at which tool called it.",
  },
  'secret/exposed': {
    title: 'a literal credential',
    explain:
      'The value is written out where others can read it. Put it into an environment variable and refer to that, and replace the credential at its issuer if the file was shared. The value is never shown.',
  },
  'secret/world-readable': {
    title: 'everybody on this machine can read a private file',
    explain: 'The file may hold credentials. Take the rights of others away, for instance with chmod 600.',
  },
  'file/not-excluded': {
    title: 'a private file could be committed',
    explain:
      'The file is meant for this checkout alone, but git would add it. Put it into .git/info/exclude or .gitignore.',
  },
  'state/open-rights': {
    title: 'others can read the state folder',
    explain: 'It holds backups of your files. Take the rights of others away: chmod 700.',
  },
  'suppression/expired': {
    title: 'a suppression is past its date',
    explain:
      'The manifest hides a finding until a date that has passed, so it is shown again. Correct the cause, or give a new date and reason.',
  },
};
