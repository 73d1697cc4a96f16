import { describe, expect, it } from 'vitest';
import { markdownFormat as markdown } from '../../../src/formats/markdown.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const place = { kind: 'block', id: 'vera' } as const;
const BLOCK = '<!-- tenon:begin vera -->\nuse vera\nalways\n<!-- tenon:end vera -->';
const add = (text: string) => unwrap(markdown.insert(text, place, 'use vera\nalways', {}));
const crlf = (text: string) => text.replaceAll('\n', '\r\n');

describe('markdown format: insertion and removal', () => {
  it('reads a line of many backticks in a time that grows with it', () => {
    const text = `${'`'.repeat(400_000)}x\`\n\ntext\n`;
    const start = performance.now();
    const edit = add(text);
    expect(unwrap(markdown.remove(edit.text, place, edit)).text).toBe(text);
    // Half a minute when the rest of the line was searched once for each of them.
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('takes no line for a fence that has a backtick in its info (CommonMark 4.5)', () => {
    for (const [line, isFence] of [
      ['```js', true],
      ['```a`b', false],
      ['``` `', false],
      ['~~~a`b', true],
      ['`````', true],
    ] as const)
      expect(markdown.insert(`${line}\ntext\n`, place, 'x', {}).ok, line).toBe(!isFence);
  });

  it.each([
    ['', `${BLOCK}\n`],
    ['# Title\n', `# Title\n\n${BLOCK}\n`],
    ['# Title\n\n', `# Title\n\n${BLOCK}\n`],
    ['# Title\n\n\n', `# Title\n\n\n${BLOCK}\n`],
    ['# Title', `# Title\n\n${BLOCK}`],
    ['a\r\nb\r\n', crlf(`a\nb\n\n${BLOCK}\n`)],
    ['a\r\nb', crlf(`a\nb\n\n${BLOCK}`)],
    ['\n', `\n${BLOCK}\n`],
    ['```\n# x\n```\n', `\`\`\`\n# x\n\`\`\`\n\n${BLOCK}\n`],
  ])('adds to %j and takes it out again', (before, after) => {
    const edit = add(before);
    expect(edit.text).toBe(after);
    expect(unwrap(markdown.remove(edit.text, place, { trace: edit.trace, containers: [] })).text).toBe(
      before,
    );
  });

  it('reads the inner text with LF ends', () => {
    expect(unwrap(markdown.read(crlf(`x\n\n${BLOCK}\n`), place))).toEqual({
      state: 'present',
      value: 'use vera\nalways',
      at: { offset: 5, line: 3, column: 1 },
    });
    expect(unwrap(markdown.read('x\n', place))).toEqual({ state: 'absent' });
  });

  it.each([['x\n'], ['x'], [''], ['x\n\n']])('survives conversion of %j to CRLF', (before) => {
    const edit = add(before);
    const removed = markdown.remove(crlf(edit.text), place, { trace: edit.trace, containers: [] });
    expect(unwrap(removed).text).toBe(crlf(before));
  });

  it.each([['x\n'], ['x'], [''], ['x\n\n']])('keeps what was appended after the block in %j', (before) => {
    const edit = add(before);
    const more = edit.text.endsWith('\n') ? '\n## More\n' : '\n\n## More\n';
    const removed = markdown.remove(edit.text + more, place, { trace: edit.trace, containers: [] });
    expect(unwrap(removed).text).toBe(before + more);
  });

  it('takes the structural way when the record is lost', () => {
    const remove = (text: string) => unwrap(markdown.remove(text, place, { containers: [] })).text;
    expect(remove(`x\n\n${BLOCK}\n`)).toBe('x\n');
    expect(remove(`x\n\n${BLOCK}`)).toBe('x');
    expect(remove(`x\n\n${BLOCK}\n\ny\n`)).toBe('x\n\ny\n');
    expect(remove(`x\n\n${BLOCK}\ny\n`)).toBe('x\n\ny\n');
    expect(remove(`${BLOCK}\n`)).toBe('');
  });

  it('updates only the text between the markers', () => {
    const before = crlf(`x\n\n${BLOCK}`);
    const change = { set: new Map([['', 'one']]), unset: [] };
    const edit = unwrap(
      markdown.update(before, place, change, { containers: [], trace: { above: 2, below: 0 } }),
    );
    expect(edit.text).toBe(crlf('x\n\n<!-- tenon:begin vera -->\none\n<!-- tenon:end vera -->'));
    expect(unwrap(markdown.remove(edit.text, place, { trace: edit.trace, containers: [] })).text).toBe('x');
  });

  it('tells blocks of different ids apart', () => {
    const first = add('x\n');
    const other = { kind: 'block', id: 'docs' } as const;
    const second = unwrap(markdown.insert(first.text, other, 'docs', {}));
    const left = unwrap(markdown.remove(second.text, place, { trace: first.trace, containers: [] }));
    const none = unwrap(markdown.remove(left.text, other, { trace: second.trace, containers: [] }));
    expect(none.text).toBe('x\n');
    expect(unwrap(markdown.read(left.text, other))).toMatchObject({ value: 'docs' });
  });
});

describe('markdown format: refusals', () => {
  it.each([
    ['begin only', '# A\n\n<!-- tenon:begin vera -->\nx\n', 3],
    ['end only', 'a\n<!-- tenon:end vera -->\n', 2],
    ['end before begin', '<!-- tenon:end vera -->\n<!-- tenon:begin vera -->\n', 1],
    ['two begins', '<!-- tenon:begin vera -->\n<!-- tenon:begin vera -->\n<!-- tenon:end vera -->\n', 2],
    ['two blocks', `${BLOCK}\n${BLOCK}\n`, 5],
    ['another id inside', '<!-- tenon:begin vera -->\n<!-- tenon:begin b -->\n<!-- tenon:end vera -->\n', 2],
    ['a fence left open inside', '<!-- tenon:begin vera -->\n```\n<!-- tenon:end vera -->\n', 1],
    ['a fence left open above', `~~~\n\n${BLOCK}\n`, 1],
  ])('calls a block with %s damaged, with its line', (_name, text, line) => {
    expect(faultOf(markdown.read(text, place))).toMatchObject({ code: 'block/damaged', at: { line } });
    expect(faultOf(markdown.insert(text, place, 'x', {})).code).toBe('block/damaged');
    expect(faultOf(markdown.remove(text, place, { containers: [] })).code).toBe('block/damaged');
  });

  it('ignores markers inside closed fences, indented ones and ones within a line', () => {
    const text = `\`\`\`\n${BLOCK}\n\`\`\`\n    <!-- tenon:begin vera -->\nsee <!-- tenon:end vera -->\n`;
    expect(unwrap(markdown.read(text, place))).toEqual({ state: 'absent' });
    const edit = add(text);
    expect(unwrap(markdown.remove(edit.text, place, { trace: edit.trace, containers: [] })).text).toBe(text);
  });

  it.each([
    ['```js\ncode\n', 1],
    ['x\n~~~~\n~~~\n', 2],
    ['x\n\n<!-- todo\nmore\n', 3],
  ])('refuses to add to %j, which ends inside an open construct', (text, line) => {
    expect(faultOf(markdown.insert(text, place, 'x', {}))).toMatchObject({
      code: 'edit/unsupported',
      at: { line },
    });
  });

  it.each([['a ` b ``` c\n'], ['``` a`b\n'], ['<!-- one line -->\n'], ['````\n```\n````\n']])(
    'sees that %j leaves nothing open',
    (text) => {
      expect(add(text).text.startsWith(text)).toBe(true);
    },
  );

  it.each([['```'], ['<!-- a'], ['x\n<!-- tenon:end vera -->'], ['a\rb'], ['a\0b']])(
    'refuses the value %j, which would hide or end the block',
    (value) => {
      expect(faultOf(markdown.insert('', place, value, {})).code).toBe('edit/unsupported');
    },
  );

  it('refuses an unresolved merge conflict, but not one shown in a fence', () => {
    const conflict = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n';
    expect(faultOf(markdown.read(`# t\n${conflict}`, place))).toMatchObject({
      code: 'config/merge-conflict',
      at: { line: 2 },
    });
    expect(unwrap(markdown.read(`\`\`\`\n${conflict}\`\`\`\n`, place))).toEqual({ state: 'absent' });
  });
});
