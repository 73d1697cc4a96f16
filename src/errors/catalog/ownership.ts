import type { Codes } from './entry.ts';

/** Who owns what; plans, approval, trust and the state on this host. */
export const OWNERSHIP_CODES: Codes = {
  'ownership/not-ours': {
    title: 'something else stands where our entry would go',
    explain:
      'At this address the file holds an entry that tenon did not write, with another value. Nothing carried by a repository gives the right to overwrite it. Keep yours (--resolve ADDRESS=keep), or have it replaced (--resolve ADDRESS=replace): uninstall then puts yours back.',
    exit: 4,
  },
  'ownership/duplicate-endpoint': {
    title: 'the same server is there under another name',
    explain:
      'An entry of yours connects to the same endpoint or starts the same program. A second entry would give the coding tool every tool twice. Keep yours, or remove it first.',
    exit: 4,
  },
  'ownership/drifted': {
    title: 'an entry was edited after tenon wrote it',
    explain:
      'The value differs from every value that tenon recorded writing there. Your edit is kept and never overwritten by itself. Restore ours with --force ADDRESS, or give it up with tenon forget ADDRESS.',
  },
  'ownership/both-changed': {
    title: 'an entry was edited, and its definition changed too',
    explain:
      'Both the file and the definition changed the same part since tenon wrote it. Which one is meant is yours to decide: --resolve ADDRESS=keep or --resolve ADDRESS=replace.',
    exit: 4,
  },
  'ownership/removed': {
    title: 'an entry was removed by hand',
    explain:
      'tenon wrote this entry and it is gone, so somebody took it out on purpose. It is not written again by itself. Bring it back with --restore ADDRESS, or give it up with tenon forget ADDRESS.',
  },
  'ownership/stale': {
    title: 'an entry that its definition no longer holds',
    explain:
      "tenon wrote this entry, nobody edited it, and today's definition does not have it any more. tenon sync --prune takes it out.",
  },
  'ownership/adoptable': {
    title: 'entries that another host wrote',
    explain:
      'The manifest lists an integration whose entries are in the files exactly as they should be, but no record of this host says that tenon wrote them here. tenon adopt takes them over, so that this host can update and remove them. Until then they are left alone.',
  },
  'ownership/other-scope': {
    title: 'the same stays set up in another scope',
    explain:
      'Uninstall takes out what belongs to this repository. What is set up for your whole account serves other repositories too and goes with --scope user.',
  },
  'uninstall/leftover': {
    title: 'something that is not of tenon stays',
    explain:
      'An approval that the coding tool keeps by name, a login made in it, files that it made itself, or a token that its server still takes. tenon leaves them; the message says where they are.',
  },
  'ownership/unproven': {
    title: 'an entry that only looks like ours',
    explain:
      'It equals what tenon would write, or stands in its place with other content, but no record of this host proves that tenon wrote it, so uninstall leaves it. Take an equal one over with tenon adopt first; take another one out by hand, or keep it as yours with tenon forget; then uninstall again.',
  },
  'ownership/not-adoptable': {
    title: 'an entry that cannot be taken over',
    explain:
      'tenon adopt takes only entries that are exactly as the manifest says, because only for those it is known what uninstall would remove. This one is missing, edited, another one, or was there before the setup and so is not of tenon. tenon status says how it stands.',
    exit: 4,
  },
  'ownership/nothing-to-switch': {
    title: 'no server entry that could be switched',
    explain:
      'tenon disable and enable change the switch only in entries that the ledger of this host owns. On a clone tenon adopt takes them over first.',
    exit: 4,
  },
  'runtime/no-switch': {
    title: 'the coding tool keeps its switch elsewhere',
    explain:
      "Its configuration file has no switch for a single server, so there is nothing that tenon could write there. Use the tool's own list of servers; the message names where it keeps the choice.",
  },
  'ownership/overlap': {
    title: 'two integrations want different things at one address',
    explain:
      'Both define a value for the same place or for places inside each other. Leave one of them out, or that part of it with --without.',
    exit: 4,
  },
  'plan/conflicts': {
    title: 'the plan has conflicts that nobody decided',
    explain:
      'A plan is applied as a whole or not at all, and conflicts are never decided by --yes. Decide each with --resolve ADDRESS=CHOICE, or leave the part out with --without.',
    exit: 4,
  },
  'plan/stale': {
    title: 'something changed since the plan was made',
    explain:
      'A file, a definition or a record is not what it was when this digest was computed, so approving it would approve something nobody saw. Look at the plan again and approve its new digest.',
    exit: 6,
  },
  'approval/required': {
    title: 'nobody approved the plan',
    explain:
      "Without a terminal a plan is approved only by --yes (project files from bundled or trusted content) or by --approve with its digest. A piped answer is no approval, and a coding agent's terminal cannot consent for a person.",
    exit: 3,
  },
  'approval/declined': {
    title: 'the plan was not approved',
    explain:
      'The answer was No, Ctrl-C or the end of input. Nothing was written. Run the command again when you want it.',
    exit: 3,
  },
  'approval/user-files': {
    title: 'files outside the repository need an approval of their own',
    explain:
      'The plan writes files in your home folder, or behind a link that leaves the repository. --yes covers project files alone. Add --allow user-files, or answer the question at a terminal.',
    exit: 3,
  },
  'trust/required': {
    title: 'content of this repository is not trusted on this host',
    explain:
      "The artifact's definition, inputs or overrides come from the repository, so whoever can change the repository decides what it runs. It is shown and planned, but not written until a person reviews it with tenon trust.",
    exit: 3,
  },
  'trust/changed': {
    title: 'what stands here is no longer what was granted',
    explain:
      'The entries were granted on this host, and what they stand for is another thing today: a file of the definition, a file that they run, or a choice changed since. They stay in their files and keep working; nothing more of it is written, and doctor --clients starts none of its servers. Review it with tenon trust, or take it out with tenon uninstall.',
  },
  'trust/terminal-required': {
    title: 'only a person at a terminal can trust content of a repository',
    explain:
      "A pipe, --json, CI, --yes, --force and the terminal of a coding agent's session never grant: what runs on this machine is for a person to read and decide. Run the command that the message gives in a terminal of your own.",
    exit: 3,
  },
  'trust/unusable': {
    title: 'the grants of this root cannot be used',
    explain:
      "The file of grants in tenon's state folder is damaged, of an unknown version, made for another folder, or writable by others. A grant that cannot be relied on is none, so nothing is trusted here until the file is gone and the content is granted again.",
  },
  'trust/not-recorded': {
    title: 'an approval was not recorded as trust',
    explain:
      'What you typed was applied, but the state folder could not take the note of it, so a later sync treats the choices in the manifest as unknown. tenon trust records it.',
  },
  'trust/unknown-grant': {
    title: 'there is no such grant here',
    explain: 'tenon trust --list shows the grants of this root with their ids; a unique beginning is enough.',
    exit: 2,
  },
  'trust/unpinned-launch': {
    title: 'a program is fetched without a fixed version',
    explain:
      'The launch names a package or an image without an exact version (npx pkg, uvx pkg, @latest), so what runs is whatever its publisher put there last, and no review of this repository covers it. Name an exact version.',
  },
  'trust/scan-limit': {
    title: 'the inventory is too large to be complete',
    explain:
      'A file of more than 2 MiB, more than 2,000 entries, or folders nested too deep: an inventory that leaves something out would be worth nothing, so there is none. Look at what the message names.',
    exit: 4,
  },
  'trust/scan-differs': {
    title: 'the inventory is another one than the reviewed one',
    explain:
      'Something that coding tools would run or obey was added, changed or removed since the digest was taken. Compare the entries of tenon trust scan, review the change, then use the new digest.',
    exit: 1,
  },
  'recover/needed': {
    title: 'an earlier apply was interrupted',
    explain:
      'Some files may be in their new state and some in their old one; a journal outside the repository knows which. Writing commands wait. tenon recover finishes it where every file proves, else undoes it.',
    exit: 5,
  },
  'apply/rolled-back': {
    title: 'applying failed, and every file was put back',
    explain:
      'A write failed in the middle (the message names it), and all files that were already replaced were restored from their backups. Remove the cause, then run the command again.',
    exit: 5,
  },
  'state/backup-missing': {
    title: 'replaced content is no longer in the state folder',
    explain:
      'The entry replaced content of yours, which was kept outside the repository to be put back; that copy is gone. The entry is kept, since removing it would lose what was there. Put the content back by hand.',
    exit: 4,
  },
  'state/unreadable': {
    title: 'the state of tenon on this host cannot be read',
    explain:
      'The state folder or a file in it may not be read, or a file is damaged or of an unknown version. It is never reset by itself, because then nobody would know what tenon wrote. Correct the access rights, or see tenon state repair.',
    exit: 2,
  },
  'state/unsafe': {
    title: 'the state folder is not safe',
    explain:
      'The folder lies inside a repository, behind a link, or others may write it, so its records could be forged; or others may look into it, and it holds other things, so its access rights are not narrowed. Name another one with TENON_STATE_DIR, or correct its access rights.',
    exit: 4,
  },
  'state/unwritable': {
    title: 'the state folder cannot be written',
    explain:
      'Without a record of what it wrote tenon could not take it out again, so nothing is written at all. Make the folder writable, or name another one with TENON_STATE_DIR.',
    exit: 4,
  },
  'state/busy': {
    title: 'another run of tenon is at work here',
    explain:
      'Two runs must not write one repository at once; the second waits 10 seconds. Run the command again when the other has ended.',
    exit: 4,
  },
  'undo/changed': {
    title: 'a file was changed since the plan was applied',
    explain:
      'Undo would take the later change with it. Use tenon uninstall, which removes only what tenon wrote.',
    exit: 4,
  },
  'plan/masked': {
    title: 'a patch hides a secret, and may not apply',
    explain:
      'tenon prints no secret, so a patch of tenon plan --patch shows [REDACTED] where one stands in the file. git compares the lines beside a change with the file, and refuses the part of the patch that holds such a line. tenon setup and tenon sync write the same change without a patch.',
  },
  'plan/unreadable': {
    title: 'a saved plan cannot be read',
    explain:
      'The file of tenon plan --out holds selections and a digest in a form of its own; this one is something else, or of another version. Make it again with tenon plan --out FILE.',
    exit: 2,
  },
  'recover/failed': {
    title: 'a backup is missing or damaged',
    explain:
      'The journal names a backup that is not there as it was written, so a file cannot be put back. Nothing else is touched. Put the file right by hand (git may have it), then run tenon recover again.',
    exit: 5,
  },
  'recover/kept': {
    title: 'a file was changed by someone else meanwhile',
    explain:
      'Recovering touches a file only if its bytes are the recorded ones from before or after. This one is neither, so it was left as it is. Look at it; nothing more happens to it by itself.',
  },
  'state/leftover': {
    title: "something of tenon's own was not cleared away",
    explain:
      'All files of the plan are written; only a journal, a backup or the history entry in the state folder could not be put away. tenon recover does it.',
  },
  'undo/backup-missing': {
    title: 'a backup of the last plan is missing',
    explain:
      'Undo puts back the bytes from before, and one of these copies is gone or damaged. Nothing was changed. tenon uninstall takes out what tenon wrote.',
    exit: 4,
  },
  'sync/difference': {
    title: 'the repository differs from what is set up',
    explain:
      'tenon sync --check compares the files with what the manifest asks for and found this difference. Run tenon sync to bring them together, or tenon plan to see the change.',
    exit: 1,
  },
};
