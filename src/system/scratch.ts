import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import type { AbsPath } from './ports.ts';

/** A folder of its own below the system's temporary one, mode 0700. */
export interface Scratch {
  /** Canonical. */
  readonly dir: AbsPath;
  /** Runs `before`, then removes the folder with everything in it. May be called again; the end of the process calls it too. */
  remove(): void;
}

/**
 * Makes a scratch folder that does not outlive the process, whatever ends it but a kill. `before` runs first, e.g. to end
 * what still works in the folder. Throws the system's error.
 */
export function makeScratch(prefix: string, before: () => void = () => {}): Scratch {
  const dir = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), prefix)));
  let isGone = false;
  const remove = (): void => {
    if (isGone) return;
    isGone = true;
    process.removeListener('exit', remove);
    before();
    try {
      fs.rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Something in it is still in use: the system's own cleaning of temporary folders is left to it.
    }
  };
  process.once('exit', remove);
  return { dir, remove };
}
