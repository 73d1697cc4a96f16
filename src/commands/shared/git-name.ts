import { isWithin, pathsOf } from '../../system/paths.ts';
import type { AbsPath, Host } from '../../system/ports.ts';

/**
 * A real file of the checkout `top` as git names it in the folder `from`, with forward slashes; undefined for one outside
 * the checkout.
 */
export function nameForGit(
  from: AbsPath,
  top: AbsPath,
  real: AbsPath,
  platform: Host['platform'],
): string | undefined {
  if (!isWithin(top, real, platform)) return undefined;
  const paths = pathsOf(platform);
  return paths.relative(from, real).split(paths.sep).join('/');
}
