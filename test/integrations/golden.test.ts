import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { describe, it } from 'vitest';
import { makeHome, runJson } from '../helpers/cli.ts';
import { warmJson } from '../helpers/warm.ts';
import { repository, scratch } from './checkout.ts';
import { PACKAGE } from './vera-files.ts';

/**
 * What every bundled integration writes for every runtime of the first two tiers, in an empty repository. The files stand
 * below `<integration>/<runtime>/after/`, to be read in a review; `files.txt` lists all of them. A file that is a copy of
 * one of the definition is only listed. After a wanted change: npx vitest run test/integrations/golden.test.ts -u
 */
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  tenon: [],
  vera: ['VERA_API_URL=http://127.0.0.1:8765', 'VERA_MCP_URL=http://127.0.0.1:8765/mcp'],
  vaultspec: [],
  veritas: ['API_URL=http://127.0.0.1:8080', 'MCP_COMMAND=node', 'MCP_ENTRY=board/mcp.js'],
};

/** The law of the round trip is shown for every runtime with VERA, which has every kind; for the others with these. */
const FIRST = ['claude-code', 'codex', 'opencode'];

const idsOf = (folder: string): string[] =>
  readdirSync(join(PACKAGE, folder)).map((name) => name.replace(/\.json$/, ''));
const runtimes = idsOf('specs').filter((id) => {
  const spec = JSON.parse(readFileSync(join(PACKAGE, 'specs', `${id}.json`), 'utf8')) as { support: string };
  return spec.support === 'tier1' || spec.support === 'tier2';
});

interface Shown {
  readonly severity: string;
  readonly code: string;
  readonly data?: { readonly artifact?: string };
}

/** Stand-ins for the programs that launches need, so that the result does not depend on this machine. */
function environment(): Record<string, string> {
  const bin = scratch();
  writeFileSync(join(bin, 'uv'), '#!/bin/sh\n', { mode: 0o755 });
  return { PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter) };
}

/** Every file below a folder, posix path -> absolute path, git's own left out. */
function filesBelow(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files
      .map((file): [string, string] => [relative(folder, file).split(sep).join('/'), file])
      .filter(([path]) => !path.startsWith('.git/'))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const copies = (integration: string): Map<string, string> =>
  new Map(
    [...filesBelow(join(PACKAGE, 'templates', integration))].map(([path, file]) => [
      readFileSync(file, 'utf8'),
      path,
    ]),
  );

describe.concurrent.each(idsOf('templates'))('%s', (integration) => {
  it('has inputs for this test', ({ expect }) => {
    expect(INPUTS).toHaveProperty(integration);
  });

  describe.each(runtimes)('in %s', (runtime) => {
    const golden = join(import.meta.dirname, integration, runtime);
    const env = environment();
    const sets = (INPUTS[integration] ?? []).flatMap((input) => ['--set', input]);

    it('writes what was reviewed, and nothing more', async ({ expect }) => {
      const root = repository(scratch());
      const args = ['setup', integration, ...sets, '--runtime', runtime, '--offline', '--yes'];
      const { document, code } = await runJson(args, { cwd: root, env });
      const known = copies(integration);
      const lines = [`exit ${code}`];
      for (const { severity, code: fault, data } of document.findings as readonly Shown[]) {
        if (severity === 'info') continue;
        lines.push([severity, fault, data?.artifact].filter((part) => part !== undefined).join(' '));
      }
      if (document.error !== null) lines.push(`error ${document.error.code}`);
      const written = new Map<string, string>();
      for (const [path, file] of filesBelow(root)) {
        const text = readFileSync(file, 'utf8');
        const copy = known.get(text);
        const mode = (statSync(file).mode & 0o777).toString(8);
        lines.push(`${mode} ${path}${copy === undefined ? '' : ` = templates/${integration}/${copy}`}`);
        if (copy === undefined) written.set(path, text);
      }
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(golden, 'files.txt'));
      for (const [path, text] of written) await expect(text).toMatchFileSnapshot(join(golden, 'after', path));
      const obsolete = [...filesBelow(join(golden, 'after')).keys()].filter((path) => !written.has(path));
      expect(obsolete).toEqual([]);
    });

    if (integration !== 'vera' && !FIRST.includes(runtime)) return;
    it('goes without a trace, and changes nothing the second time', async ({ expect }) => {
      const root = repository(scratch());
      const home = makeHome();
      const args = ['setup', integration, ...sets, '--runtime', runtime, '--offline', '--yes'];
      // What it writes is what the test above reviewed.
      const first = await warmJson(args, { cwd: root, home, env });
      const after = [...filesBelow(root)].map(([path, file]) => [
        path,
        statSync(file).mtimeMs,
        readFileSync(file, 'utf8'),
      ]);
      const second = await runJson(args, { cwd: root, home, env });
      expect(second.code).toBe(first.code);
      expect(
        [...filesBelow(root)].map(([path, file]) => [
          path,
          statSync(file).mtimeMs,
          readFileSync(file, 'utf8'),
        ]),
      ).toEqual(after);
      const removed = await runJson(['uninstall', integration, '--yes'], { cwd: root, home, env });
      expect([removed.code, [...filesBelow(root).keys()], readdirSync(root)]).toEqual([0, [], ['.git']]);
    });
  });
});
