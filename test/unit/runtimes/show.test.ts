import { expect, it } from 'vitest';
import { showText } from '../../../src/runtimes/show.ts';

it('cuts a long text only after its secrets are masked', () => {
  const secret = 'sk-abcdefghij1234567890abcdefghij';
  for (let before = 150; before < 205; before += 1) {
    const shown = showText(`${'x'.repeat(before)} ${secret} end`);
    expect(shown, String(before)).not.toMatch(/sk-a/);
    expect(shown.length).toBeLessThanOrEqual(201);
  }
});

it('bounds a text of any length, and shows what acts on a terminal as an escape', () => {
  expect(showText('\u001b'.repeat(1_000_000)).length).toBe(401);
  expect(showText('a\nb\u202e')).toBe('a\\nb\\u{202e}');
});
