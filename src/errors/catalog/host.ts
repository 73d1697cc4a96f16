import type { Codes } from './entry.ts';

/** Files, folders and programs of this machine. */
export const HOST_CODES: Codes = {
  'file/outside': {
    title: 'a link leads out of the repository',
    explain:
      'The file is reached through a link that leaves the repository, so writing it would change something elsewhere. Decide it with --resolve PATH=follow, or replace the link by a file. The answer is recorded on this host for the file behind the link; when the link leads to another file later, it is asked for again.',
    exit: 4,
  },
  'file/managed-elsewhere': {
    title: 'a file of your home folder belongs to a dotfile manager',
    explain:
      "chezmoi, yadm, stow or a link of your own keeps the source of this file elsewhere. A change here would be undone by the manager's next run, or turn up in its repository. Make the change in the source, or write here all the same with --resolve PATH=follow.",
    exit: 4,
  },
  'file/dangling-link': {
    title: 'a link leads nowhere',
    explain: 'What it points to does not exist. Create that, or remove the link.',
    exit: 4,
  },
  'file/link-as-text': {
    title: 'a link is there as text',
    explain:
      'Git could make no link in this checkout (core.symlinks is off, as it often is on Windows) and wrote a file that holds the target alone. What is put into it, git would commit as the target of the link. Allow links and check it out again, or replace it by a file or folder of its own. If it is meant as text, end it with a line feed.',
    exit: 4,
  },
  'file/hard-linked': {
    title: 'a file has several names on disk',
    explain:
      'Replacing it would separate them; the other names would keep the old content. --force FILE writes it in place, under every name.',
    exit: 4,
  },
  'file/read-only': {
    title: 'a file or its folder is read-only',
    explain: 'The mode says that nobody should write it. Make it writable, then run the command again.',
    exit: 4,
  },
  'file/unreadable': {
    title: 'a file cannot be read',
    explain: 'The system refused it; the message names the reason. Correct the access rights.',
    exit: 4,
  },
  'file/unwritable': {
    title: 'a file cannot be written',
    explain:
      'The system refused to create the file that you named; the message says why. Nothing of it was left. Make room or correct the rights, or name another place.',
    exit: 4,
  },
  'file/not-a-file': {
    title: 'something that is no file is in the way',
    explain: 'A folder, device or socket stands where a file must be. Move it out of the way.',
    exit: 4,
  },
  'file/too-large': {
    title: 'a file is too large to be edited',
    explain: 'No configuration is that large, and reading it could take long. Add the entry by hand.',
    exit: 4,
  },
  'file/encoding': {
    title: 'a file is not UTF-8 text',
    explain:
      'Its bytes are no valid UTF-8, and an edit would change bytes that are not ours. Save it as UTF-8.',
    exit: 4,
  },
  'file/refused': {
    title: 'no integration may write there',
    explain:
      "Files of an integration may only go below folders that the coding tool's spec names; never into .git, CI folders, .tenon or shell start-up files.",
    exit: 4,
  },
  'repo/search-limited': {
    title: 'not all folders were searched for roots',
    explain:
      'Looking for folders that have something set up ends after 8 levels or 20,000 folders, so that it never takes long. What lies deeper is not part of this run; name it with --root DIR. Nor is a folder that this user may not enter, or one whose name is not UTF-8. Hidden folders and those of dependencies and build tools are passed over without a word; tenon --help names them.',
  },
  'repo/root-below': {
    title: 'this folder has a manifest that was not looked at',
    explain:
      "Without --root a command works on the repository's top level. A folder between that and the working folder has a manifest of its own, so something is set up there that this run says nothing about. Name it with --root DIR, or take every folder with --all-roots.",
  },
  'repo/missing': {
    title: 'this is no git repository',
    explain:
      "Project files are written relative to a repository's top level. Run the command inside one, or name a folder with --root DIR.",
    exit: 2,
  },
  'repo/bare': {
    title: 'this is a bare repository',
    explain: 'It has no files to work on. Run the command in a checkout.',
    exit: 2,
  },
  'repo/broken': {
    title: 'git cannot read this repository',
    explain:
      "git's own reason stands in the message, with its command where it names one. tenon changes no git configuration.",
    exit: 2,
  },
  'host/env-path': {
    title: 'a variable names a folder that cannot be used',
    explain:
      'A coding tool moves its folder with this variable, and its value is no absolute path or not there. Correct or unset it.',
    exit: 4,
  },
  'host/file-ignored': {
    title: 'the coding tool would not read the file',
    explain:
      'As the file is (or would be after the change), the tool drops or refuses it as a whole, for the reason in the message. Nothing is written until that is corrected.',
    exit: 4,
  },
  'host/path': {
    title: 'a program is found only under some PATH',
    explain:
      'Programs started from a desktop see another PATH than a shell. Name the program by a path that both see.',
  },
  'file/owner': {
    title: 'a file belongs to another user',
    explain:
      'Replacing it would make it yours, so it is left alone. Run as its owner, or change the owner first.',
    exit: 4,
  },
  'file/exists': {
    title: 'the file to be written exists already',
    explain:
      'What a command writes for you is a new file; an existing one is never written over. Name another file, or remove this one.',
    exit: 4,
  },
  'host/untrusted-project': {
    title: 'the coding tool does not trust this folder',
    explain:
      "It ignores the project's own files until a person trusts the folder in the tool itself. tenon never does that. Start the tool here and answer its question.",
  },
  'host/pending-approval': {
    title: 'the coding tool has not approved the server yet',
    explain:
      'It asks its user once about servers that come with a project. Start the tool here and approve it.',
  },
  'host/hook-untrusted': {
    title: 'the coding tool skips a hook until it is trusted',
    explain: 'The tool keeps hashes of hooks that its user reviewed. Review it in the tool.',
  },
  'file/ignored': {
    title: 'git ignores a file that was written',
    explain:
      'Team mates will not get it. That may be meant; otherwise change the ignore rules. tenon changes none by itself.',
  },
  'host/version-old': {
    title: 'the coding tool is older than what was tested',
    explain: 'Something may not be read as its spec says. Update the tool.',
  },
};
