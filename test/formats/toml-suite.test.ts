import { describe, expect, it } from 'vitest';
import type { Place } from '../../src/formats/format.ts';
import { decodeText } from '../../src/formats/text-style.ts';
import { tomlFormat as toml } from '../../src/formats/toml.ts';
import type { Json } from '../../src/lib/json.ts';
import invalid from '../fixtures/toml-test/invalid.json' with { type: 'json' };
import valid from '../fixtures/toml-test/valid.json' with { type: 'json' };
import { unwrap } from '../helpers/results.ts';

// The suite that readers of TOML measure themselves by, as input for editing: whatever is TOML takes our entries and gets
// its bytes back, whatever is none is refused with the place of the fault.

const decoded = (text: string) => decodeText(Buffer.from(text, 'latin1'));

interface Job {
  readonly place: Place;
  readonly value: Json;
}

const key = (path: readonly string[], value: Json): Job => ({ place: { kind: 'key', path }, value });
const server = key(['mcp_servers', 'vera'], { url: 'http://127.0.0.1:8765/mcp', env: { A: '1' } });
const other = key(['mcp_servers', 'docs'], { command: 'C:\\docs.exe', args: ['it\'s "quoted"'] });
const JOBS: readonly Job[] = [
  server,
  key(['features', 'hooks'], true),
  key(['tenon_probe'], 'never'),
  { place: { kind: 'item', path: ['notify', 'list'], value: 'vera' }, value: 'vera' },
];

/** The text in other spellings of the same lines; those that differ from it. */
function variants(text: string): readonly string[] {
  const lf = text.replaceAll('\r\n', '\n');
  return [...new Set([text, lf.replaceAll('\n', '\r\n'), text.replace(/\r?\n$/, ''), `\uFEFF${text}`])];
}

function expectExact(text: string): void {
  for (const { place, value } of JOBS) {
    const edit = unwrap(toml.insert(text, place, value, {}));
    expect(unwrap(toml.read(edit.text, place))).toMatchObject({ state: 'present', value });
    expect(unwrap(toml.remove(edit.text, place, edit)).text).toBe(text);
  }
  const first = unwrap(toml.insert(text, server.place, server.value, {}));
  const second = unwrap(toml.insert(first.text, other.place, other.value, {}));
  expect(unwrap(toml.remove(second.text, other.place, second)).text).toBe(first.text);
}

describe('every valid file of the suite takes our entries and gets its bytes back', () => {
  it.each(Object.entries(valid))('%s', (_, bytes) => {
    const { text } = unwrap(decoded(bytes));
    // The suite says that it is TOML in each of these spellings but for line ends inside of strings, which a spelling changes.
    for (const variant of variants(text)) {
      const parsed = toml.parse(variant);
      if (variant === text) expect(parsed.ok).toBe(true);
      if (parsed.ok) expectExact(variant);
    }
  });
});

describe('every invalid file of the suite is refused, with its place', () => {
  it.each(Object.entries(invalid))('%s', (_, bytes) => {
    const text = decoded(bytes);
    const parsed = text.ok ? toml.parse(text.value.text) : text;
    expect(parsed).toMatchObject({ ok: false, fault: { code: expect.stringMatching(/^(?:config|file)\//) } });
    if (!text.ok) return;
    expect(parsed.ok ? undefined : parsed.fault.at).toBeDefined();
    for (const { place, value } of JOBS)
      expect(toml.insert(text.value.text, place, value, {}).ok).toBe(false);
  });
});
