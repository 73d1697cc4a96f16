import type { Finding } from '../errors/error.ts';
import { found, idle, type Probe } from './probe.ts';

/** Variables that move a coding tool's folder: relative, empty or missing values (case I05). */
export const environmentProbe: Probe = {
  id: 'host/environment',
  title: 'Variables that move folders',
  run(facts) {
    if (facts.examined.length === 0) return idle('no coding tool is used here');
    const findings = new Map<string, Finding>();
    for (const { files } of facts.examined) {
      for (const { path } of files) {
        if (path.problem !== undefined) findings.set(path.problem.message, path.problem);
      }
    }
    // Nothing is written by doctor, so a value that cannot be used is for the tool's user to know, not a failure here.
    const shown = [...findings.values()].map((finding): Finding => ({ ...finding, severity: 'warning' }));
    return found(shown, 'none is set to something that cannot be used');
  },
};
