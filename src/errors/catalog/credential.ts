import type { Codes } from './entry.ts';

/** Logins and credentials that a person enters. */
export const CREDENTIAL_CODES: Codes = {
  'credential/needed': {
    title: 'the server needs a login that is not set up',
    explain:
      'OAuth is named as the way only after its metadata passed every check, and no token is referred to. Put a token into the environment variable that the message names, or enter one at a terminal.',
  },
  'credential/interactive-only': {
    title: 'a credential is entered by a person only',
    explain:
      'Keys and tokens are asked for at a terminal, hidden, and never taken from a pipe, a flag, or a session of a coding agent. Run the command at a terminal of your own, or choose the environment variable instead.',
    exit: 3,
  },
  'credential/tracked': {
    title: 'git would carry the credential away',
    explain:
      'The file that would hold the token is in the index, as committed or as staged. A literal token goes only into an untracked file. Use the environment variable, or take the file out of the index with git rm --cached first.',
    exit: 4,
  },
  'credential/unverifiable': {
    title: 'whether git tracks the file could not be asked',
    explain: 'Without that answer no token is written. The message has the words of git.',
    exit: 4,
  },
  'credential/not-ignored': {
    title: 'git would not ignore the file that would hold the credential',
    explain:
      'A line in info/exclude keeps git from the file. A .gitignore of the repository that takes the file back with a line that begins with ! counts more than that line, and with core.worktree git counts paths from another folder. Take that out, or refer to an environment variable instead.',
    exit: 4,
  },
  'credential/file-mode': {
    title: 'others can read the file that would hold the credential',
    explain:
      'A token goes only into a file that its owner alone can read. Take the rights of others away first.',
    exit: 4,
  },
  'credential/placeholder': {
    title: 'it is not clear where the credential goes',
    explain:
      'The named placeholder stands in the file more than once, or already. tenon replaces exactly one, its own. Take the other out.',
    exit: 4,
  },
  'credential/other-url': {
    title: 'the entry names another server than the token is for',
    explain:
      'A token is written only beside the very URL that it was tried at. Correct the entry, then repeat.',
    exit: 4,
  },
  'credential/not-literal': {
    title: 'there is no literal token to replace',
    explain:
      '--rotate replaces the one token that an earlier setup wrote. The entry refers to a variable, was edited, or is not there.',
    exit: 4,
  },
  'credential/no-expiry': {
    title: 'the token does not expire',
    explain:
      'The server issues this kind of token without an expiry on purpose. It works until it is revoked there, so protect the file like a password; --rotate replaces it.',
  },
  'credential/not-here': {
    title: 'an entry waits for a credential on this host',
    explain:
      'The manifest asks for a server entry with a token that only a person can enter, and this checkout has none yet. Run tenon setup at a terminal.',
  },
  'credential/moved': {
    title: 'a literal token left its file',
    explain:
      'The coding tool logs in by itself now, and a person said that it was seen connected. The token that stood in its file is gone from there; it stays valid at its server. tenon undo puts the file back as it was, as long as nothing else changed it.',
  },
  'credential/kept': {
    title: 'the literal token stays until the client was seen connected',
    explain:
      'Moving to the login of the client takes the working token away. That happens only when a person says that the client was seen connected by its own login.',
  },
  'consent/bypassable': {
    title: 'a coding tool has ways around a rule that asks',
    explain:
      'Modes of the tool itself can pass over rules that ask before a write. Where it runs so, the only hard limit is the credential: use one that may read only.',
  },
  'consent/grant-unchecked': {
    title: 'whether the server grants proposals without a question is not known yet',
    explain:
      'The save mode auto-propose works only for a caller whom the server grants personal proposals. Setup sends no credential, so it asks only a server that needs no login; tenon doctor --live asks the others, and fails where the grant is missing.',
  },
  'consent/not-granted': {
    title: 'the server does not grant proposals without a question',
    explain:
      'The save mode auto-propose writes into the personal scope of its user without asking, so setup takes it only where the server says that it grants that. Choose --set SAVE_MODE=suggest, with which the coding tool asks first.',
    exit: 4,
  },
  'consent/wide-credential': {
    title: 'saving is off, and the credential could still write',
    explain:
      'Rules of a coding tool can be got around, a missing scope cannot. Use a credential for reading only.',
  },
  'endpoint/mapping': {
    title: 'what the server says of this repository',
    explain:
      'The project that it belongs to, those that this login may read, and what the login may do. The message names the next step where there is one.',
  },
  'endpoint/legacy-tools': {
    title: 'the server shows the old tool names',
    explain:
      'The memory_* names are off by default. Switch the profile of the server, or live with both sets.',
  },
  'endpoint/tool-profile': {
    title: 'the server shows other tools than this set-up expects',
    explain:
      'The profile of the server (VERA_MCP__TOOL_PROFILE) and the one that is chosen here (TOOL_PROFILE) differ, or the server lists other tools than it says. Nothing is broken by it: every call is decided by the server. Change the one or the other.',
  },
  'endpoint/save-mode': {
    title: 'the chosen save mode is not granted',
    explain:
      'Proposals without a question need a grant of the server. Choose suggest, or ask the owner of the server.',
  },
};
