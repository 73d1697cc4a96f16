import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const common = {
  restoreMocks: true,
  // On a busy machine a start of Node takes seconds: what hangs is found by these as well.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  env: { TZ: 'UTC' },
  setupFiles: ['test/helpers/setup.ts'],
};

export default defineConfig({
  test: {
    expect: { requireAssertions: true },
    // Most tests wait for programs that they started, and some of these for a time limit: with as many workers as processors
    // some would be idle. On two processors three workers take five per cent less time than two.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      { test: { ...common, name: 'unit', include: ['test/unit/**/*.test.ts', 'test/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'property',
          include: ['test/property/**/*.test.ts', 'test/fuzz/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...common,
          name: 'cases',
          include: ['test/formats/*.test.ts', 'test/cases/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'contract',
          include: ['test/runtimes/*.test.ts', 'test/integrations/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          pool: 'forks',
        },
      },
      // Real coding tools: npm run test:clients, never a part of npm test.
      ...(process.env['TENON_TEST_CLIENTS'] === undefined
        ? []
        : [
            {
              test: {
                ...common,
                name: 'clients',
                include: ['test/clients/**/*.test.ts'],
                testTimeout: 180_000,
                hookTimeout: 60_000,
                // The tools are not ours: a start that fails on a busy machine gets a second chance.
                retry: 1,
                pool: 'forks' as const,
                maxWorkers: 3,
              },
            },
          ]),
    ],
  },
});
