import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/errors/error.ts';
import { renderFormat } from '../../../src/reporting/formats.ts';
import type { Outcome } from '../../../src/reporting/types.ts';

const findings: Finding[] = [
  {
    code: 'ownership/drifted',
    severity: 'error',
    subject: '.mcp.json#/mcpServers/vera',
    message: 'was <edited> & "kept".',
    remedy: { text: 'Restore it', command: 'tenon sync --force X' },
    data: { line: 7 },
  },
  { code: 'host/binary-missing', severity: 'warning', subject: 'codex', message: 'is not here.' },
];
const outcome: Outcome = {
  command: 'doctor',
  exit: 1,
  data: {
    checks: [
      { id: 'files', title: 'Files', status: 'pass', message: 'all read' },
      { id: 'drift', title: 'Drift', status: 'fail', message: '1 <edited>' },
      { id: 'endpoint', title: 'Endpoint', status: 'skip', message: 'not asked' },
      { id: 'clients', title: 'Clients', status: 'warn', message: 'one missing' },
    ],
  },
  findings,
  human: () => '',
};
const render = (format: 'sarif' | 'junit' | 'github' | 'html') =>
  renderFormat(format, outcome, '1.0.0') ?? '';

describe('renderFormat', () => {
  it('makes SARIF 2.1.0 with file and line', () => {
    const { version, runs } = JSON.parse(render('sarif'));
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver.rules).toEqual([{ id: 'host/binary-missing' }, { id: 'ownership/drifted' }]);
    expect(runs[0].results[0]).toEqual({
      ruleId: 'ownership/drifted',
      level: 'error',
      message: { text: 'was <edited> & "kept". Fix: Restore it (tenon sync --force X)' },
      locations: [{ physicalLocation: { artifactLocation: { uri: '.mcp.json' }, region: { startLine: 7 } } }],
    });
    expect(runs[0].results[1].locations).toEqual([{ logicalLocations: [{ fullyQualifiedName: 'codex' }] }]);
  });

  it('makes JUnit with the checks; a skipped one is no pass', () => {
    const text = render('junit');
    expect(text).toContain('<testsuite name="tenon doctor" tests="4" failures="1" skipped="1">');
    expect(text).toContain('<failure message="1 &lt;edited&gt;"/>');
    expect(text).toContain('<skipped message="not asked"/>');
  });

  it('makes annotations where there is a file', () => {
    expect(render('github')).toBe(
      '::error file=.mcp.json,line=7,title=ownership/drifted::was <edited> & "kept". Fix: Restore it (tenon sync --force X)\n' +
        '::warning title=host/binary-missing::is not here.\n',
    );
  });

  it('makes a page that loads nothing and escapes everything', () => {
    const page = render('html');
    expect(page).toContain('was &lt;edited&gt; &amp; &quot;kept&quot;.');
    expect(page).not.toMatch(/<script|src=|href=|url\(/);
  });

  it('leaves text and JSON to others', () => {
    expect(renderFormat('text', outcome, '1')).toBeUndefined();
    expect(renderFormat('json', outcome, '1')).toBeUndefined();
  });
});
