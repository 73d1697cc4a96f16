import { describe, expect, it } from 'vitest';
import { type Finding, TenonError } from '../../../src/errors/error.ts';
import { toError } from '../../../src/errors/to-error.ts';
import { renderFormat } from '../../../src/reporting/formats.ts';
import {
  createHumanReporter,
  createJsonReporter,
  type ReporterOptions,
} from '../../../src/reporting/reporter.ts';
import { createTheme, PLAIN_THEME } from '../../../src/reporting/theme.ts';
import type { Outcome, Theme } from '../../../src/reporting/types.ts';

const options: ReporterOptions = {
  quiet: false,
  debug: false,
  strict: false,
  version: '1.2.3',
};
const unicode = createTheme({ color: false, unicode: true });

function streams(theme: Theme = unicode, isTty = false) {
  const text = { out: '', err: '' };
  const append = (name: 'out' | 'err') => (part: string) => {
    text[name] += part;
  };
  return {
    text,
    stdout: { write: append('out'), theme, isTty },
    stderr: { write: append('err'), theme, isTty: false },
  };
}

const finding = (code: `${string}/${string}`, severity: Finding['severity']): Finding => ({
  code,
  severity,
  subject: '.mcp.json',
  message: 'is as it is.',
});

const outcome = (change: Partial<Outcome> = {}): Outcome => ({
  command: 'status',
  exit: 0,
  data: { state: 'ok' },
  findings: [],
  human: () => 'all well',
  ...change,
});

describe('the JSON reporter', () => {
  it('prints the envelope of the contract, worst finding first', () => {
    const io = streams();
    const exit = createJsonReporter(io, options).outcome(
      outcome({
        exit: 1,
        data: { big: 2n ** 70n, none: undefined },
        findings: [
          finding('a/info', 'info'),
          { ...finding('a/bad', 'error'), remedy: { text: 'Do it.', command: 'x' } },
        ],
      }),
    );
    expect(exit).toBe(1);
    expect(io.text.err).toBe('');
    expect(io.text.out).toMatchInlineSnapshot(`
      "{"schema":"tenon/status/v1","ok":false,"exitCode":1,"data":{"big":1180591620717411303424},"findings":[{"code":"a/bad","severity":"error","subject":".mcp.json","message":"is as it is.","remedy":{"text":"Do it.","command":"x"}},{"code":"a/info","severity":"info","subject":".mcp.json","message":"is as it is.","remedy":{"text":"See what it means and what to do","command":"tenon explain a/info"}}],"error":null}
      "
    `);
  });

  it('prints a fault with its data and findings', () => {
    const io = streams();
    const error = new TenonError('plan/stale', 'something changed', {
      exit: 6,
      data: { plan: { digest: 'sha256:0' } },
    });
    expect(createJsonReporter(io, options).error(error, 'apply')).toBe(6);
    expect(JSON.parse(io.text.out)).toEqual({
      schema: 'tenon/apply/v1',
      ok: false,
      exitCode: 6,
      data: { plan: { digest: 'sha256:0' } },
      findings: [],
      // No way out of its own: the explanation of the code tells one.
      error: {
        code: 'plan/stale',
        message: 'something changed',
        remedy: { text: 'See what it means and what to do', command: 'tenon explain plan/stale' },
        state: 'nothing-written',
      },
    });
  });

  it('prints 1,000 findings as one document', () => {
    const io = streams();
    const findings = Array.from({ length: 1000 }, (_, index) => ({
      ...finding('a/bad', 'error'),
      subject: `f${index}`,
    }));
    createJsonReporter(io, options).outcome(outcome({ findings }));
    expect(io.text.out.length).toBeGreaterThan(65_536);
    expect(JSON.parse(io.text.out).findings).toHaveLength(1000);
  });

  it('says nothing else, but debug on stderr', async () => {
    const io = streams();
    const reporter = createJsonReporter(io, { ...options, debug: true });
    reporter.note(() => 'a note');
    await reporter.progress('work', async () => 1);
    reporter.debug('read \u001b[2J');
    expect(io.text).toEqual({ out: '', err: 'debug: read \\e[2J\n' });
  });
});

describe('--strict', () => {
  const warned = outcome({ findings: [finding('a/warn', 'warning')] });
  it('raises a warning to 1, and nothing else', () => {
    const strict = createJsonReporter(streams(), { ...options, strict: true });
    expect(strict.outcome(warned)).toBe(1);
    expect(strict.outcome(outcome({ findings: [finding('a/info', 'info')] }))).toBe(0);
    expect(strict.outcome({ ...warned, exit: 4 })).toBe(4);
    expect(createJsonReporter(streams(), options).outcome(warned)).toBe(0);
  });

  it('says so in the document too', () => {
    const io = streams();
    createJsonReporter(io, { ...options, strict: true }).outcome(warned);
    expect(JSON.parse(io.text.out)).toMatchObject({ ok: false, exitCode: 1 });
  });
});

describe('the human reporter', () => {
  it('prints the result on stdout and notes on stderr', () => {
    const io = streams();
    const reporter = createHumanReporter(io, options);
    reporter.note(() => 'the plan');
    reporter.outcome(outcome());
    expect(io.text).toEqual({ out: 'all well\n', err: 'the plan\n\n' });
  });

  it('is silent with --quiet but for problems', () => {
    const io = streams();
    const reporter = createHumanReporter(io, { ...options, quiet: true });
    reporter.note(() => 'the plan');
    reporter.outcome(outcome({ findings: [finding('a/info', 'info'), finding('a/warn', 'warning')] }));
    expect(io.text).toEqual({ out: '▲ a/warn  .mcp.json: is as it is.\n', err: '' });
  });

  it('shows with --quiet what a person is asked about', () => {
    const io = streams();
    createHumanReporter(io, { ...options, quiet: true }).note(() => 'the plan', 'needed');
    expect(io.text).toEqual({ out: '', err: 'the plan\n\n' });
  });

  it('does not tell an error twice', () => {
    const io = streams();
    const refused = { ...finding('endpoint/refused', 'error'), subject: 'a', message: 'a refused' };
    const error = new TenonError('endpoint/refused', 'a refused', {
      exit: 4,
      findings: [refused, { ...refused, subject: 'b', message: 'b refused' }],
    });
    createHumanReporter(io, options).error(error, 'setup');
    expect(io.text.err.split('a refused')).toHaveLength(2);
    expect(io.text.err).toContain('b refused');
  });

  it('lays an error out as agreed', () => {
    const io = streams();
    const error = new TenonError(
      'config/malformed',
      '.codex/config.toml:3:24 is not valid TOML: "\\U" is no escape in a basic string.',
      { exit: 4, remedy: { text: "use single quotes, or double the backslashes: 'C:\\Users\\…'" } },
    );
    expect(createHumanReporter(io, options).error(error, 'setup')).toBe(4);
    expect(io.text.out).toBe('');
    expect(io.text.err).toMatchInlineSnapshot(`
      "✖ config/malformed  .codex/config.toml:3:24 is not valid TOML: "\\U" is no escape
        in a basic string.
        Nothing was written.
        Fix: Use single quotes, or double the backslashes: 'C:\\Users\\…'
        More: tenon explain config/malformed
      "
    `);
  });

  it('escapes what foreign text brings, in every view', () => {
    const io = streams(createTheme({ color: true, unicode: true }));
    const reporter = createHumanReporter(io, options);
    reporter.outcome(outcome({ human: (theme) => theme.ok('ok \u001b]0;title\u0007\u202e\u001b[2J') }));
    reporter.error(new TenonError('a/b', 'x\u001b[2Jy', { exit: 2 }), undefined);
    expect(io.text.out).toBe('\u001b[32mok \\e]0;title\\u{7}\\u{202e}\\e[2J\u001b[39m\n');
    expect(io.text.err).toContain('x\\e[2Jy');
  });

  it('prints a patch byte for byte into a pipe, and harmless on a terminal', () => {
    const patch = '-a\r\n+b\r\n';
    const change = { raw: patch, human: () => patch };
    const [pipe, terminal] = [streams(), streams(unicode, true)];
    createHumanReporter(pipe, options).outcome(outcome(change));
    createHumanReporter(terminal, options).outcome(outcome(change));
    expect(pipe.text.out).toBe(patch);
    expect(terminal.text.out).toBe('-a\\r\n+b\\r\n');
  });

  it('never begins a line of text with a command of the job', () => {
    const io = streams(PLAIN_THEME);
    const subject = `${'long-name '.repeat(7)} ::add-mask::x`;
    const reporter = createHumanReporter(io, options);
    reporter.outcome(
      outcome({ findings: [], human: () => `x\n  ::error title=a::b\n::stop-commands::c\n${subject}` }),
    );
    reporter.error(new TenonError('a/b', `file ${subject}`, { exit: 2 }), 'doctor');
    expect(`${io.text.out}${io.text.err}`).not.toMatch(/^[ \t]*::[a-z]/im);
    expect(io.text.out).toContain(': :error title=a::b');
  });

  it('prints the other formats instead of text', () => {
    const io = streams(PLAIN_THEME);
    const reporter = createHumanReporter(io, { ...options, render: (run) => renderFormat('github', run) });
    reporter.outcome(
      outcome({
        findings: [{ ...finding('a/bad', 'error'), subject: '.mcp.json:3:1', message: '50% off\nx' }],
      }),
    );
    expect(io.text.out).toBe('::error title=a/bad,file=.mcp.json,line=3,col=1::50%25 off\\nx\n');
  });
});

describe('toError', () => {
  it('keeps an expected fault and calls everything else a bug, without a stack trace', () => {
    const fault = new TenonError('a/b', 'x', { exit: 4 });
    expect(toError(fault, true)).toBe(fault);
    const bug = toError(new TypeError('x is undefined\n    at y'), false);
    expect(bug).toMatchObject({ code: 'internal/bug', exit: 2, state: 'nothing-written' });
    expect(bug.message).toBe('tenon failed where it should not: TypeError: x is undefined');
    expect(toError('text', true).state).toBe('unknown');
  });
});

describe('the outcome of one of many roots', () => {
  const roots = (reporter: ReturnType<typeof createJsonReporter>): Outcome => {
    const settled = [1, 2, 3].map((at) => {
      const one = outcome({
        data: { at, big: 2n ** 70n, odd: 'a\u202eb' },
        human: () => `root ${at}\u001b[2J`,
      });
      return reporter.settle?.(one) ?? one;
    });
    return outcome({
      data: { roots: settled.map(({ data }) => ({ data })) },
      human: () => settled.map(({ human }) => human(unicode)).join('\n\n'),
      blocks: (theme) => settled.map(({ human }, at) => human(theme) + (at < 2 ? '\n\n' : '')),
    });
  };

  it('is kept as what will be printed, and the document and the text stay what they were', () => {
    for (const make of [createJsonReporter, createHumanReporter]) {
      const [plain, kept] = [streams(), streams()];
      const { settle: _, ...without } = make(plain, options);
      expect(make(kept, options).outcome(roots(make(kept, options)))).toBe(0);
      const { blocks: _blocks, ...whole } = roots(without);
      without.outcome(whole);
      expect(kept.text).toEqual(plain.text);
      expect(kept.text.out).toMatch(make === createJsonReporter ? /^\{.*\}\n$/ : /^root 1[\s\S]*root 3/);
    }
  });

  it('holds nothing that the outcome was made from', () => {
    for (const make of [createJsonReporter, createHumanReporter]) {
      const data = { roots: [] };
      const settled = make(streams(), options).settle?.(outcome({ data }));
      expect(settled?.data).not.toBe(data);
      expect(settled?.human).not.toBe(outcome().human);
    }
  });

  it('is left whole where a report for other programs is made of it', () => {
    const render = () => 'report';
    expect(createHumanReporter(streams(), { ...options, render }).settle).toBeUndefined();
  });
});

it('writes a long document in parts', () => {
  const io = streams();
  const sizes: number[] = [];
  const write = (part: string) => {
    sizes.push(part.length);
    io.stdout.write(part);
  };
  const data = { items: Array.from({ length: 5000 }, (_, at) => ({ at, text: 'x'.repeat(100) })) };
  createJsonReporter({ ...io, stdout: { ...io.stdout, write } }, options).outcome(outcome({ data }));
  expect(JSON.parse(io.text.out).data).toEqual(data);
  expect(sizes.length).toBeGreaterThan(5);
  expect(Math.max(...sizes)).toBeLessThan(100_000);
});
