import { describe, expect, it } from 'vitest';
import { linesFormat as lines } from '../../../src/formats/lines.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const place = { kind: 'line', line: '.vera/' } as const;
const add = (text: string) => unwrap(lines.insert(text, place, '.vera/', {}));

describe('lines format', () => {
  it('reads a line of many blanks in a time that grows with it', () => {
    const text = `a${' '.repeat(400_000)}\nb\n`;
    const start = performance.now();
    expect(unwrap(lines.parse(add(text).text))).toEqual(['a', 'b', '.vera/']);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it.each([
    ['a  ', 'a'],
    ['a\\ ', 'a\\ '],
    ['a\\   ', 'a\\ '],
    ['a\\\\ ', 'a\\\\'],
    ['a\\\\\\ ', 'a\\\\\\ '],
    ['\\ ', '\\ '],
    ['   ', ''],
  ])('counts of blanks at the end of %j the escaped one (gitignore(5))', (line, pattern) => {
    expect(unwrap(lines.parse(`${line}\nb\n`))).toEqual(pattern === '' ? ['b'] : [pattern, 'b']);
  });

  it.each([
    ['', '.vera/\n'],
    ['dist\n', 'dist\n.vera/\n'],
    ['dist', 'dist\n.vera/'],
    ['dist\r\n', 'dist\r\n.vera/\r\n'],
    ['a\r\ndist', 'a\r\ndist\r\n.vera/'],
    ['dist\n\n\n', 'dist\n\n\n.vera/\n'],
  ])('adds at the end of %j and takes it out again', (before, after) => {
    const edit = add(before);
    expect(edit.text).toBe(after);
    expect(unwrap(lines.remove(edit.text, place, { trace: edit.trace, containers: [] })).text).toBe(before);
    expect(unwrap(lines.remove(edit.text, place, { containers: [] })).text).toBe(before);
  });

  it('keeps what was appended after a line that was added without a final line end', () => {
    const edit = add('dist');
    const text = `${edit.text}\nmore\n`;
    expect(unwrap(lines.remove(text, place, { trace: edit.trace, containers: [] })).text).toBe(
      'dist\nmore\n',
    );
  });

  it.each(['.vera', '.vera/', '/.vera', '/.vera/', '.vera/  ', '/.vera\r'])(
    'finds the equal line %j',
    (line) => {
      expect(unwrap(lines.read(`dist\n${line}\nx\n`, place))).toMatchObject({
        state: 'present',
        value: '.vera/',
        at: { line: 2, column: 1, offset: 5 },
      });
    },
  );

  it.each(['# .vera/', '.vera/\\ ', ' .vera/', 'a/.vera/', '.vera2'])('takes %j for another line', (line) => {
    expect(unwrap(lines.read(`${line}\n`, place))).toEqual({ state: 'absent' });
  });

  it('refuses where a negation stands after the pattern, or alone', () => {
    const fault = faultOf(lines.read('.vera\n*.log\n!/.vera/\n', place));
    expect(fault).toMatchObject({ code: 'lines/negated', at: { line: 3, column: 1 } });
    expect(faultOf(lines.insert('!.vera\n', place, '.vera/', {})).code).toBe('lines/negated');
    expect(unwrap(lines.read('!.vera\n.vera\n', place)).state).toBe('present');
  });

  it('removes the last exact line only, also after a negation, and never another spelling', () => {
    const text = '.vera/\nx\n.vera/\n!.vera\n';
    expect(unwrap(lines.remove(text, place, { containers: [] })).text).toBe('.vera/\nx\n!.vera\n');
    expect(faultOf(lines.remove('/.vera\n', place, { containers: [] }))).toMatchObject({
      code: 'edit/unprovable',
      at: { line: 1 },
    });
    expect(faultOf(lines.remove('x\n', place, { containers: [] })).code).toBe('edit/unprovable');
  });

  it('is found and removed after the whole file was converted to CRLF', () => {
    const edit = add('a\nb\n');
    const text = edit.text.replaceAll('\n', '\r\n');
    expect(unwrap(lines.remove(text, place, { trace: edit.trace, containers: [] })).text).toBe('a\r\nb\r\n');
  });

  it('refuses a second equal line, conflict markers, NUL, and lines that are no pattern', () => {
    expect(faultOf(lines.insert('.vera\n', place, '.vera/', {})).code).toBe('edit/unprovable');
    const conflict = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n';
    expect(faultOf(lines.parse(`x\n${conflict}`))).toMatchObject({
      code: 'config/merge-conflict',
      at: { line: 2 },
    });
    expect(faultOf(lines.read('a\0', place))).toMatchObject({ code: 'config/malformed', at: { column: 2 } });
    for (const line of ['', '# x', '!x', 'a\nb', 'a '])
      expect(faultOf(lines.insert('', { kind: 'line', line }, line, {})).code).toBe('edit/unsupported');
  });

  it('parses to the patterns and replaces a line in place', () => {
    expect(unwrap(lines.parse('# c\n\na \n!b\n'))).toEqual(['a', '!b']);
    expect(unwrap(lines.parse('# c\n'))).toBeUndefined();
    const change = { set: new Map([['', '.tenon/']]), unset: [] };
    const edit = unwrap(lines.update('a\r\n.vera/\r\nb', place, change, { containers: [] }));
    expect(edit.text).toBe('a\r\n.tenon/\r\nb');
  });
});
