import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/errors/error.ts';
import type { Facts } from '../../../src/probes/facts.ts';
import { PROBES } from '../../../src/probes/index.ts';
import { broaderBehind } from '../../../src/probes/permissions.ts';
import { found, idle, type Probe, runProbes, skipped } from '../../../src/probes/probe.ts';
import { literals } from '../../../src/probes/secrets.ts';
import { suppress } from '../../../src/probes/suppressions.ts';

const facts = { suppressions: [], today: '2026-01-02' } as unknown as Facts;
const finding = (severity: Finding['severity'], message: string = severity): Finding => ({
  code: 'config/malformed',
  severity,
  subject: 'a.json',
  message,
});
const probe = (id: string, run: Probe['run'], needs?: string[]): Probe => ({
  id,
  title: id,
  run,
  ...(needs === undefined ? {} : { needs }),
});

describe('runProbes', () => {
  it('takes the status of a check from its findings', async () => {
    const report = await runProbes(
      [
        probe('a/pass', () => found([finding('info')], 'fine')),
        probe('a/warn', () => found([finding('warning'), finding('info')], 'x')),
        probe('a/fail', () => found([finding('warning'), finding('error')], 'x')),
        probe('a/skip', () => skipped('not asked')),
        probe('a/idle', () => idle('nothing there')),
        probe('a/parts', () => [found([], 'x', 'one'), skipped('y', 'two')]),
      ],
      facts,
    );
    expect(report.checks.map(({ id, status, message }) => [id, status, message])).toEqual([
      ['a/pass', 'pass', 'fine'],
      ['a/warn', 'warn', 'warning'],
      ['a/fail', 'fail', 'error (and 1 more)'],
      ['a/skip', 'skip', 'not asked'],
      ['a/idle', 'skip', 'nothing there'],
      ['a/parts:one', 'pass', 'x'],
      ['a/parts:two', 'skip', 'y'],
    ]);
    expect(report.summary).toEqual({ pass: 2, warn: 1, fail: 1, skip: 3 });
  });

  it('makes a crash a failed check of its own, without secrets, and skips what needs it', async () => {
    const report = await runProbes(
      [
        probe('a/first', () => {
          throw new Error('lost \u001b[31m token=abc12345secret');
        }),
        probe('a/needs', () => found([], 'never'), ['a/first']),
        probe('a/other', async () => found([], 'made')),
      ],
      facts,
    );
    expect(report.checks.map(({ status }) => status)).toEqual(['fail', 'skip', 'pass']);
    expect(report.checks[1]?.message).toContain('a/first');
    expect(report.findings[0]?.code).toBe('internal/bug');
    expect(report.findings[0]?.message).not.toContain('abc12345secret');
    expect(report.findings[0]?.message).not.toContain('\u001b');
  });

  it('tells the same fact once, with the worse severity', async () => {
    const report = await runProbes(
      [
        probe('a/one', () => found([finding('warning', 'same')], '')),
        probe('a/two', () => found([finding('error', 'same')], '')),
      ],
      facts,
    );
    expect(report.findings).toEqual([finding('error', 'same')]);
  });
});

describe('the list of probes', () => {
  it('has permanent ids, each once, and needs only what runs before', () => {
    const ids = PROBES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [at, one] of PROBES.entries()) {
      expect(one.id).toMatch(/^[a-z]+\/[a-z-]+$/);
      for (const need of one.needs ?? []) expect(ids.slice(0, at)).toContain(need);
    }
  });
});

describe('docs/doctor.md', () => {
  it('lists every check by its id, in the order of the report, and no other', () => {
    const listed = [...readFileSync('docs/doctor.md', 'utf8').matchAll(/^\| `([a-z/-]+)(?::…)?` \|/gm)];
    expect(listed.map(([, id]) => id)).toEqual(PROBES.map(({ id }) => id));
  });
});

describe('suppress', () => {
  const one = { code: 'config/malformed', reason: 'known', expires: '2026-01-02' };
  const error = finding('error');

  it('holds to the end of its day, for its code and subject only', () => {
    expect(suppress([error], [one], '2026-01-02')[0]?.severity).toBe('info');
    expect(suppress([error], [one], '2026-01-03').map(({ code }) => code)).toEqual([
      'config/malformed',
      'suppression/expired',
    ]);
    expect(suppress([error], [{ ...one, subject: 'b.json' }], '2026-01-01')).toEqual([error]);
    expect(suppress([error], [{ ...one, code: 'config/shape' }], '2026-01-01')).toEqual([error]);
  });

  it('never hides a credential or a fact of this host', () => {
    for (const code of ['secret/exposed', 'recover/needed', 'internal/bug'] as const) {
      expect(suppress([{ ...error, code }], [{ ...one, code }], '2026-01-01')[0]?.severity).toBe('error');
    }
  });
});

describe('broaderBehind', () => {
  it.each([
    [{ vera_write: 'ask', 'vera_*': 'allow' }, 'vera_*'],
    [{ vera_write: 'ask', '*': 'allow' }, '*'],
    [{ 'vera_*': 'allow', vera_write: 'ask' }, undefined],
    [{ vera_write: 'ask', 'vera_*': 'ask' }, undefined],
    [{ vera_write: 'ask', 'vera_*': 'allow', 'vera_w*': 'ask' }, undefined],
    [{ vera_write: 'ask', 'other_*': 'allow' }, undefined],
    [{ vera_write: 'ask', 'vera.*': 'allow' }, undefined],
    ['ask', undefined],
  ])('%j -> %s', (rules, wanted) => {
    expect(broaderBehind(rules, 'vera_write')).toBe(wanted);
  });
});

describe('literals', () => {
  it.each([
    [{ env: { TOKEN: 'abc-1234' } }, ['env.TOKEN']],
    [{ env: { TOKEN: '$TOKEN', A: '1' } }, []],
    [{ headers: { Authorization: 'Bearer {env:X}', Accept: 'application/json' } }, []],
    [{ headers: { Authorization: 'Bearer abcdefgh12345678' } }, ['headers.Authorization']],
    [{ args: ['--token', 'x1', '--port', '80'] }, ['args.1']],
    [{ args: ['--token', `\${T}`] }, []],
    [{ url: 'https://me:pw@x.example/' }, ['url']],
    [{ bearer_token_env_var: 'VERA_TOKEN' }, []],
    [{ default_tools_approval_mode: 'prompt', password: true }, []],
    [{ 'token-service': { command: 'serve' } }, []],
  ])('%j -> %j', (value, wanted) => {
    expect(literals(value, []).map((path) => path.join('.'))).toEqual(wanted);
  });
});
