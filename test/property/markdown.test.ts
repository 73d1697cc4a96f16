import { describe, expect, it } from 'vitest';
import { markdownFormat as markdown } from '../../src/formats/markdown.ts';
import fc from '../helpers/fc.ts';
import { unwrap } from '../helpers/results.ts';

const RUNS = { numRuns: 1000 };
const place = { kind: 'block', id: 'vera' } as const;
const other = { kind: 'block', id: 'docs' } as const;

const block = fc.constantFrom(
  '# Title',
  'text',
  '',
  '   ',
  '\t',
  '- item',
  '---\nname: x\n---',
  '```js\n<!-- tenon:begin vera -->\n```',
  '~~~~\n```\n~~~\n~~~~',
  '<!-- note -->',
  '<!--\nlong\n\n-->',
  '<!-- tenon:begin team -->\nx\n<!-- tenon:end team -->',
  '    <!-- tenon:end vera -->',
  '=======',
);
const document = fc
  .record({
    blocks: fc.array(block, { maxLength: 8 }),
    eol: fc.constantFrom('\n', '\r\n'),
    hasFinalEol: fc.boolean(),
  })
  .map(({ blocks, eol, hasFinalEol }) => {
    const unique = blocks.filter((part, index) => !part.includes('team') || blocks.indexOf(part) === index);
    const text = unique.map((part) => `${part}\n`).join('');
    return (hasFinalEol ? text : text.replace(/\n$/, '')).replaceAll('\n', eol);
  });
const value = fc.constantFrom(
  'use vera',
  'one\n\ntwo',
  '',
  '\n',
  'ends with a line\n',
  '```sh\nvera\n```',
  '<!-- c -->\nx',
  '\n\nx\n\n',
);
const isOneInsertion = (before: string, after: string): boolean => {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  return after.length > before.length && after.endsWith(before.slice(start));
};

describe('Markdown blocks', () => {
  it('laws 1, 2, 3 and 7: one insertion, read back as it is, and taken out without a trace', () => {
    fc.assert(
      fc.property(document, value, (before, inner) => {
        const edit = unwrap(markdown.insert(before, place, inner, {}));
        expect(isOneInsertion(before, edit.text)).toBe(true);
        expect(unwrap(markdown.read(edit.text, place))).toMatchObject({ state: 'present', value: inner });
        if (before !== '') expect(edit.text.endsWith('\n')).toBe(before.endsWith('\n'));
        if (before.includes('\r\n')) expect(/(?:^|[^\r])\n/.test(edit.text)).toBe(false);
        expect(unwrap(markdown.remove(edit.text, place, edit)).text).toBe(before);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('survives conversion of all line ends, an update, and a section that the user appends', () => {
    fc.assert(
      fc.property(document, value, value, (before, first, second) => {
        const edit = unwrap(markdown.insert(before, place, first, {}));
        const next = unwrap(
          markdown.update(edit.text, place, { set: new Map([['', second]]), unset: [] }, edit),
        );
        const section = next.text.endsWith('\n') ? '\n## More\n' : '\n\n## More\n';
        const crlf = (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
        const removed = unwrap(markdown.remove(crlf(next.text + section), place, next));
        expect(removed.text).toBe(crlf(before + section));
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('two blocks go in any order', () => {
    fc.assert(
      fc.property(document, value, value, fc.boolean(), (before, first, second, isLifo) => {
        const one = unwrap(markdown.insert(before, place, first, {}));
        const two = unwrap(markdown.insert(one.text, other, second, {}));
        const records = [
          { place, edit: one },
          { place: other, edit: two },
        ];
        let { text } = two;
        for (const record of isLifo ? records.toReversed() : records)
          text = unwrap(
            markdown.remove(text, record.place, { trace: record.edit.trace, containers: [] }),
          ).text;
        expect(text).toBe(before);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('answers every text with a result', () => {
    const noise = fc.array(
      fc.oneof(
        block,
        fc.constantFrom('```', '<!--', '<!-- tenon:begin vera -->', '<!-- tenon:end vera -->', '\r', '\0'),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(noise, (parts) => {
        const text = parts.join('\n');
        const read = markdown.read(text, place);
        const removed = markdown.remove(text, place, { containers: [] });
        if (removed.ok) expect(read.ok && read.value.state).toBe('present');
        if (!read.ok) expect(markdown.insert(text, place, 'x', {}).ok).toBe(false);
        expect(typeof read.ok).toBe('boolean');
      }),
      RUNS,
    );
    expect.hasAssertions();
  });
});
