import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/errors/error.ts';
import { renderFindings, renderNews, untold } from '../../../src/reporting/findings-view.ts';
import { PLAIN_THEME as theme } from '../../../src/reporting/theme.ts';

const stale = (subject: string): Finding => ({
  code: 'ownership/stale',
  severity: 'warning',
  subject,
  message: 'no definition asks for this entry',
  remedy: { text: 'Take it out', command: 'tenon sync --prune' },
});
const fitting = (message: string, more: Partial<Finding> = {}): Finding => ({
  code: 'hook/form',
  severity: 'info',
  subject: 'codex',
  message,
  ...more,
});

describe('findings', () => {
  it('are one with a list where they differ in their subject alone', () => {
    expect(renderFindings([stale('a#/x'), stale('b#/y'), stale('b#/y')], theme)).toBe(
      [
        '! ownership/stale  2 times: no definition asks for this entry',
        '    a#/x',
        '    b#/y',
        '  Fix: Take it out',
        '       tenon sync --prune',
      ].join('\n'),
    );
  });

  it('name their subject once, also where the message calls a coding tool by its title', () => {
    const one = (subject: string, message: string) =>
      renderFindings([{ code: 'hook/form', severity: 'info', subject, message }], theme);
    expect(one('claude-code', 'Claude Code is not on PATH')).toBe('* hook/form  Claude Code is not on PATH');
    expect(one('vscode', 'VS Code: set up here')).toBe('* hook/form  VS Code: set up here');
    expect(one('.', 'an apply was interrupted')).toBe('* hook/form  an apply was interrupted');
    expect(one('vera', 'recover all of it')).toBe('* hook/form  vera: recover all of it');
    expect(one('codex', 'Claude Code is not on PATH')).toContain('codex: Claude Code');
  });

  it('have remedies that begin as a sentence, but for a command', () => {
    const fix = (text: string) =>
      renderFindings(
        [{ code: 'hook/form', severity: 'info', subject: '', message: 'm', remedy: { text } }],
        theme,
      );
    expect(fix('restart the tool')).toContain('Fix: Restart the tool');
    expect(fix('chmod u+w x')).toContain('Fix: chmod u+w x');
    expect(fix('--resolve x=keep')).toContain('Fix: --resolve x=keep');
  });

  it('that setup told already are counted, the others told', () => {
    const withheld = fitting('left out', { severity: 'warning', data: { withheld: true } });
    const text = renderNews([stale('a#/x'), fitting('as a plugin'), withheld], theme);
    expect(text).toContain('ownership/stale');
    expect(text).not.toContain('as a plugin');
    expect(text).toMatch(/2 notes on how it fits the coding tools: tenon doctor tells them$/);
    expect(renderNews([], theme)).toBe('');
  });

  it('of this host are news: a missing interpreter, a warning about nothing that was left out', () => {
    const here = fitting('node is not on PATH', {
      code: 'hook/interpreter-missing',
      severity: 'warning',
      data: { withheld: true },
    });
    const warning = fitting('moved', { severity: 'warning' });
    expect(renderNews([here, warning], theme)).toBe(renderFindings([here, warning], theme));
  });

  it('are untold unless code, subject and message were told', () => {
    const told = [stale('a#/x')];
    expect(untold([stale('a#/x'), stale('b#/y')], told)).toEqual([stale('b#/y')]);
  });
});
