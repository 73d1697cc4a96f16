import type { Finding } from '../errors/error.ts';
import { strictFindings } from './client-reads.ts';
import { lostFiles } from './foreign-content.ts';
import { oursOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

/** Parts of ours in a file that its client drops: the text is there, and still nothing happens (case D07). */
export const loadedProbe: Probe = {
  id: 'config/loaded',
  title: 'Files with our parts are read',
  run(facts) {
    const ours = oursOf(facts).filter(({ isThere }) => isThere);
    if (ours.length === 0) return idle('nothing of ours stands in a file');
    const lost = lostFiles(facts, strictFindings);
    const findings = ours.flatMap(({ address, target, runtimes }): Finding[] => {
      const losing = runtimes.filter((id) => lost.has(`${id} ${target.path}`));
      if (losing.length === 0) return [];
      return [
        {
          code: 'config/not-loaded',
          severity: 'error',
          subject: address,
          message: `configured but possibly not loaded by ${losing.join(', ')}: ${target.path} may be dropped as a whole`,
          remedy: { text: `Correct ${target.path} as its own finding says` },
          data: { file: target.path, runtimes: losing },
        },
      ];
    });
    return found(findings, `${ours.length} in files that their tools read`);
  },
};
