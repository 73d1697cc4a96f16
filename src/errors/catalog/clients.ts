import type { Codes } from './entry.ts';

/** What coding tools and servers say themselves, with `doctor --clients`. */
export const CLIENT_CODES: Codes = {
  'host/client-missing': {
    title: 'the coding tool does not list our server',
    explain:
      'The entry stands in its file, and the tool was asked and does not have it. Restart the tool and do what it asks; if it stays so, compare the version of the tool with the tested ones in tenon runtimes.',
  },
  'host/client-differs': {
    title: 'the coding tool says something else than its files',
    explain:
      'What the tool prints of the server does not fit the state that its files show. The tool is right. As a note: it is further than the files say.',
  },
  'host/client-other': {
    title: 'the coding tool has another server of this name',
    explain:
      'It lists the name with another address or program than our entry, so a stronger scope or file takes its place. Find that entry, and take one of the two out.',
  },
  'host/client-failed': {
    title: 'the coding tool could not reach the server',
    explain:
      'It has the server, uses it, and got no connection. Look whether the server answers, whether its variables are set where the tool is started, and at the message of the tool itself.',
  },
  'host/client-login': {
    title: 'the server wants a login in the coding tool',
    explain:
      'The tool reached the server and has no login for it. Log in within the tool; tenon never does that.',
  },
  'host/client-tools': {
    title: 'the coding tool lets only some tools of the server through',
    explain:
      'Its entry restricts the tools of the server, and ones that the integration names are not among them. That may be meant.',
  },
  'host/client-refuses': {
    title: 'the coding tool ends with an error in this folder',
    explain:
      'Its own list command failed; its first line stands in the message. Most often one of its files is not what it takes: another finding then names the place.',
  },
  'host/client-wrote': {
    title: 'the coding tool changed files of the repository while it was asked',
    explain:
      'Doctor writes nothing, but some tools write when they start: a schema line, a folder of packages, approvals moved to another file. Look at the change before it is committed.',
  },
  'server/not-started': {
    title: 'a server cannot be started here',
    explain:
      'The program that its entry names is not there or cannot be run, so no coding tool can use it. tenon installs nothing; install the program, or name it by a path that every tool sees.',
  },
  'server/no-answer': {
    title: 'a server was started and did not answer',
    explain:
      'It ended, kept silent, or did not speak the Model Context Protocol. Its last words stand in the message. It was started offline and with a bare environment, so a package that was never fetched, or a variable that its entry does not name, is not there.',
  },
  'server/tool-missing': {
    title: 'a server does not show a tool that its integration names',
    explain: 'Rules and texts of the integration speak of a tool that this release does not have.',
  },
  'server/tool-unknown': {
    title: 'a server shows a tool that its integration does not name',
    explain:
      'The tool may write, and no rule of the integration asks before it is called. Most often the release is newer than the integration.',
  },
  'server/tool-hint': {
    title: 'a hint of a tool is not what its integration says',
    explain:
      'Coding tools decide by such hints whether they ask before a call. Where the server and the integration disagree, one of the two is wrong.',
  },
  'server/proof-failed': {
    title: 'the call that proves a server did not succeed',
    explain:
      "The integration names one tool that only reads and takes no arguments. It was not there, refused, or answered in another shape. Its answer's content was not looked at.",
  },
};
