// Last step of the build: chunks that few commands load (the groups named packed-* in tsdown.config.ts) are kept as
// dist/<chunk>.br, which bin/load.cjs unpacks in less than a millisecond. The package is a third smaller by it.
// To read one: node -e 'process.stdout.write(zlib.brotliDecompressSync(fs.readFileSync(process.argv[1])))' FILE
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { ROOT } from './project.mjs';

const dist = join(ROOT, 'dist');
let before = 0;
let after = 0;
for (const name of readdirSync(dist).filter((file) => /^packed-.*\.cjs$/.test(file))) {
  const file = join(dist, name);
  const code = readFileSync(file);
  const packed = brotliCompressSync(code, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: code.length, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
  writeFileSync(`${file}.br`, packed);
  rmSync(file);
  before += code.length;
  after += packed.length;
}
if (after === 0) throw new Error('no chunk is named packed-*: see tsdown.config.ts');
console.log(`packed chunks: ${before} -> ${after} bytes`);
