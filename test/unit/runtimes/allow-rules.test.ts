import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Place } from '../../../src/formats/format.ts';
import { formatOf, loadFormats } from '../../../src/formats/index.ts';
import { allowFindings, type GuardingRule } from '../../../src/runtimes/allow-rules.ts';
import { loadSpecs } from '../../../src/runtimes/load.ts';
import { realReader } from '../../../src/system/real-files.ts';

const specs = await loadSpecs(realReader, join(import.meta.dirname, '..', '..', '..'));
await loadFormats(['json']);

const item = (path: string[], value: GuardingRule['value']): Omit<GuardingRule, 'path'> => ({
  place: { kind: 'item', path, value } as Place,
  value,
});
const key = (path: string[], value: string): Omit<GuardingRule, 'path'> => ({
  place: { kind: 'key', path },
  value,
});

function told(id: string, text: string, ours: Omit<GuardingRule, 'path'>[], path = 'f.json', own = path) {
  const spec = specs.get(id);
  if (spec === undefined) throw new Error(id);
  const parsed = formatOf('json').parse(text);
  if (!parsed.ok) throw new Error('not JSON');
  const locate = (at: readonly string[]) => formatOf('json').locate(text, at);
  return allowFindings(
    spec,
    ours.map((rule) => ({ ...rule, path: own })),
    { path, value: parsed.value, locate },
  ).map(({ code, severity, message, data }) => [code, severity, data?.['line'], message]);
}

const ASK = ['permissions', 'ask'];
const SAVE = item(ASK, 'mcp__vera__save');
const EDIT = item(ASK, 'mcp__vera__edit');

describe('a rule that allows what ours asks about', () => {
  it.each(['mcp__vera__save', 'mcp__vera', 'mcp__vera__*', 'mcp__vera__s*', '*'])(
    'is told where ours decides, in whatever form: %s',
    (allowed) => {
      const text = `{\n "permissions": {\n  "allow": ["Bash(ls)",\n "${allowed}"],\n  "ask": ["mcp__vera__save"]\n }\n}\n`;
      expect(told('claude-code', text, [SAVE])).toEqual([
        [
          'config/allowed-too',
          'info',
          4,
          `${allowed} in line 4 of f.json allows mcp__vera__save in Claude Code; our rule for it decides as long as both stand`,
        ],
      ]);
    },
  );

  it.each(['mcp__ver', 'mcp__vera2', 'mcp__vera__sav', 'mcp__other__*', 'Bash(*)'])(
    'is none of another tool: %s',
    (allowed) => {
      const text = JSON.stringify({ permissions: { allow: [allowed], ask: ['mcp__vera__save'] } });
      expect(told('claude-code', text, [SAVE])).toEqual([]);
    },
  );

  it('is told once for all its tools, and in every file', () => {
    const text = '{"permissions":{"allow":["mcp__vera__*","mcp__vera"],"deny":["mcp__vera__edit"]}}';
    const [only, ...more] = told('qwen-code', text, [SAVE, EDIT], 'other.json', 'f.json');
    expect(more).toEqual([]);
    expect(only?.[3]).toContain('mcp__vera__* in line 1 of other.json allows mcp__vera__save and 1 more in');
  });

  it('is none of what denies, and of no list at all', () => {
    for (const permissions of [{ deny: ['mcp__vera'] }, { allow: { a: 'mcp__vera' } }, [], 'x', null])
      expect(told('claude-code', JSON.stringify({ permissions }), [SAVE])).toEqual([]);
  });

  it('says nothing about a rule of ours that allows', () => {
    const text = '{"permissions":{"allow":["mcp__vera__*","mcp__vera__save"]}}';
    expect(told('claude-code', text, [item(['permissions', 'allow'], 'mcp__vera__save')])).toEqual([]);
  });

  it('wins behind ours where the last match decides', () => {
    const ours = [key(['permission', 'vera_save'], 'ask')];
    const rules = (...pairs: [string, string][]) => JSON.stringify({ permission: Object.fromEntries(pairs) });
    const codes = (text: string) => told('opencode', text, ours).map(([code]) => code);
    expect(codes(rules(['vera_*', 'allow'], ['vera_save', 'ask']))).toEqual(['config/allowed-too']);
    expect(codes(rules(['vera_save', 'ask'], ['vera_*', 'allow']))).toEqual(['config/rule-order']);
    expect(codes(rules(['vera_save', 'ask'], ['vera_*', 'deny'], ['bash', 'allow']))).toEqual([]);
  });

  it('wins before ours where the first match decides', () => {
    const rule = (tool: string, action: string) => ({ tool, action });
    const ours = [item(['amp.permissions'], rule('mcp__vera__save', 'ask'))];
    const codes = (...rules: object[]) =>
      told('amp', JSON.stringify({ 'amp.permissions': rules }), ours).map(([code]) => code);
    const own = rule('mcp__vera__save', 'ask');
    expect(codes(rule('mcp__vera__*', 'allow'), own)).toEqual(['config/rule-order']);
    expect(codes(own, rule('*', 'allow'))).toEqual(['config/allowed-too']);
    expect(codes(rule('*', 'ask'), rule('Bash', 'allow'), own)).toEqual([]);
  });
});
