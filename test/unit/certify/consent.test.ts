import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { consentIn } from '../../../src/certify/consent.ts';
import { formatOf, loadFormats } from '../../../src/formats/index.ts';
import { readDecision, readGate } from '../../../src/runtimes/gates.ts';
import { resolvePath } from '../../../src/runtimes/paths.ts';
import { realSystem } from '../../../src/system/real.ts';
import { scratch, writeTree } from '../../helpers/repo.ts';
import { specOf } from '../../runtimes/support.ts';

const SPECS = readdirSync(join(import.meta.dirname, '..', '..', '..', 'specs'))
  .map((name) => specOf(name.replace(/\.json$/, '')))
  .filter(({ gates }) => gates.length > 0);
const asks = (id: string, kinds: readonly string[]): boolean =>
  specOf(id).gates.some(({ kind }) => kinds.includes(kind));

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

/** A scratch home and root, a consent of its user, and every gate of the client read afterwards. */
function consent(id: string, kind: 'folder' | 'server', files: Readonly<Record<string, string>> = {}) {
  const spec = specOf(id);
  const { reader, writer } = realSystem();
  const [root, home] = [scratch(), scratch()];
  writeTree(root, files);
  const base = { root, home, platform: 'linux' as const, env: {}, reader };
  const written = consentIn(spec, kind === 'folder' ? { kind } : { kind, name: 'vera' }, base, writer);
  const set = spec.gates.filter((gate) => {
    const file = spec.files[gate.file];
    if (file === undefined || (file.format !== 'json' && file.format !== 'toml')) return false;
    const { abs } = resolvePath(file.create, base);
    const bytes = reader.readFile(abs);
    if (bytes === undefined) return false;
    const parsed = formatOf(file.format).parse(new TextDecoder().decode(bytes));
    const document = parsed.ok ? parsed.value : undefined;
    if (gate.kind === 'decision') {
      const entry = JSON.parse(readFileSync(join(root, '.qwen/settings.json'), 'utf8')).mcpServers.vera;
      const host = { root, platform: base.platform, env: {}, expands: [] };
      return readDecision(gate, document, { server: 'vera', entry }, host) === 'approved';
    }
    return readGate(gate, document, { server: 'vera' }, root, base.platform).state === 'set';
  });
  return { written, home, root, kinds: set.map((gate) => gate.kind) };
}

describe('consent of the user of a scratch home', () => {
  it.each(SPECS.map(({ id }) => id).filter((id) => asks(id, ['trust'])))(
    '%s: a trusted folder stands where doctor looks for it, in a private file of the home alone',
    (id) => {
      const { written, home, root, kinds } = consent(id, 'folder');
      expect(kinds).toContain('trust');
      expect(written).toHaveLength(1);
      expect(written[0]).toMatch(/^~\//);
      expect(readdirSync(root)).toEqual([]);
      expect(statSync(join(home, written[0]?.slice(2) ?? '')).mode & 0o777).toBe(0o600);
    },
  );

  it.each(['claude-code', 'qwen-code'])('%s: an approved server stands where doctor looks for it', (id) => {
    const entry = { httpUrl: 'http://127.0.0.1:9/mcp', timeout: 1 };
    const files = { '.qwen/settings.json': JSON.stringify({ mcpServers: { vera: entry } }) };
    const { kinds } = consent(id, 'server', files);
    expect(kinds.some((kind) => kind === 'on-list' || kind === 'decision')).toBe(true);
  });

  it('writes nothing where the client asks nothing', () => {
    expect(consent('codex', 'server').written).toEqual([]);
    expect(consent('qwen-code', 'server').written).toEqual([]);
  });
});
