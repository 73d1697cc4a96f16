/**
 * What every command but `--version` and `--help` needs, behind one dynamic import: each further one costs a resolve and
 * a file of its own at start.
 */
export { realSystem } from '../system/real.ts';
export { rememberAll } from '../system/remembering-reader.ts';
export { toGlobalOptions } from './options.ts';
export { parseCommandLine } from './program.ts';
