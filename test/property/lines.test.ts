import { describe, expect, it } from 'vitest';
import { linesFormat as lines } from '../../src/formats/lines.ts';
import fc from '../helpers/fc.ts';
import { unwrap } from '../helpers/results.ts';

const RUNS = { numRuns: 1000 };
const place = { kind: 'line', line: '.vera/' } as const;
const other = { kind: 'line', line: '.tenon-cache' } as const;

const line = fc.constantFrom(
  '',
  '  ',
  '# .vera/',
  'dist',
  '*.log  ',
  'a\\ ',
  '!keep',
  '/x/',
  '.vera2',
  '\\#x',
  'é',
);
const document = fc
  .record({
    parts: fc.array(line, { maxLength: 8 }),
    eol: fc.constantFrom('\n', '\r\n'),
    hasFinalEol: fc.boolean(),
  })
  .map(({ parts, eol, hasFinalEol }) => {
    const text = parts.map((part) => `${part}\n`).join('');
    return (hasFinalEol ? text : text.replace(/\n$/, '')).replaceAll('\n', eol);
  });

describe('lists of lines', () => {
  it('laws 1, 2, 3 and 7: one line at the end, with the line end of the file, and taken out without a trace', () => {
    fc.assert(
      fc.property(document, (before) => {
        const edit = unwrap(lines.insert(before, place, '.vera/', {}));
        expect(edit.text.startsWith(before)).toBe(true);
        expect(unwrap(lines.parse(edit.text))).toEqual([
          ...((unwrap(lines.parse(before)) ?? []) as string[]),
          '.vera/',
        ]);
        if (before !== '') expect(edit.text.endsWith('\n')).toBe(before.endsWith('\n'));
        if (before.includes('\r\n')) expect(/(?:^|[^\r])\n/.test(edit.text)).toBe(false);
        expect(unwrap(lines.remove(edit.text, place, edit)).text).toBe(before);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('lines that the user puts before, after and between stay, in either order of removal', () => {
    fc.assert(
      fc.property(document, line, line, fc.boolean(), (before, above, below, isLifo) => {
        const one = unwrap(lines.insert(before, place, '.vera/', {}));
        const two = unwrap(lines.insert(one.text, other, '.tenon-cache', {}));
        const records = [
          { place, trace: one.trace },
          { place: other, trace: two.trace },
        ];
        const eol = before.includes('\r\n') ? '\r\n' : '\n';
        const end = two.text.endsWith('\n') ? `${below}${eol}` : `${eol}${below}`;
        const user = (text: string): string => above + eol + text;
        let text = user(two.text) + end;
        for (const { place: which, trace } of isLifo ? records.toReversed() : records)
          text = unwrap(lines.remove(text, which, { trace, containers: [] })).text;
        expect(text).toBe(user(before) + end);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });
});
