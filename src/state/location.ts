import { posix, win32 } from 'node:path';
import type { AbsPath, Host } from '../system/ports.ts';

/**
 * Where the state folder of a user is: `$TENON_STATE_DIR`, else the platform's own place (contract, section 5; XDG base
 * directory specification). Undefined where the variable, or else the home folder, is a relative path, which names another
 * folder in every working folder. Imports nothing but `node:path`: the shortest way to an answer goes through it (src/answer.ts).
 */
export function stateLocation(host: Pick<Host, 'platform' | 'env' | 'home'>): AbsPath | undefined {
  const paths = host.platform === 'win32' ? win32 : posix;
  const chosen = host.env['TENON_STATE_DIR'];
  if (chosen !== undefined && chosen !== '') {
    return paths.isAbsolute(chosen) ? paths.normalize(chosen).replace(/(.)[\\/]+$/, '$1') : undefined;
  }
  if (!paths.isAbsolute(host.home)) return undefined;
  if (host.platform === 'darwin') return paths.join(host.home, 'Library', 'Application Support', 'tenon');
  if (host.platform === 'win32') {
    const local = host.env['LOCALAPPDATA'];
    return paths.join(
      local !== undefined && paths.isAbsolute(local) ? local : paths.join(host.home, 'AppData', 'Local'),
      'tenon',
    );
  }
  // XDG: a relative value is invalid and must be ignored.
  const xdg = host.env['XDG_STATE_HOME'];
  return paths.join(
    xdg !== undefined && paths.isAbsolute(xdg) ? xdg : paths.join(host.home, '.local', 'state'),
    'tenon',
  );
}
