import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TARGETS } from './targets.ts';

const corpusOf = (name: string): readonly string[] => {
  const file = new URL(`corpus/${name}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
};

/** Every way through the code that fuzzing found (`node scripts/fuzz.mjs --keep`), and every input that once failed. */
describe.each(TARGETS)('the corpus of $name', ({ name, seeds, check }) => {
  it('holds no input that breaks a law', async () => {
    const inputs = [...seeds, ...corpusOf(name)];
    const failed: string[] = [];
    for (const input of inputs) {
      try {
        await check(input);
      } catch (error) {
        failed.push(`${JSON.stringify(input)}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    expect(failed).toEqual([]);
    expect(inputs.length).toBeGreaterThan(seeds.length);
  });
});
