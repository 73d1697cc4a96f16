import { describe, expect, it } from 'vitest';
import { jsonFormat } from '../../../src/formats/json.ts';
import { type Added, add, draft, item, key, take, valueOfText } from '../../helpers/json-edits.ts';
import { faultOf } from '../../helpers/results.ts';

const oak = key('servers', 'oak');
const elm = key('servers', 'elm');

/** Adds oak, lets a user edit the text, takes oak out. */
function afterEdit(before: string, edit: (text: string) => string): string {
  const added = add(draft(before), oak, { url: 'u' });
  const text = edit(added.text);
  expect(text).not.toBe(added.text);
  return take({ ...added, text }, oak, added.trace).text;
}

describe('an object that the user left empty', () => {
  it.each(['{}', '{}\n', '{\n}\n', '// mine\n{}\n'])('stays when what was put into it goes: %j', (before) => {
    for (const place of [key('oak'), oak]) {
      const added = add(draft(before), place, { url: 'u' });
      expect(added.text).not.toBe(before);
      expect(take(added, place, added.trace).text).toBe(before);
    }
  });
});

describe('remove after a user edited around the entry', () => {
  const before = '{\n  "servers": {\n    "a": 1\n  }\n}\n';

  it('keeps a member that was put behind ours', () => {
    expect(afterEdit(before, (text) => text.replace('\n    }\n', '\n    },\n    "z": 9\n'))).toBe(
      '{\n  "servers": {\n    "a": 1,\n    "z": 9\n  }\n}\n',
    );
  });

  it('keeps a member that was put before ours', () => {
    expect(afterEdit(before, (text) => text.replace('"oak"', '"m": 5,\n    "oak"'))).toBe(
      '{\n  "servers": {\n    "a": 1,\n    "m": 5\n  }\n}\n',
    );
  });

  it('goes when the neighbour was deleted', () => {
    expect(afterEdit(before, (text) => text.replace('\n    "a": 1,', ''))).toBe(
      '{\n  "servers": {\n  }\n}\n',
    );
  });

  it('keeps comments above, behind and below', () => {
    const edit = (text: string): string =>
      text
        .replace('"a": 1,', '"a": 1, // of a')
        .replace('    "oak"', '    // above\n    "oak"')
        .replace('\n    }\n', '\n    } // behind\n    // below\n');
    expect(afterEdit(before, edit)).toBe(
      '{\n  "servers": {\n    "a": 1 // of a\n    // above // behind\n    // below\n  }\n}\n'.replace(
        '// above // behind',
        '// above\n    // behind',
      ),
    );
  });

  it('takes only its line when the file was formatted anew', () => {
    const wide = JSON.stringify({ servers: { a: 1, oak: { url: 'u' }, z: {} } }, undefined, 4);
    expect(take(draft(wide), oak, { pre: '\n  ', suf: '' }).text).toBe(
      JSON.stringify({ servers: { a: 1, z: {} } }, undefined, 4),
    );
  });

  it('empties a container that was empty when the file was formatted anew', () => {
    const added = add(draft('{\n  "servers": {}\n}\n'), oak, { url: 'u' });
    const text = JSON.stringify(JSON.parse(added.text), undefined, '\t');
    expect(take({ ...added, text }, oak, added.trace)).toEqual({
      text: '{\n\t"servers": {}\n}',
      containers: [],
    });
  });

  it('takes a created container that was formatted anew', () => {
    const added = add(draft('{\n  "x": 1\n}\n'), oak, { url: 'u' });
    const text = JSON.stringify(JSON.parse(added.text), undefined, '\t');
    expect(take({ ...added, text }, oak, added.trace)).toEqual({ text: '{\n\t"x": 1\n}', containers: [] });
  });
});

describe('remove without a record', () => {
  it.each([
    ['first', '{"oak": 1, "b": 2}', '{"b": 2}'],
    ['middle', '{"a": 1, "oak": 1, "b": 2}', '{"a": 1, "b": 2}'],
    ['last', '{"a": 1, "oak": 1}', '{"a": 1}'],
    ['only', '{ "oak": 1 }', '{  }'],
    ['only with a comma', '{"oak": 1,}', '{}'],
    ['first on lines', '{\n  "oak": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'],
    ['last on lines', '{\n  "a": 1,\n  "oak": 1\n}', '{\n  "a": 1\n}'],
    ['last on lines with a trailing comma', '{\n  "a": 1,\n  "oak": 1,\n}', '{\n  "a": 1,\n}'],
    ['only on lines', '{\n  "oak": 1\n}', '{\n}'],
    ['continued line', '{\n  // c\n  "oak": 1, "b": 2\n}', '{\n  // c\n  "b": 2\n}'],
    [
      'under a comment, before a comment',
      '{\n  // up\n  "oak": 1, // side\n  "b": 2\n}',
      '{\n  // up\n  // side\n  "b": 2\n}',
    ],
    ['comment before its comma', '{"oak": 1 /* c */, "b": 2}', '{ /* c */"b": 2}'],
    ['comma on the next line', '{\n  "a": 1\n  , "oak": 1\n}', '{\n  "a": 1\n  \n}'],
    ['CRLF', '{\r\n  "a": 1,\r\n  "oak": 1\r\n}', '{\r\n  "a": 1\r\n}'],
  ])('%s', (_, before, after) => {
    expect(take(draft(before), key('oak')).text).toBe(after);
  });
});

describe('two entries', () => {
  const shapes = [
    '{\n  "servers": {\n    "a": 1\n  }\n}\n',
    '{\n  "servers": {}\n}\n',
    '{\n  "servers": {\n  }\n}\n',
    '{"servers":{}}',
    '{"servers":{"a":1}}',
    '{\n  "servers": { // c\n  }\n}\n',
    '{\n  "servers": {\n    "a": 1 // c\n  }\n}\n',
    '{\n  "servers": {\n    "a": 1,\n  },\n}\n',
    '{}',
    '{"x":1}',
    '{\n  "x": 1\n}\n',
    '',
    '// c\n',
  ];
  const both = (before: string): { first: Added; second: Added } => {
    const first = add(draft(before), oak, { url: 'u' });
    return { first, second: add(first, elm, { url: 'v' }) };
  };

  it.each(shapes)('newest first: %j', (before) => {
    const { first, second } = both(before);
    const one = take(second, elm, second.trace);
    expect(one.text).toBe(first.text);
    expect(take(one, oak, first.trace)).toEqual({ text: before, containers: [] });
  });

  it.each(shapes)('oldest first: %j', (before) => {
    const { first, second } = both(before);
    const one = take(second, oak, first.trace);
    expect(valueOfText(one.text)).toMatchObject({ servers: { elm: { url: 'v' } } });
    expect(take(one, elm, second.trace)).toEqual({ text: before, containers: [] });
  });

  it('under different names of an empty document', () => {
    const first = add(draft('{}\n'), oak, 1);
    const second = add(first, key('other', 'elm'), 2);
    const one = take(second, oak, first.trace);
    expect(take(one, key('other', 'elm'), second.trace)).toEqual({ text: '{}\n', containers: [] });
  });

  it('again after a removal', () => {
    const first = add(draft('{"x":1}'), oak, 1);
    const gone = take(first, oak, first.trace);
    const again = add(gone, oak, 2);
    expect(take(again, oak, again.trace)).toEqual({ text: '{"x":1}', containers: [] });
  });
});

describe('remove refuses', () => {
  it('what is not there', () => {
    expect(faultOf(jsonFormat.remove('{"servers": {}}', oak, { containers: [] }))).toMatchObject({
      code: 'edit/not-found',
      message: 'servers.oak is not there',
    });
    expect(faultOf(jsonFormat.remove('', oak, { containers: [] })).code).toBe('edit/not-found');
  });

  it('an item that only its tag finds', () => {
    const at = item(['ask'], { run: 'oak.sh' }, 'oak.sh');
    const text = '{"ask": [{"run": "oak.sh --more"}]}';
    expect(faultOf(jsonFormat.remove(text, at, { containers: [] })).code).toBe('edit/not-found');
  });

  it('an entry with a comment of the user in it', () => {
    const text = '{"servers": {"oak": {\n  // mine\n  "url": "u"}}}';
    expect(faultOf(jsonFormat.remove(text, oak, { containers: [] }))).toMatchObject({
      code: 'edit/user-comment',
      message: expect.stringMatching(/comment/),
      at: { line: 2 },
    });
  });

  it.each([
    [
      '{"servers": {\n  "a": 1, // of a\n  "oak": {\n    // mine\n    "url": "u" /* too */\n  }\n}}',
      '{"servers": {\n  "a": 1 // of a\n  // mine\n/* too */\n}}',
    ],
    ['{"servers": {"oak": [/* a */ 1, /* b */ 2], "b": 1}}', '{"servers": {/* a *//* b */ "b": 1}}'],
    ['{"servers": {"oak": {"x": 1 // c\n}}}', '{"servers": {// c\n}}'],
  ])('unless it is forced: then the comment stays (%#)', (text, after) => {
    const edit = jsonFormat.remove(text, oak, { containers: [], force: true });
    expect(edit).toMatchObject({ ok: true, value: { text: after } });
  });

  it('malformed text and duplicates', () => {
    expect(faultOf(jsonFormat.remove('{"servers": {"oak": 1}', oak, { containers: [] })).code).toBe(
      'config/malformed',
    );
    expect(
      faultOf(jsonFormat.remove('{"servers": {"oak": {"a": 1, "a": 2}}}', oak, { containers: [] })),
    ).toMatchObject({
      code: 'config/duplicate-key',
      message: expect.stringMatching(/^servers.oak.a stands twice/),
    });
  });
});

describe('the memory of an edit', () => {
  it('holds white space of ours only, no value', () => {
    const secret = { headers: { Authorization: 'Bearer s3cret' } };
    const added = add(draft('{"x": "user"}'), oak, secret);
    const memory = JSON.stringify([added.trace, added.containers]);
    expect(memory).not.toMatch(/s3cret|Bearer|user/);
    expect(JSON.parse(memory)).toEqual([added.trace, added.containers]);
  });

  it('that was tampered with cuts no more than white space', () => {
    const text = '{"a": 1, "servers": {"oak": 1}}';
    const trace = { pre: '"servers": {', suf: '}' };
    expect(take(draft(text), oak, trace).text).toBe('{"a": 1, "servers": {}}');
  });
});
