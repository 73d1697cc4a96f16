import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Evidence, evidencePath, loadEvidence, saveEvidence } from '../../../src/state/evidence.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { findBroken } from '../../../src/state/maintain.ts';
import { realSystem } from '../../../src/system/real.ts';
import { scratch } from '../../helpers/repo.ts';

const EVIDENCE: Evidence = {
  runtime: 'codex',
  result: 'passed',
  at: '2026-12-01T00:00:00.000Z',
  reason: '',
  binding: { version: '1.2.3', build: 'sha256:b', spec: 'sha256:s', template: 'sha256:t', probe: 'sha256:p' },
  program: '/usr/bin/codex',
  stamps: [{ path: '/usr/bin/codex', size: 1, mtimeMs: 2.5, ino: 3 }],
};

function host() {
  const real = realSystem();
  const system = { ...real, host: { ...real.host, env: { TENON_STATE_DIR: `${scratch()}/tenon` } } };
  const state = openStateFolder(system);
  return { system, state, path: evidencePath(state, 'codex') };
}

describe('evidence on this host', () => {
  it('is what was saved, in a private file', () => {
    const { system, state, path } = host();
    expect(loadEvidence(system, state, 'codex')).toEqual({});
    saveEvidence(system, state, EVIDENCE);
    expect(loadEvidence(system, state, 'codex')).toEqual({ evidence: EVIDENCE });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    saveEvidence(system, state, { ...EVIDENCE, result: 'failed', reason: 'it did not connect' });
    expect(loadEvidence(system, state, 'codex').evidence?.result).toBe('failed');
  });

  it.each([
    ['no JSON', () => '{'],
    ['another version', (text: string) => text.replace('"schemaVersion":1', '"schemaVersion":2')],
    ['another coding tool', (text: string) => text.replace('"runtime":"codex"', '"runtime":"cursor"')],
    ['no time', (text: string) => text.replace('2026-12-01T00:00:00.000Z', 'yesterday')],
    ['no binding', (text: string) => text.replace('"build":"sha256:b",', '')],
    ['a result that is none', (text: string) => text.replace('"passed"', '"perhaps"')],
    ['stamps that are none', (text: string) => text.replace('"size":1', '"size":"1"')],
  ])('is none with %s', (_, change) => {
    const { system, state, path } = host();
    saveEvidence(system, state, EVIDENCE);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, change(text));
    const { evidence, problem } = loadEvidence(system, state, 'codex');
    expect(evidence).toBeUndefined();
    expect(problem).toMatchObject({ code: 'state/evidence', remedy: { command: 'tenon certify codex' } });
  });

  it('is none where others may write it, and repair names the file', () => {
    const { system, state, path } = host();
    saveEvidence(system, state, EVIDENCE);
    expect(findBroken(system, state)).toEqual([]);
    chmodSync(path, 0o666);
    expect(loadEvidence(system, state, 'codex').evidence).toBeUndefined();
    expect(findBroken(system, state).map((one) => one.path)).toEqual([path]);
  });

  it('is none where a folder stands in its place', () => {
    const { system, state, path } = host();
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(path);
    expect(loadEvidence(system, state, 'codex').problem?.message).toContain('not a plain file');
  });
});
