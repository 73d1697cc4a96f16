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
};
