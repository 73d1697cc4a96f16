import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE, runJson } from '../../helpers/cli.ts';
import { scratch } from '../../helpers/repo.ts';
import { bench, codesOf, leaves, ROWS } from './support.ts';

const WRITES = ['knowledge_propose', 'knowledge_feedback', 'knowledge_create_snapshot'];

describe('off, suggest, and auto-propose save modes', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      const before = one.tree();
      const texts = new Set<string>();
      for (const mode of ['suggest', 'auto-propose', 'off']) {
        const run = await one.setup(['--set', `SAVE_MODE=${mode}`]);
        expect(run.code, run.stdout).toBeLessThanOrEqual(1);
        texts.add(one.read(tool.skill));
        const rules = one.read(tool.id === 'claude-code' ? '.claude/settings.json' : tool.file);
        if (tool.id === 'codex') {
          expect(rules).toContain('default_tools_approval_mode = "writes"');
          // It has no rule that denies: that is said, not passed over.
          expect(codesOf(run).includes('render/no-decision')).toBe(mode === 'off');
          continue;
        }
        const parsed = JSON.parse(rules);
        for (const name of WRITES) {
          const isDenied =
            tool.id === 'opencode'
              ? parsed.permission[`vera_${name}`] === 'deny'
              : (parsed.permissions.deny ?? []).includes(`mcp__vera__${name}`);
          expect(isDenied, `${mode} ${name}`).toBe(mode === 'off');
        }
      }
      expect(texts.size).toBe(3);
      // A credential that only reads has the same rules and no word of saving, whatever the mode.
      const denials = () => one.read(tool.id === 'claude-code' ? '.claude/settings.json' : tool.file);
      const off = denials();
      const reads = await one.setup(['--set', 'SAVE_MODE=suggest', '--set', 'SCOPES=memory:read']);
      expect(reads.code, reads.stdout).toBeLessThanOrEqual(1);
      expect(denials()).toBe(off);
      expect(one.read(tool.skill)).toContain('Suggest no proposals and write none');
      expect(JSON.stringify(reads.document.findings)).toContain('defaults.save_mode');
      // Ways of the tool around a rule that asks are told; where it has none, none are made up.
      const doctor = await one.tenon(['doctor', '--offline']);
      expect(codesOf(doctor).includes('consent/bypassable')).toBe(tool.id !== 'claude-code');
      // Rules of the earlier mode that still stand are told until they are taken out.
      const status = await one.tenon(['status']);
      const pruned = await one.tenon(['sync', '--prune', '--yes']);
      expect(pruned.code, pruned.stdout).toBe(0);
      if (tool.id === 'claude-code') {
        expect(codesOf(status)).toContain('ownership/stale');
        const { ask = [] } = JSON.parse(one.read('.claude/settings.json')).permissions;
        expect(ask).toEqual(['mcp__vera__knowledge_get_context']);
      }
      expect((await one.tenon(['status'])).document.data.state).toBe('ok');
      await leaves(one, before);
    },
    120_000,
  );
});

describe('Update to a newer GUIDE contract', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      const before = one.tree();
      expect((await one.setup()).code).toBe(0);
      const newer = scratch();
      for (const part of ['bin', 'dist', 'specs', 'templates', 'package.json'])
        cpSync(join(PACKAGE, part), join(newer, part), { recursive: true });
      const edit = (path: string, change: (text: string) => string) =>
        writeFileSync(join(newer, path), change(readFileSync(join(newer, path), 'utf8')));
      edit('templates/vera/integration.json', (text) =>
        text.replace('"version": "1.4.0"', '"version": "1.5.0"'),
      );
      edit('templates/vera/skills/suggest/vera-memory/SKILL.md', (text) => `${text}\nOne rule more.\n`);
      const at = { ...one.options, packageDir: newer };
      const check = await runJson(['sync', '--check'], at);
      expect(check.code).toBe(1);
      const stale = await runJson(['status'], at);
      expect(JSON.stringify(stale.document.data.runtimes)).toContain(tool.skill);
      expect(codesOf(stale)).not.toContain('ownership/drifted');
      const sync = await runJson(['sync', '--yes'], at);
      expect(sync.code, sync.stdout).toBe(0);
      expect(one.read(tool.skill)).toContain('One rule more.');
      expect(one.read('.tenon/manifest.json')).toContain('1.5.0');
      expect((await runJson(['sync', '--check'], at)).code).toBe(0);
      await leaves(one, before);
    },
    120_000,
  );
});

describe('Disable and complete uninstall without unrelated config loss', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool, { [tool.file]: tool.other });
      const before = one.tree();
      expect((await one.setup()).code).toBe(0);
      const text = one.read(tool.file);
      const disabled = await one.tenon(['disable', 'vera', '--yes']);
      if (tool.id === 'claude-code') {
        // It keeps the switch itself: the step is told, and the file is not touched.
        expect(disabled.code).toBe(1);
        expect(codesOf(disabled)).toContain('runtime/no-switch');
        expect(one.read(tool.file)).toBe(text);
      } else {
        expect(disabled.code, disabled.stdout).toBe(0);
        expect(one.read(tool.file)).toMatch(/"?enabled"?\s*[:=]\s*false/);
        expect((await one.tenon(['enable', 'vera', '--yes'])).code).toBe(0);
        expect(one.read(tool.file)).toBe(text);
        expect((await one.tenon(['disable', 'vera', '--yes'])).code).toBe(0);
      }
      // Somebody's own switch is no drift either.
      if (tool.id === 'claude-code') {
        const off = text.replace(/("url": "http:[^"]*")/, '$1, "disabled": true');
        expect(off).not.toBe(text);
        writeFileSync(join(one.root, tool.file), off);
      }
      expect(codesOf(await one.tenon(['status']))).not.toContain('ownership/drifted');
      const out = await one.tenon(['uninstall', '--yes']);
      expect(out.code, out.stdout).toBe(0);
      expect(one.read(tool.file)).toContain('https://other.example/mcp');
      expect(one.read(tool.file)).not.toContain(one.server.mcpUrl);
      expect(one.tree()).toEqual(before);
    },
    120_000,
  );
});

describe('Windows, macOS, Linux, and WSL where the runtime is supported', () => {
  it.runIf(process.platform === 'linux').each(ROWS)('%s on Linux', async (_, tool) => {
    const one = await bench(tool);
    const before = one.tree();
    expect((await one.setup()).code).toBe(0);
    const doctor = await one.tenon(['doctor']);
    expect(doctor.document.data.summary.fail, doctor.stdout).toBe(0);
    await leaves(one, before);
  });
  it.skip('Windows', () => {});
  it.skip('macOS', () => {});
  it.skip('WSL', () => {});
});
