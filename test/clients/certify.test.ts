import { readdirSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runJson } from '../helpers/cli.ts';
import { scratch } from '../helpers/repo.ts';
import data from './clients.json' with { type: 'json' };
import { type ClientId, installed } from './support/installed.ts';

const IDS = Object.keys(data.clients) as ClientId[];

// What a certification proves besides the tests of each tool is its last step, so it counts for that row of the page.
describe.each(IDS)('%s', (id) => {
  const tool = installed(id);
  it.skipIf(tool === undefined)(
    'clean after uninstall',
    async () => {
      const home = makeHome();
      const temp = scratch('tenon-temp-');
      const PATH = [...(tool?.folders ?? []), process.env['PATH'] ?? ''].join(delimiter);
      const options = { cwd: scratch(), home, env: { PATH, TMPDIR: temp }, timeoutMs: 170_000 };
      const { code, document } = await runJson(['certify', id], options);
      expect([code, document.findings]).toEqual([0, []]);
      expect(document.data).toMatchObject({ result: 'passed', version: data.clients[id].version });
      expect(document.data.steps.map(({ status }: { status: string }) => status)).not.toContain('fail');
      expect(readdirSync(temp)).toEqual([]);
    },
    180_000,
  );
});
