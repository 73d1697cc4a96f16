// Which packages the program is made of: read from the bundler's own module list, not from a list that could go stale.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { bundleStubs } from './bundle-stubs.mjs';
import { ROOT } from './project.mjs';

/** Name, version, licence expression, folder and integrity (of the lock file) of every bundled package, by name. */
export async function bundledPackages() {
  const bundle = await rolldown({
    input: join(ROOT, 'src/cli.ts'),
    platform: 'node',
    plugins: [bundleStubs],
    logLevel: 'silent',
    resolve: { mainFields: ['module', 'main'] },
  });
  const { output: chunks } = await bundle.generate({ format: 'esm' });
  await bundle.close();

  const folders = new Map();
  for (const chunk of chunks) {
    for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
      const at = id.lastIndexOf('/node_modules/');
      if (at < 0) continue;
      const [first, second] = id.slice(at + '/node_modules/'.length).split('/');
      const name = first.startsWith('@') ? `${first}/${second}` : first;
      folders.set(name, join(id.slice(0, at), 'node_modules', name));
    }
  }
  const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  return [...folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, folder]) => {
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const place = folder.slice(folder.indexOf('/node_modules/') + 1);
      return { name, version, license, folder, integrity: locked[place]?.integrity };
    });
}
