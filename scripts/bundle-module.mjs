import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ROOT } from './project.mjs';

/** Bundles one module of the source and imports it. */
export async function bundleModule(entry) {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'module-'));
  try {
    const bundle = await rolldown({
      input: join(ROOT, entry),
      platform: 'node',
      cwd: ROOT,
      // jsonc-parser's `main` breaks when it is bundled.
      resolve: { mainFields: ['module', 'main'] },
    });
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: 'module.mjs',
      chunkFileNames: '[name].mjs',
    });
    await bundle.close();
    return await import(pathToFileURL(join(folder, 'module.mjs')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
