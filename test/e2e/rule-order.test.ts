import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';

// Rules of the user that allow a tool which an integration asks about (contract, section 4).

const found = (document: { findings: { code: string }[] }, code: string) =>
  document.findings.filter((one) => one.code === code);

describe('a rule that allows a tool that ours asks about', () => {
  it('is told by the plan and by doctor where ours decides, and survives the uninstall', async () => {
    const repo = bench({
      '.claude/settings.json': '{\n  "permissions": { "allow": ["Bash(ls)", "mcp__vera__*"] }\n}\n',
    });
    const before = repo.tree();
    const { code, document } = await repo.json(setupVera(['claude-code']));
    expect(code).toBe(0);
    expect(found(document, 'config/allowed-too')).toMatchObject([
      { severity: 'info', data: { file: '.claude/settings.json', line: 2, runtimes: ['claude-code'] } },
    ]);
    const doctor = await repo.json(['doctor', '--offline']);
    expect(doctor.code).toBe(0);
    expect(found(doctor.document, 'config/allowed-too')).toHaveLength(1);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('stops a setup where it would decide, and is left to win where ours was not asked for', async () => {
    const repo = bench({
      '.amp/settings.json': '{ "amp.permissions": [{ "tool": "mcp__vera__*", "action": "allow" }] }\n',
    });
    const before = repo.tree();
    const refused = await repo.json(setupVera(['amp']));
    expect(refused.code).toBe(4);
    expect(refused.document.error).toMatchObject({ code: 'config/rule-order' });
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(setupVera(['amp'], '--without', 'permissions')), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('that came before ours later is an error to doctor', async () => {
    const repo = bench({ '.amp/settings.json': '{ "amp.permissions": [] }\n' });
    expectCode(await repo.run(setupVera(['amp'])), 0);
    const rule = '{ "tool": "*", "action": "allow" },';
    repo.write('.amp/settings.json', repo.text('.amp/settings.json').replace('[', `[${rule}`));
    const doctor = await repo.json(['doctor', '--offline']);
    expect(doctor.code).toBe(1);
    expect(found(doctor.document, 'config/rule-order')).toMatchObject([{ severity: 'error' }]);
  });
});
