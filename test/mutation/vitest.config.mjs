import { defineConfig } from 'vitest/config';

/** The tests that run in this process and state the rules of each mutated folder; the built program is not seen here. */
const TESTS = {
  trust: ['test/unit/trust/**/*.test.ts'],
  engine: ['test/unit/engine/**/*.test.ts', 'test/property/engine*.test.ts'],
  formats: [
    'test/unit/formats/**/*.test.ts',
    'test/property/{json,toml,markdown,lines}*.test.ts',
    'test/formats/*.test.ts',
    'test/fuzz/*.test.ts',
  ],
};
const folders = (process.env.MUTATED ?? Object.keys(TESTS).join()).split(',');

export default defineConfig({
  test: {
    restoreMocks: true,
    env: { TZ: 'UTC' },
    setupFiles: ['test/helpers/setup.ts'],
    testTimeout: 120_000,
    include: folders.flatMap((folder) => TESTS[folder] ?? []),
  },
});
