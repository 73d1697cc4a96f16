import type { Finding } from '../errors/error.ts';
import { formatOf } from '../formats/index.ts';
import { resolvePath } from '../runtimes/paths.ts';
import { isThere } from '../system/paths.ts';
import { placeText } from './config.ts';
import { whereOf } from './documents.ts';
import type { Facts } from './facts.ts';
import { oursOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

const MARKER = /^<!--[ \t]*tenon:(?:begin|end)[ \t]+(\S+)[ \t]*-->/gmu;

/** Marker lines of tenon in instruction files: each begin has its end (case E04), and none stands in a conflict. */
export const blocksProbe: Probe = {
  id: 'blocks/markers',
  title: 'Text blocks are whole',
  run(facts) {
    const files = textFiles(facts);
    if (files.size === 0) return idle('there is no instruction file');
    const findings = [...files].flatMap(([display, abs]) => damaged(display, abs, facts));
    return found(findings, `${files.size} ${files.size === 1 ? 'file' : 'files'} looked through`);
  },
};

/** Instruction files that exist: of the project for every known runtime, the user's for the examined ones; and ours. */
function textFiles(facts: Facts): Map<string, string> {
  const files = new Map<string, string>();
  const used = new Set(facts.examined.map(({ spec }) => spec));
  const paths = new Set<string>();
  for (const spec of facts.specs.values()) {
    for (const { path, scope } of spec.instructions?.files ?? [])
      if (scope === 'project' || used.has(spec)) paths.add(path);
  }
  for (const path of paths) {
    const { display, abs } = resolvePath(path, facts.base);
    if (isThere(facts.base.reader, abs)) files.set(display, abs);
  }
  for (const { target } of oursOf(facts)) {
    if (target.place.kind !== 'block') continue;
    const { display, abs } = resolvePath(target.path, facts.base);
    if (isThere(facts.base.reader, abs)) files.set(display, abs);
  }
  return files;
}

function damaged(display: string, abs: string, facts: Facts): Finding[] {
  const document = facts.documents.get({ display, abs }, 'markdown');
  if (document.state === 'blocked' && document.problem !== undefined) {
    return [{ ...document.problem, severity: 'warning', data: { file: display } }];
  }
  const ids = new Set([...document.text.matchAll(MARKER)].map(([, id]) => id ?? ''));
  const format = formatOf('markdown');
  const faults = [...ids].flatMap((id) => {
    const reading = format.read(document.text, { kind: 'block', id });
    return reading.ok ? [] : [reading.fault];
  });
  const all = ids.size > 0 && document.fault !== undefined ? [document.fault, ...faults] : faults;
  return all.map((fault): Finding => {
    const line = fault.at === undefined ? '' : `, line ${fault.at.line}`;
    return {
      code: fault.code,
      severity: 'error',
      subject: display,
      message: `block damaged${line}: ${placeText({ path: display }, fault.at)} ${fault.message}`,
      remedy: { text: fault.hint ?? 'Restore both marker lines, or delete both' },
      data: whereOf(document, fault.at),
    };
  });
}
