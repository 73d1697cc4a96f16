import type { Finding } from '../errors/error.ts';
import { type Oddity, odditiesOf } from '../runtimes/strictness.ts';
import { placeText } from './config.ts';
import { whereOf } from './documents.ts';
import { found, idle, type Probe } from './probe.ts';
import {
  effects,
  inUse,
  lossOf,
  type ReaderOfFile,
  type SharedFile,
  sharedFiles,
  titles,
} from './readers.ts';

/** Whether each client's own parser takes what ours does: comments, trailing commas, a byte-order mark (issue 5, item 2). */
export const clientReadsProbe: Probe = {
  id: 'config/strict',
  title: 'Coding tools can read their files',
  needs: ['config/readable'],
  run(facts) {
    const files = sharedFiles(facts).filter(
      ({ document }) => document.state === 'parsed' && document.format === 'json',
    );
    if (files.length === 0) return idle('no JSON file of a coding tool could be read');
    return found(
      files.flatMap((file) => strictFindings(file)),
      'nothing in them that their tools do not take',
    );
  },
};

const WORDS = { bom: 'byte-order mark', comment: 'comment', 'trailing-comma': 'trailing comma' } as const;

/** One finding for each kind of oddity, naming every runtime that stumbles over it. */
export function strictFindings(file: SharedFile): readonly Finding[] {
  let found = strict.get(file);
  if (found === undefined) {
    found = oddOnes(file);
    strict.set(file, found);
  }
  return found;
}

/** Asked for by two probes. */
const strict = new WeakMap<SharedFile, readonly Finding[]>();

function oddOnes({ document, readers }: SharedFile): Finding[] {
  const byKind = new Map<string, { oddity: Oddity; readers: ReaderOfFile[] }>();
  for (const reader of readers) {
    for (const oddity of odditiesOf(document.text, document.bom, reader.file.data)) {
      const key = `${oddity.kind} ${oddity.at.offset}`;
      const known = byKind.get(key);
      if (known === undefined) byKind.set(key, { oddity, readers: [reader] });
      else known.readers.push(reader);
    }
  }
  return [...byKind.values()].map(({ oddity, readers: named }): Finding => {
    const ids = (all: readonly ReaderOfFile[]) => [...new Set(all.map(({ runtime }) => runtime.spec.id))];
    const used = inUse(named);
    const losing = named.filter((reader) => lossOf(reader) !== undefined);
    const word = WORDS[oddity.kind];
    const other = used.length > 0 ? '' : '; whether it is used here is not known';
    return {
      code: 'config/not-read',
      severity: used.some((reader) => lossOf(reader) !== undefined) ? 'error' : 'warning',
      subject: document.path,
      message: `${titles(named)} ${ids(named).length === 1 ? 'takes' : 'take'} no ${word} (${placeText(document, oddity.at)})${effects(named)}${other}`,
      remedy: { text: `Take the ${word} in line ${oddity.at.line} out` },
      data: {
        ...whereOf(document, oddity.at),
        runtimes: ids(named),
        dropsFile: losing.length > 0,
        lostBy: ids(losing),
      },
    };
  });
}
