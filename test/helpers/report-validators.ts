import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { error, notice, warning } from '@actions/core';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'junit2json';
import { vi } from 'vitest';

const require = createRequire(import.meta.url);

/** Validates a document against the SARIF 2.1.0 schema of Microsoft's own matchers; returns what is wrong. */
export function sarifProblems(text: string): string[] {
  const file = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  // Draft 4, of which the schema uses only what draft 7 means the same by.
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Reads JUnit XML with a strict parser of others; throws when it is not well-formed. */
export async function junitCases(text: string) {
  const report = await parse(text);
  if (report === null || report === undefined || !('testsuite' in report)) throw new Error('no test suites');
  const suites = report.testsuite ?? [];
  return suites.flatMap((suite) => ('testcase' in suite ? (suite.testcase ?? []) : []));
}

interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The workflow command that GitHub's own library writes for this annotation. */
export function githubCommand(annotation: Annotation): string {
  let written = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk);
    return true;
  });
  try {
    const { kind, message, title, file, line, column } = annotation;
    const issue = { error, warning, notice }[kind];
    issue(message, {
      title,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { startLine: line }),
      ...(column === undefined ? {} : { startColumn: column }),
    });
  } finally {
    spy.mockRestore();
  }
  return written;
}
