import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { cleanEnv } from './clean-env.ts';

/** The test runner's own variables stay. */
const RUNNER =
  /^(VITEST|NODE_|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$|NO_COLOR$|FORCE_COLOR$|COLUMNS$|TENON_TEST_)/;

const home = mkdtempSync(join(tmpdir(), 'tenon-test-'));
const clean = cleanEnv(home);
for (const name of Object.keys(process.env)) {
  if (!RUNNER.test(name) && !(name in clean)) delete process.env[name];
}
Object.assign(process.env, clean, {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
});

afterAll(() => rmSync(home, { recursive: true, force: true }));
