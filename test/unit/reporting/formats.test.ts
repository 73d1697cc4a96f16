import { describe, expect, it } from 'vitest';
import { type Finding, TenonError } from '../../../src/errors/error.ts';
import { type FormatRun, locationOf, runOfError } from '../../../src/reporting/format-parts.ts';
import { type ReportFormat, renderFormat } from '../../../src/reporting/formats.ts';
import { githubCommand, junitCases, sarifProblems } from '../../helpers/report-validators.ts';

const drifted: Finding = {
  code: 'ownership/drifted',
  severity: 'error',
  subject: '.mcp.json#/mcpServers/vera',
  message: 'was <edited> & "kept".',
  remedy: { text: 'Restore it', command: 'tenon sync --force X' },
  data: { file: '.mcp.json', line: 7, column: 3 },
};
const absent: Finding = {
  code: 'host/binary-missing',
  severity: 'warning',
  subject: 'codex',
  message: 'is not here.',
};
const accepted: Finding = {
  code: 'host/disabled',
  severity: 'info',
  subject: 'zed',
  message: 'is off (suppressed until 2031-01-01: agreed).',
  data: { suppressed: { reason: 'agreed', expires: '2031-01-01' } },
};
const HOSTILE_FILE = 'a%b/c,d:e::error title=x::\n::set-env name=P::1\r#?é\u202e.json';
const hostile: Finding = {
  code: 'config/malformed',
  severity: 'error',
  subject: HOSTILE_FILE,
  message: `${HOSTILE_FILE} is not valid ]]> <script>alert(1)</script> \u0000\ufffe\ud800`,
  data: { file: HOSTILE_FILE, line: 2 },
};
const checks = [
  { id: 'files', title: 'Files', status: 'pass', message: 'all read' },
  { id: 'drift', title: 'Drift', status: 'fail', message: '1 <edited>' },
  { id: 'endpoint', title: 'Endpoint', status: 'skip', message: 'not asked' },
  { id: 'clients', title: 'Clients', status: 'warn', message: 'one missing' },
];

const run = (change: Partial<FormatRun> = {}): FormatRun => ({
  command: 'doctor',
  exit: 1,
  data: { checks },
  findings: [absent, drifted, accepted],
  version: '1.0.0',
  strict: false,
  ...change,
});
const render = (format: ReportFormat, change: Partial<FormatRun> = {}) =>
  renderFormat(format, run(change)) ?? '';
const many = (count: number): Finding[] =>
  Array.from({ length: count }, (_, index) => ({
    ...absent,
    subject: `dir/file-${index}.json`,
    severity: index === count - 1 ? 'error' : 'warning',
  }));

describe('locationOf', () => {
  const at = (subject: string, data?: Finding['data']) =>
    locationOf({ ...absent, subject, ...(data === undefined ? {} : { data }) });

  it.each<[string, ReturnType<typeof locationOf>]>([
    ['.mcp.json#/mcpServers/vera', { file: '.mcp.json' }],
    ['.codex/config.toml:3:24', { file: '.codex/config.toml', line: 3, column: 24 }],
    ['.codex/config.toml:3', { file: '.codex/config.toml', line: 3 }],
    ['codex', undefined],
    ['', undefined],
    ['~/.codex/config.toml', undefined],
    ['/etc/x.json', undefined],
    ['C:\\Users\\x.json', undefined],
    ['https://a.example/mcp.json', undefined],
    ['../x.json', undefined],
  ])('reads %s', (subject, location) => {
    expect(at(subject)).toEqual(location);
  });

  it('prefers the named file and its line, and believes no line of nonsense', () => {
    expect(at('codex', { file: 'Makefile', line: 2 })).toEqual({ file: 'Makefile', line: 2 });
    expect(at('codex', { file: 'a:7', line: -1 })).toEqual({ file: 'a:7' });
    expect(at('codex', { file: '~/.x.json', line: 2 })).toBeUndefined();
  });
});

describe('a root below the top level', () => {
  // Reviewers and code scanning look for a file from the top level of the repository.
  const one = { ...drifted, data: { file: '.mcp.json', line: 7 } };
  const uriOf = (finding: Finding, folder?: string) =>
    JSON.parse(render('sarif', { findings: [finding], ...(folder === undefined ? {} : { folder }) })).runs[0]
      .results[0].locations[0].physicalLocation.artifactLocation.uri;

  it('is part of every path, whether it is the root of the run or one of many', () => {
    const many = { ...one, subject: 'b/.mcp.json#/mcpServers/vera', data: { ...one.data, root: 'b' } };
    expect(locationOf(one, 'b')).toEqual({ file: 'b/.mcp.json', line: 7 });
    expect(locationOf(many)).toEqual({ file: 'b/.mcp.json', line: 7 });
    expect(render('github', { findings: [one], folder: 'b' })).toContain('file=b/.mcp.json,line=7');
    expect(render('github', { findings: [many] })).toContain('file=b/.mcp.json,line=7');
    expect([uriOf(one, 'b'), uriOf(many)]).toEqual(['b/.mcp.json', 'b/.mcp.json']);
    expect(render('html', { findings: [one], folder: 'b' })).toContain('b/.mcp.json:7');
  });

  it('is part of a path that only the subject tells', () => {
    expect(locationOf({ ...absent, subject: '.codex/config.toml:3' }, 'b')).toEqual({
      file: 'b/.codex/config.toml',
      line: 3,
    });
    const many = { ...absent, subject: 'b/c/.codex/config.toml:3', data: { root: 'b/c' } };
    expect(locationOf(many)).toEqual({ file: 'b/c/.codex/config.toml', line: 3 });
  });

  it('makes no file of a coding tool, of the root itself, or of what lies outside', () => {
    for (const subject of ['b/c/codex', 'b/c', '~/.codex/config.toml', 'https://a.example/mcp.json']) {
      const finding = { ...absent, subject, data: { root: 'b/c' } };
      expect(locationOf(finding), subject).toBeUndefined();
      expect(uriOf(finding)).toBe('b/c/.tenon/manifest.json');
    }
    expect(uriOf(absent, 'b')).toBe('b/.tenon/manifest.json');
    expect(locationOf({ ...absent, subject: '.' })).toBeUndefined();
  });

  it('tells the same finding of two roots apart', () => {
    const print = (folder: string) =>
      JSON.parse(render('sarif', { findings: [one], folder })).runs[0].results[0].partialFingerprints;
    expect(print('a')).not.toEqual(print('b'));
  });
});

describe('SARIF', () => {
  it('holds file, line and column, the worst result first, and texts of the catalogue', () => {
    const text = render('sarif');
    expect(sarifProblems(text)).toEqual([]);
    const [sarif] = JSON.parse(text).runs;
    expect(sarif.results[0]).toMatchObject({
      ruleId: 'ownership/drifted',
      ruleIndex: 2,
      level: 'error',
      message: { text: 'was <edited> & "kept". Fix: Restore it (tenon sync --force X)' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: '.mcp.json' },
            region: { startLine: 7, startColumn: 3 },
          },
        },
      ],
    });
    expect(sarif.tool.driver.rules[2].shortDescription.text).toMatch(/\w/);
    expect(sarif.invocations[0]).toEqual({ executionSuccessful: true, exitCode: 1 });
  });

  it('gives a result without a file a place, since code scanning refuses the whole report otherwise', () => {
    const result = JSON.parse(render('sarif')).runs[0].results[1];
    expect(result.locations[0]).toMatchObject({
      physicalLocation: { artifactLocation: { uri: '.tenon/manifest.json' } },
      logicalLocations: [{ fullyQualifiedName: 'codex' }],
    });
  });

  it('shows what the manifest suppresses as suppressed, with the reason', () => {
    const result = JSON.parse(render('sarif')).runs[0].results[2];
    expect(result.suppressions).toEqual([
      { kind: 'external', status: 'accepted', justification: 'agreed (until 2031-01-01)' },
    ]);
  });

  it('writes a hostile file name as one URI that decodes to it', () => {
    const text = render('sarif', { findings: [hostile] });
    expect(sarifProblems(text)).toEqual([]);
    const { uri } = JSON.parse(text).runs[0].results[0].locations[0].physicalLocation.artifactLocation;
    expect(uri).not.toMatch(/[\s:#?]/);
    expect(decodeURIComponent(uri)).toBe(HOSTILE_FILE);
  });

  it('is bounded, keeps the worst and counts the rest', () => {
    const text = render('sarif', { findings: many(6001) });
    expect(sarifProblems(text)).toEqual([]);
    const [sarif] = JSON.parse(text).runs;
    expect(sarif.results).toHaveLength(5000);
    expect(sarif.results[0].level).toBe('error');
    expect(sarif.properties.findingsNotShown).toBe(1001);
    expect(sarif.invocations[0].toolExecutionNotifications[0].message.text).toContain('1001 more');
  });

  it('says that a run failed', () => {
    const error = new TenonError('config/malformed', '.mcp.json:1:2 is not valid', { exit: 2 });
    const text = renderFormat('sarif', runOfError(error, undefined, '1.0.0', false)) ?? '';
    expect(sarifProblems(text)).toEqual([]);
    expect(JSON.parse(text).runs[0].invocations[0]).toMatchObject({
      executionSuccessful: false,
      exitCode: 2,
    });
  });

  it('is valid without any finding', () => {
    expect(sarifProblems(render('sarif', { findings: [] }))).toEqual([]);
  });
});

describe('JUnit', () => {
  it('has a case per check; a skipped one is no pass, a suppressed finding is skipped with its reason', async () => {
    const text = render('junit');
    expect(text).toContain('tests="5" failures="1" errors="0" skipped="2"');
    const cases = await junitCases(text);
    expect(cases.map((one) => one.name)).toEqual([
      'files',
      'drift',
      'endpoint',
      'clients',
      'host/disabled zed',
    ]);
    expect(cases[1]?.failure?.[0]).toMatchObject({ message: '1 <edited>' });
    expect(cases[2]?.skipped?.[0]).toMatchObject({ message: 'not asked' });
    expect(cases[4]?.skipped?.[0]).toMatchObject({ message: 'suppressed until 2031-01-01: agreed' });
  });

  it('has a case for what the run did not look at, which no check of it can tell', async () => {
    const below: Finding = {
      code: 'repo/root-below',
      severity: 'warning',
      subject: 'b',
      message: 'not seen',
    };
    for (const strict of [false, true]) {
      const cases = await junitCases(render('junit', { findings: [below, drifted], strict }));
      expect(cases.map((one) => one.name)).toEqual([
        'files',
        'drift',
        'endpoint',
        'clients',
        'repo/root-below b',
      ]);
      expect(cases[4]?.failure !== undefined).toBe(strict);
    }
  });

  it('names files from the top level', async () => {
    const other = { ...absent, subject: 'codex' };
    const cases = await junitCases(render('junit', { data: {}, findings: [drifted, other], folder: 'b' }));
    expect(cases.map((one) => one.name)).toEqual([
      `${drifted.code} b/${drifted.subject}`,
      `${other.code} codex`,
    ]);
    const ofMany = { ...drifted, subject: `b/${drifted.subject}`, data: { root: 'b' } };
    const [one] = await junitCases(render('junit', { data: {}, findings: [ofMany] }));
    expect(one?.name).toBe(`${drifted.code} b/${drifted.subject}`);
  });

  it('counts warnings as failures under --strict', async () => {
    const cases = await junitCases(render('junit', { strict: true }));
    expect(cases.filter((one) => one.failure !== undefined)).toHaveLength(2);
  });

  it('has a case per finding where there are no checks, and one where there is nothing', async () => {
    const cases = await junitCases(render('junit', { data: {}, findings: [hostile, absent] }));
    expect(cases.map((one) => one.failure !== undefined)).toEqual([true, false]);
    expect(cases[0]?.failure?.[0]?.message).toContain('<script>alert(1)</script> \\u{0}\\u{fffe}\\u{d800}');
    const none = await junitCases(render('junit', { data: {}, findings: [], exit: 0 }));
    expect(none).toMatchObject([{ name: 'no findings' }]);
  });

  it('is bounded and counts the rest', async () => {
    const cases = await junitCases(render('junit', { data: {}, findings: many(6000) }));
    expect(cases).toHaveLength(5001);
    expect(cases.at(-1)?.name).toBe('more findings');
  });

  it('makes a run without a result an error', async () => {
    const error = new TenonError('git/not-a-repository', 'no <repository>', { exit: 2 });
    const cases = await junitCases(renderFormat('junit', runOfError(error, 'doctor', '1', false)) ?? '');
    expect(cases[0]?.error?.[0]).toMatchObject({ message: 'no <repository>' });
  });
});

describe('annotations of GitHub', () => {
  it("are byte for byte what GitHub's own library writes", () => {
    const expected = [
      githubCommand({
        kind: 'error',
        title: 'ownership/drifted',
        file: '.mcp.json',
        line: 7,
        column: 3,
        message: 'was <edited> & "kept". Fix: Restore it (tenon sync --force X)',
      }),
      githubCommand({ kind: 'warning', title: 'host/binary-missing', message: 'codex: is not here.' }),
      githubCommand({
        kind: 'notice',
        title: 'host/disabled (suppressed)',
        message: 'zed: is off (suppressed until 2031-01-01: agreed).',
      }),
    ];
    expect(render('github')).toBe(expected.join(''));
  });

  it('cannot be made to issue another command', () => {
    const text = render('github', { findings: [hostile] });
    expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(1);
    const [, properties = ''] = /^::error ((?:(?!::).)*)::/.exec(text) ?? [];
    const file = properties
      .split(',')
      .find((part) => part.startsWith('file='))
      ?.slice('file='.length);
    // A direction mark is shown, everything else decodes to the name of the file.
    expect(decodeURIComponent(file ?? '')).toBe(HOSTILE_FILE.replace('\u202e', '\\u{202e}'));
  });

  it('are bounded and count the rest', () => {
    const lines = render('github', { findings: many(3000) })
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(101);
    expect(lines[0]).toMatch(/^::error /);
    expect(lines.at(-1)).toContain('2900 more findings');
  });
});

describe('HTML', () => {
  it('loads nothing, runs nothing, and escapes everything', () => {
    const page = render('html', { findings: [drifted, hostile] });
    expect(page).toContain('was &lt;edited&gt; &amp; &quot;kept&quot;.');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|src=|href=|url\(|@import|https?:/);
  });

  it('shows parts by coding tool from the data of doctor, in words beside the marks', () => {
    const integrations = {
      vera: {
        codex: {
          parts: { server: 'ok', hook: 'missing' },
          inTool: 'awaiting-approval',
          connected: 'unknown',
        },
      },
    };
    const page = render('html', { data: { checks, integrations, state: 'attention' } });
    expect(page).toContain('<h2>vera</h2>');
    expect(page).toContain('✔ passed');
    expect(page).toContain('✖ missing');
    expect(page).toContain('▲ pending');
  });

  it('is bounded and counts the rest', () => {
    const page = render('html', { findings: many(1500) });
    expect(page.match(/class="finding /g)).toHaveLength(1000);
    expect(page).toContain('500 more findings');
  });
});

describe('renderFormat', () => {
  it('leaves text and JSON to others', () => {
    expect(renderFormat('text', run())).toBeUndefined();
    expect(renderFormat('json', run())).toBeUndefined();
  });
});
