import type { Finding } from '../errors/error.ts';
import { holdsMore } from '../state/folder.ts';
import { maskHome } from '../system/paths.ts';
import { found, idle, type Probe } from './probe.ts';

/** An apply that was interrupted in this repository. */
export const journalProbe: Probe = {
  id: 'state/journal',
  title: 'No apply was interrupted',
  run: ({ pending }) => found(pending === undefined ? [] : [pending], 'none is pending'),
};

/** The user's state folder: readable by its owner alone (contract, section 5). */
export const stateProbe: Probe = {
  id: 'state/folder',
  title: 'The state folder',
  run({ base, state: { dir: stateDir }, wordFor }) {
    const shown = maskHome(stateDir, base.home);
    const stat = base.reader.stat(stateDir);
    if (stat === undefined) return idle(`nothing was written on this host yet (${shown})`);
    const findings: Finding[] =
      base.platform !== 'win32' && (stat.mode & 0o077) !== 0
        ? [
            {
              code: 'state/open-rights',
              severity: 'warning',
              subject: shown,
              message: `others may look into ${shown} (mode ${stat.mode.toString(8)})`,
              remedy: holdsMore(base.reader, stateDir)
                ? { text: 'Set TENON_STATE_DIR to a folder of its own; this one holds other things as well' }
                : { text: 'Take their rights away', command: `chmod 700 ${wordFor(stateDir)}` },
            },
          ]
        : [];
    return found(findings, `${shown}, readable by its owner only`);
  },
};
