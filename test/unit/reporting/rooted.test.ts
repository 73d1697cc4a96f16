import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { commandAt, errorAt, outcomeAt } from '../../../src/reporting/rooted.ts';
import { PLAIN_THEME } from '../../../src/reporting/theme.ts';

describe('a command for a root', () => {
  it.each([
    ["tenon sync --force '.mcp.json#/a'", "tenon sync --root b --force '.mcp.json#/a'"],
    ['tenon trust', 'tenon trust --root b'],
    ['tenon trust scan', 'tenon trust --root b scan'],
    ['tenon add docs -- node x', 'tenon add --root b docs -- node x'],
    // It names its place, or works on none.
    ['tenon doctor --root a', 'tenon doctor --root a'],
    ['tenon sync --root=a', 'tenon sync --root=a'],
    ['tenon -C a sync', 'tenon -C a sync'],
    ['tenon sync -C a', 'tenon sync -C a'],
    ['tenon status --all-roots', 'tenon status --all-roots'],
    ['tenon add --help', 'tenon add --help'],
    ['tenon explain sync/difference', 'tenon explain sync/difference'],
    ['tenon runtimes codex', 'tenon runtimes codex'],
    ['git status', 'git status'],
    ['tenon setups', 'tenon setups'],
  ])('%s', (command, expected) => {
    expect(commandAt(command, 'b')).toBe(expected);
  });

  it('keeps what a replacement would take for a pattern', () => {
    expect(commandAt('tenon sync', "'$& x'")).toBe("tenon sync --root '$& x'");
  });

  it('stands in findings, data, text and faults, and nothing else changes', () => {
    const remedy = { text: 'Take it out, then run tenon sync', command: 'tenon sync --prune' };
    const named = {
      text: 'Take it out, then run tenon sync --root b',
      command: 'tenon sync --root b --prune',
    };
    const finding = { code: 'a/b', severity: 'error', subject: 'x', message: 'tenon sync', remedy } as const;
    const data = {
      a: [{ remedy, command: 'tenon sync' }, { remedy: 'tenon sync' }],
      b: { c: 1n },
      next: [{ text: 'tenon doctor' }],
    };
    const outcome = outcomeAt(
      {
        command: 'status',
        exit: 1,
        data,
        findings: [finding],
        human: (theme) => theme.accent('tenon sync') + theme.bold('tenon sync'),
      },
      'b',
    );
    expect(outcome.findings).toEqual([{ ...finding, remedy: named }]);
    expect(outcome.data).toEqual({
      a: [{ remedy: named, command: 'tenon sync' }, { remedy: 'tenon sync --root b' }],
      b: { c: 1n },
      next: [{ text: 'tenon doctor --root b' }],
    });
    expect(outcome.human(PLAIN_THEME)).toBe('tenon sync --root btenon sync');
    const error = errorAt(new TenonError('a/b', 'x', { exit: 4, remedy, findings: [finding] }), 'b');
    expect(error).toMatchObject({ code: 'a/b', exit: 4, remedy: named, findings: [{ remedy: named }] });
  });
});
