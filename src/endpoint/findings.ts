import type { Finding, Severity } from '../errors/error.ts';
import type { EndpointReport } from './validate.ts';

const SEVERITY: Readonly<Record<EndpointReport['status'], Severity | undefined>> = {
  fail: 'error',
  warn: 'warning',
  skip: 'info',
  pass: undefined,
};

/** The findings of checked endpoints, in their order: one for each that did not pass, and one for each note beside a verdict. */
export function endpointFindings(reports: readonly EndpointReport[]): Finding[] {
  return reports.flatMap((report): Finding[] => {
    const severity = SEVERITY[report.status];
    const { code, url: subject, message, httpStatus, notes } = report;
    const verdict: Finding[] =
      severity === undefined || code === undefined
        ? []
        : [
            {
              code,
              severity,
              subject,
              message,
              ...(httpStatus === undefined ? {} : { data: { httpStatus } }),
            },
          ];
    return [...verdict, ...notes.map((note): Finding => ({ ...note, severity: 'warning', subject }))];
  });
}
