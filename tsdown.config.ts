import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/cli.ts'],
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist',
  clean: true,
  dts: false,
  minify: true,
  // jsonc-parser's `main` is UMD and breaks at run time when it is bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  outExtensions: () => ({ js: '.mjs' }),
});
