import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/command-table.ts';
import guards from './mutation/guards.json' with { type: 'json' };

// `node test/mutation/guards.mjs` takes each of these guards out and expects the named tests to fail. Here only that the
// list is in step with the source: half an hour of work must not find it rotten.

const text = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const count = (file: string, find: string): number => text(file).split(find).length - 1;

/** Titles that are made of the name of a command and a case: `new: integration`. */
const isOfCommand = (name: string): boolean => COMMANDS.some((one) => name.startsWith(`${one.name}: `));

it('every guard that mutation takes out stands in the source, and its tests do too', () => {
  const rotten = guards.flatMap(({ id, edits, test, name }) => [
    ...edits.flatMap(({ file, find, put }) =>
      count(file, find) === 1 && put !== find ? [] : [`${id}: not exactly once in ${file}: ${find}`],
    ),
    ...(isOfCommand(name) ? [] : name.split(' > ')).flatMap((part) =>
      text(test).includes(part) ? [] : [`${id}: no test of ${test} is called ${part}`],
    ),
  ]);
  expect(rotten).toEqual([]);
  expect(new Set(guards.map(({ id }) => id)).size).toBe(guards.length);
  expect(guards.length).toBeGreaterThan(100);
});

it('every trick of docs/hostile.md has the test that is named for it', () => {
  const rows = text('docs/hostile.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`test/'))
    .map((line) => line.split(' | '));
  const missing = rows.filter((cells) => {
    const [file = '', title = ''] = [cells.at(-2)?.replaceAll('`', ''), cells.at(-1)?.replace(/ \|$/, '')];
    return !text(file).includes(title);
  });
  expect(missing).toEqual([]);
  expect(rows.length).toBeGreaterThan(35);
});
