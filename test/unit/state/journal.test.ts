import { describe, expect, it } from 'vitest';
import { openStateFolder } from '../../../src/state/folder.ts';
import {
  type Journal,
  journalPath,
  pendingFinding,
  pendingJournal,
  recoverNeeded,
  writeJournal,
} from '../../../src/state/journal.ts';
import { memorySystem } from '../../../src/system/memory.ts';

const journal = (root: string): Journal => ({
  schemaVersion: 1,
  id: '20270101T000000000Z-00000001',
  root,
  command: 'add',
  planDigest: `sha256:${'0'.repeat(64)}`,
  time: 1,
  makeDirs: [],
  removeDirs: [],
  steps: [],
  ledgers: [],
  backups: '/home/me/.local/state/tenon/backup/x',
});

describe('a journal that nobody holds', () => {
  it('is pending', () => {
    const system = memorySystem({ '/repo/.git': { directory: true } });
    const folder = openStateFolder(system);
    writeJournal(system, folder, journal('/repo'));
    expect(pendingJournal(system, folder, '/repo')?.id).toBe(journal('/repo').id);
  });

  it('names the root that it is of, which may be a folder below the top level', () => {
    const other = journal('/repo/it is');
    const remedy = { command: "tenon recover --root '/repo/it is'" };
    expect(recoverNeeded(other, '/repo')).toMatchObject({ remedy });
    expect(pendingFinding(other, '/repo')).toMatchObject({ remedy });
    expect(pendingFinding(other, '/repo/it is')).toMatchObject({ remedy: { command: 'tenon recover' } });
  });

  it('is not pending when its run ended while it was looked at', () => {
    const system = memorySystem({ '/repo/.git': { directory: true } });
    const folder = openStateFolder(system);
    writeJournal(system, folder, journal('/repo'));
    const path = journalPath(folder, '/repo');
    let looks = 0;
    const racing = {
      ...system,
      reader: {
        ...system.reader,
        lstat: (asked: string) => {
          // The run drops its journal, then its lock, right after the first look at the journal.
          if (asked !== path && looks > 0 && system.reader.lstat(path) !== undefined)
            system.writer.remove(path);
          if (asked === path) looks += 1;
          return system.reader.lstat(asked);
        },
      },
    };
    expect(pendingJournal(racing, folder, '/repo')).toBeUndefined();
    expect(looks).toBeGreaterThan(1);
  });
});
