import { defineConfig } from 'tsdown';
import { bundleStubs } from './scripts/bundle-stubs.mjs';

/**
 * Cold start: every chunk that a command loads costs one to two milliseconds of resolving and opening, so what nearly
 * every command needs is one chunk; parsers, the network client, zod and the SDK are chunks of their own, loaded when
 * they are used.
 */
const groups = [
  {
    // What is loaded before everything else.
    name: 'answers',
    priority: 3,
    test: /src\/(state\/(answers|location)|system\/(unchanged|descriptors)|lib\/short-hash)\.ts$|\/package\.json$/,
  },
  {
    // All that --version needs.
    name: 'base',
    priority: 2,
    test: /src\/(cli\/(again|argv|early|interactive|interrupt|run)|errors\/(error|to-error)|lib\/printable|reporting\/(theme|text|printable|guard|serialize|findings-view|error-view|reporter|spinner|format-parts))\.ts$/,
  },
  {
    name: 'commander',
    test: /node_modules\/commander\/|src\/cli\/(program|command-table|flags|options|argv|usage-error)\.ts$/,
  },
  {
    name: 'toml',
    test: /src\/formats\/toml[^/]*\.ts$|node_modules\/(smol-toml|@iarna\/toml)\//,
  },
  {
    name: 'network',
    test: /src\/endpoint\/(?!url|display|findings|address|tools)[^/]*\.ts$|node_modules\/(eventsource-parser)\//,
  },
  {
    name: 'core',
    // Before the others, which would else take what they share with it.
    priority: 1,
    test: new RegExp(
      [
        'src/lib/(?!anonymous|repository-identity)',
        'src/system/(?!memory|fault|trace|git|child|scratch|package-files|enrolled-roots|recording|listed-reader)',
        'src/state/(?!schema|maintain|rebind|evidence|history|recorded-roots)',
        'src/engine/(?!transaction|commit|stage|restore|recover|undo)',
        'src/manifest/(?!schema)',
        'src/formats/(?!toml)',
        'src/runtimes/(?!schema|check|gates|tier|foreign|allow-rules|notes|references)',
        'src/integrations/(?!schema|harnesses|defaults)',
        'src/trust/(?!scan|contents|places)',
        'src/endpoint/(url|display|findings|address)\\.ts$',
        'src/reporting/table\\.ts$',
        'src/commands/shared/(workspace|inspect|selection|planning|choices|path-word|standing|trust-policy|duplicates|requirements)\\.ts$',
        'node_modules/jsonc-parser/',
      ].join('|'),
    ),
  },
  {
    // What no status needs of those rooms.
    name: 'seldom',
    test: /src\/(lib\/anonymous|system\/enrolled-roots|state\/evidence|runtimes\/(gates|tier|foreign|allow-rules|notes)|integrations\/defaults|trust\/(scan|contents|places)|endpoint\/tools|commands\/shared\/converge)[^/]*\.ts$/,
  },
  // Last, for a group takes along what it imports.
  { name: 'zod', test: /node_modules\/zod\// },
  { name: 'sdk', test: /node_modules\/(@modelcontextprotocol|@hono|hono)\// },
  { name: 'clack', test: /node_modules\/(@clack|fast-[\w-]+|sisteransi)\// },
  { name: 'git', test: /node_modules\/(simple-git|@simple-git|@kwsites|debug)\// },
  { name: 'catalog', test: /src\/errors\/catalog/ },
  { name: 'sandbox', test: /src\/sandbox\// },
  { name: 'mcp', test: /src\/mcp\// },
  { name: 'reports', test: /src\/reporting\/(format|html|junit|sarif|github)/ },
  {
    name: 'authoring',
    test: /src\/authoring\/|src\/commands\/(new|validate)\.ts$|src\/commands\/shared\/validate-/,
  },
];

/**
 * Chunks that are kept as they are: what the shortest commands load, and what is too small to gain. All others are
 * named packed-* and compressed by scripts/pack-chunks.mjs.
 */
const PLAIN =
  /^(cli|lane|answer|answers|base|startup|core|commander|prompts|main|status|help|gather|survey|matrix|session|load|url|rolldown-runtime)$/;

/** commander can start executables as sub-commands; tenon has none, and loading node:child_process costs every start. */
const noExecutables = {
  name: 'no-executable-subcommands',
  resolveId: (id: string, importer?: string) =>
    id === 'node:child_process' && importer?.includes('/node_modules/commander/') === true
      ? '\0no-child-process'
      : null,
  load: (id: string) => (id === '\0no-child-process' ? 'export default {};' : null),
};

/**
 * Every other character as an escape: V8 keeps and hashes a text of one byte a character at half the cost, and
 * bin/load.cjs reads it without decoding.
 */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_: unknown, bundle: Record<string, { type: string; code?: string }>) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || chunk.code === undefined) continue;
      chunk.code = chunk.code.replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

export default defineConfig({
  plugins: [noExecutables, bundleStubs, asciiOnly],
  entry: ['src/cli.ts', 'src/answer.ts', 'src/lane.ts'],
  // Loading CommonJS is cheaper: no loader of modules, and code can be kept compiled (bin/load.cjs).
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist',
  clean: true,
  dts: false,
  minify: true,
  // jsonc-parser's `main` is UMD and breaks at run time when it is bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  outputOptions: {
    codeSplitting: { groups },
    chunkFileNames: ({ name }) => `${PLAIN.test(name) ? '' : 'packed-'}[name]-[hash].cjs`,
  },
  outExtensions: () => ({ js: '.cjs' }),
});
