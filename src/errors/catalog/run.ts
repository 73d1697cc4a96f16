import type { Codes } from './entry.ts';

/** The command line, and tenon itself. */
export const RUN_CODES: Codes = {
  'usage/unknown-command': {
    title: 'there is no such command',
    explain: 'See tenon --help for the commands.',
    exit: 2,
  },
  'usage/unknown-flag': {
    title: 'the command has no such flag',
    explain:
      'See tenon help COMMAND for its flags. Flags are never abbreviated. One that would mean nothing to a command is refused, never ignored.',
    exit: 2,
  },
  'usage/no-command': {
    title: 'no command was given',
    explain: 'See tenon --help for the commands.',
    exit: 2,
  },
  'usage/missing-argument': {
    title: 'an argument is missing',
    explain: 'The message names it, with an example.',
    exit: 2,
  },
  'usage/unexpected-argument': {
    title: 'an argument too many',
    explain: 'The command does not take it. Quote values with blanks.',
    exit: 2,
  },
  'usage/missing-value': {
    title: 'a flag lacks its value',
    explain: 'Give it behind the flag: --flag VALUE or --flag=VALUE.',
    exit: 2,
  },
  'usage/bad-value': {
    title: 'a value that cannot be used here',
    explain: 'The message says which values can.',
    exit: 2,
  },
  'usage/conflicting-flags': {
    title: 'two flags exclude each other',
    explain: 'Give only one of them.',
    exit: 2,
  },
  'usage/not-available': {
    title: 'a command that this version does not have',
    explain:
      'It is planned, and listed so that its name is not used otherwise. See tenon --help for what there is.',
    exit: 2,
  },
  'usage/unknown-code': {
    title: 'there is no such code',
    explain: 'Codes have the form area/name. tenon explain without a code lists them all.',
    exit: 2,
  },
  'usage/unknown-address': {
    title: 'no address of the plan fits',
    explain: 'Addresses are FILE, FILE#/json/pointer and what else a plan prints. Copy one from the plan.',
    exit: 2,
  },
  'usage/ambiguous-address': {
    title: 'a beginning fits several addresses',
    explain:
      'An address may be shortened as long as only one begins so; a file or a container stands for everything below it.',
    exit: 2,
  },
  'usage/unknown-input': {
    title: 'the integration has no such input',
    explain: 'The message lists its inputs.',
    exit: 2,
  },
  'usage/unknown-integration': {
    title: 'nothing of this name is set up here',
    explain: 'See tenon status for what is.',
    exit: 2,
  },
  'usage/unknown-part': {
    title: 'there is no such part to leave out',
    explain: '--without takes mcp, hooks, skills, permissions and blocks.',
    exit: 2,
  },
  'usage/ambiguous-name': {
    title: 'a name means two things',
    explain:
      'An integration and a server of tenon add have the same name here. Write the longer form that the message gives.',
    exit: 4,
  },
  'usage/arguments': {
    title: 'the arguments do not fit together',
    explain: 'See tenon help COMMAND for the forms.',
    exit: 2,
  },
  'usage/folder': {
    title: 'a folder that cannot be used',
    explain: '--cwd and --root must name existing folders.',
    exit: 2,
  },
  'usage/pair': {
    title: 'a name and a value were expected',
    explain: 'The message shows the form.',
    exit: 2,
  },
  'usage/server': {
    title: 'the server is not described completely',
    explain: 'tenon add takes a URL, or -- and a command.',
    exit: 2,
  },
  'sandbox/port': {
    title: 'the port cannot be used',
    explain: 'It is in use, or not allowed for this account. --port 0 takes any free one.',
    exit: 4,
  },
  'sandbox/address': {
    title: 'the loopback address is not there',
    explain: 'This machine does not have it. Take the IPv4 one.',
    exit: 4,
  },
  'run/interrupted': {
    title: 'the run was interrupted',
    explain: 'Ctrl-C came before anything was written, or the message says what was.',
    exit: 130,
  },
  'run/system-error': {
    title: 'the system refused a call',
    explain:
      'Reading or writing a file failed for a cause outside tenon: rights, a full or read-only disk, a circle of links, a disk fault. The message names the file and the cause.',
    exit: 4,
  },
  'run/open-files': {
    title: 'no further file can be opened',
    explain:
      'The limit of open files of the process (ulimit -n) or of the machine is used up. tenon waits a moment for files to be closed; then it ends, because what it would say of files that it could not open would be untrue. Many roots are shared out among threads only where at least 64 files may be open.',
    exit: 4,
  },
  'internal/bug': {
    title: 'tenon failed where it should not',
    explain:
      'This is a fault of tenon. Run the command again with --debug, and report what it prints; it holds no file contents.',
    exit: 2,
  },
  'usage/unknown-runtime': {
    title: 'there is no such coding tool',
    explain: 'tenon runtimes lists the known ids; aliases work too.',
    exit: 2,
  },
  'requirement/missing': {
    title: 'a program that an integration needs is not on PATH',
    explain:
      'tenon installs no dependencies. The entry is written all the same, because team mates may have the program; here the coding tool cannot start it. Install the program as its author says, then restart the coding tool.',
  },
  'state/history-broken': {
    title: 'the list of applied plans was changed',
    explain:
      'Each entry of the list holds the hash of the one before it, and one does not fit. What the entries from there on say is not proved. The files of the repository are not concerned.',
  },
  'state/not-empty': {
    title: 'this host has records of this root already',
    explain:
      'Importing would put another history in their place, and two cannot be merged. Export what is there and compare; take the integrations out first if the imported state is the right one.',
    exit: 4,
  },
};
