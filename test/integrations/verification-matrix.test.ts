import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = 'test/e2e/matrix';
const page = readFileSync('docs/verification-matrix.md', 'utf8');
const rows = [...page.matchAll(/^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)];
const tests = readdirSync(FOLDER)
  .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
  .join('\n');

describe('the page of the verification matrix', () => {
  it('has the nineteen scenarios in order', () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(
      Array.from({ length: 19 }, (_, index) => index + 1),
    );
  });

  it.each(rows.map(([, , scenario]) => scenario ?? ''))('has tests for: %s', (scenario) => {
    expect(tests.includes(`describe('${scenario}'`) || tests.includes(`describe("${scenario}"`)).toBe(true);
  });

  it('claims no failure, and names what was not tested', () => {
    const cells = rows.flatMap(([, , , ...results]) => results);
    expect(cells).toHaveLength(57);
    expect(cells.filter((cell) => cell === 'failed')).toEqual([]);
    expect(page).toContain('Windows, macOS and WSL: not tested');
    const passed = cells.filter((cell) => cell.startsWith('passed')).length;
    expect(page).toContain(`**${passed} passed, 0 failed, ${57 - passed} not tested, of 57.**`);
  });
});
