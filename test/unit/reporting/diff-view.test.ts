import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { renderDiff, unifiedDiff } from '../../../src/reporting/diff-view.ts';
import {
  commonLines,
  diffLines,
  type LineRange,
  linesOf,
  splitLines,
} from '../../../src/reporting/line-diff.ts';
import { createTheme, PLAIN_THEME } from '../../../src/reporting/theme.ts';
import fc from '../../helpers/fc.ts';

const dir = mkdtempSync(join(tmpdir(), 'tenon-diff-'));
execFileSync('git', ['init', '-q', dir]);
afterAll(() => rmSync(dir, { recursive: true }));

/** Applies with the real git and gives the file's text afterwards. */
function gitApply(path: string, before: string | undefined, patch: string): string | undefined {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  if (before !== undefined) writeFileSync(file, before);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: dir, input: patch });
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

describe('unifiedDiff', () => {
  it.each<[string, string, string | undefined, string | undefined]>([
    [
      'a change in the middle',
      'a.json',
      '{\n  "a": 1,\n  "b": 2\n}\n',
      '{\n  "a": 1,\n  "c": 3,\n  "b": 2\n}\n',
    ],
    ['no final newline before', 'a.json', '{"a":1}', '{"a":1}\n'],
    ['no final newline after', 'a.json', '{"a":1}\n', '{"a":2}'],
    ['no final newline on both sides', 'a.json', 'x\ny', 'x\nz'],
    ['CRLF', 'a.toml', 'a = 1\r\nb = 2\r\n', 'a = 1\r\nb = 3\r\n'],
    ['a created file', 'deep/er/new.md', undefined, 'one\ntwo\n'],
    ['a created empty file', 'empty', undefined, ''],
    ['a deleted file', 'old.md', 'one\ntwo\n', undefined],
    ['a file that becomes empty', 'a.json', '{}\n', ''],
    ['a name with blanks', 'my file.json', 'a\n', 'b\n'],
    ['a name with letters beyond ASCII', 'größe.json', 'a\n', 'b\n'],
    ['a name with quotes', 'a"b\\c.json', 'a\n', 'b\n'],
    ['a byte-order mark', 'bom.json', '\ufeff{}\n', '\ufeff{"a":1}\n'],
    ['two hunks far apart', 'long', lines(1, 40), lines(1, 40).replace('4\n', 'x\n').replace('35\n', '')],
    [
      'changes six lines apart',
      'near',
      lines(1, 20),
      lines(1, 20).replace('5\n', 'x\n').replace('12\n', 'y\n'),
    ],
    [
      'changes seven lines apart',
      'far',
      lines(1, 20),
      lines(1, 20).replace('5\n', 'x\n').replace('13\n', 'y\n'),
    ],
  ])('is taken by git apply: %s', (_, path, before, after) => {
    expect(gitApply(path, before, unifiedDiff(path, before, after))).toBe(after);
  });

  it('is exactly what git prints for a change', () => {
    const before = lines(1, 9);
    const after = before.replace('5\n', 'five\n');
    expect(unifiedDiff('n', before, after)).toBe(
      'diff --git a/n b/n\n--- a/n\n+++ b/n\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  it('keeps the executable bit of a created file', () => {
    expect(unifiedDiff('run.sh', undefined, 'x\n', undefined, 0o755)).toContain('new file mode 100755');
  });

  it('is empty when nothing differs', () => {
    expect(unifiedDiff('a', 'same\n', 'same\n')).toBe('');
  });

  it('masks before it compares, so that a rotated secret does not show as a change', () => {
    const mask = (text: string, _path: string, range: LineRange) =>
      linesOf(text.replaceAll(/s3cret\d/g, '[REDACTED]'), range);
    const diff = unifiedDiff('a', 'k = s3cret1\nb\n', 'k = s3cret2\nc\n', mask);
    expect(diff).toContain(' k = [REDACTED]\n-b\n+c\n');
    expect(diff).not.toContain('s3cret');
  });

  it('gives lines that differ once masked the context of their place', () => {
    const mask = (text: string) => text.replaceAll(/s3cret\d/g, '***');
    const [before, after] = [
      '\nk = s3cret2\nk = s3cret2\n\nk = s3cret2\na',
      '\nk = s3cret1\nk = s3cret2\n\nk = s3cret2\n\nk = s3cret2\na',
    ];
    const shown = unifiedDiff('f', before, after, (all, _, range) => linesOf(mask(all), range));
    expect(gitApply('f', mask(before), shown)).toBe(mask(after));
  });

  it('turns one text into the other, for any two', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '}'), { maxLength: 30 })
      .map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edits = diffLines(splitLines(before), splitLines(after));
        const side = (skip: string) =>
          edits
            .filter((edit) => edit.kind !== skip)
            .map((edit) => edit.line)
            .join('');
        expect(side('add')).toBe(before);
        expect(side('del')).toBe(after);
      }),
    );
  });

  it('counts whole lines that two texts have in common at both ends, and no line twice', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\n', '\n', '\r\n'), { maxLength: 12 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, text, text, text, (begin, one, other, end) => {
        const [before, after] = [splitLines(begin + one + end), splitLines(begin + other + end)];
        const { head, tail } = commonLines(before.join(''), after.join(''));
        expect(before.slice(0, head)).toEqual(after.slice(0, head));
        expect(before.slice(before.length - tail)).toEqual(after.slice(after.length - tail));
        expect(head + tail).toBeLessThanOrEqual(Math.min(before.length, after.length));
      }),
    );
  });

  it('shows of two texts what a diff of all their lines would show', () => {
    const line = fc.constantFrom('a', 'b', 'k = s3cret1', 'k = s3cret2', '');
    const text = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', '\n'))
      .map(([all, end]) => all.join('\n') + end);
    const mask = (one: string) => one.replaceAll(/s3cret\d/g, '***');
    fc.assert(
      fc.property(text, text, text, text, (begin, one, other, end) => {
        const [before, after] = [`${begin}\n${one}\n${end}`, `${begin}\n${other}\n${end}`];
        const shown = unifiedDiff('f', before, after, (all, _, range) => linesOf(mask(all), range));
        expect(shown).not.toContain('s3cret');
        // With the mask put on first, all lines are compared and nothing is left to mask.
        const whole = unifiedDiff('f', mask(before), mask(after));
        expect(shown === '' ? mask(before) : gitApply('f', mask(before), shown)).toBe(mask(after));
        expect(shown === '').toBe(whole === '');
      }),
      { numRuns: 60 },
    );
  });

  it('finds the shortest script', () => {
    const edits = diffLines([...'abcabba'], [...'cbabac']);
    expect(edits.filter((edit) => edit.kind !== 'same')).toHaveLength(5);
  });

  it('stays quick on two large files that share nothing', () => {
    const before = lines(1, 20_000);
    const after = lines(30_001, 50_000);
    const start = performance.now();
    expect(gitApply('large', before, unifiedDiff('large', before, after))).toBe(after);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('renderDiff', () => {
  it('escapes what acts on a terminal', () => {
    const shown = renderDiff(unifiedDiff('a', 'x\n', 'x\n\u001b[2Jgone\u202e\n'), PLAIN_THEME);
    expect(shown).toContain('+\\e[2Jgone\\u{202e}');
    expect(shown).not.toContain('\u001b');
  });

  it('shows carriage returns only where line ends are mixed', () => {
    expect(renderDiff(unifiedDiff('a', 'x\r\n', 'y\r\n'), PLAIN_THEME)).not.toContain('\\r');
    expect(renderDiff(unifiedDiff('a', 'x\r\n', 'y\n'), PLAIN_THEME)).toContain('-x\\r');
  });

  it('colours by meaning and cuts at the limit', () => {
    const theme = createTheme({ color: true, unicode: true });
    const shown = renderDiff(unifiedDiff('a', undefined, lines(1, 50)), theme, 10, 'that shows all');
    expect(shown).toContain('\u001b[32m+1\u001b[39m');
    expect(shown).toContain('more lines; that shows all)');
    expect(shown.split('\n')).toHaveLength(11);
  });
});

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');
}
