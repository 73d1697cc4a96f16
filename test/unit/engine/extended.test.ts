import { describe, expect, test } from 'vitest';
import { draftRemoveInside, extension } from '../../../src/engine/extended.ts';
import { jsonFormat } from '../../../src/formats/json.ts';
import type { Json } from '../../../src/lib/json.ts';

const ours = { type: 'command', command: 'node x.cjs' };
const theirs = { type: 'command', command: 'date' };
const group: Json = { matcher: 'a', hooks: [ours] };

describe('an item that someone added to', () => {
  test.each<[string, Json, boolean]>([
    ['one more behind', { matcher: 'a', hooks: [ours, theirs] }, true],
    ['one more in front', { hooks: [theirs, ours], matcher: 'a' }, true],
    ['nothing more', group, false],
    ['ours edited', { matcher: 'a', hooks: [{ ...ours, timeout: 1 }, theirs] }, false],
    ['ours twice', { matcher: 'a', hooks: [ours, ours] }, false],
    ['another matcher', { matcher: 'b', hooks: [ours, theirs] }, false],
    ['a further member', { matcher: 'a', hooks: [ours, theirs], x: 1 }, false],
    ['a member less', { hooks: [ours, theirs] }, false],
    ['ours gone', { matcher: 'a', hooks: [theirs, theirs] }, false],
    ['no object', [ours], false],
  ])('%s: %#', (_, observed, expected) => {
    expect(extension(group, observed) !== undefined).toBe(expected);
  });

  test('gives back what the user wrote, byte for byte', () => {
    const text = (hooks: string) =>
      `{\n  // mine\n  "hooks": {\n    "Start": [\n      { "hooks": [] },\n      {"matcher": "a", "hooks": [ ${hooks} ]}\n    ]\n  }\n}\n`;
    const [one, two] = [JSON.stringify(ours), '{"command" : "date", "type":"command"}'];
    const extended = extension(group, { matcher: 'a', hooks: [ours, theirs] });
    if (extended === undefined) throw new Error('not found');
    const draft = { format: jsonFormat, text: text(`${one}, ${two}`), containers: [] };
    const place = { kind: 'item', path: ['hooks', 'Start'], value: group } as const;
    const edit = draftRemoveInside(draft, place, extended);
    expect(edit.ok && edit.value.draft.text).toBe(text(two));
  });
});
