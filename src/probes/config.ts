import type { Finding } from '../errors/error.ts';
import type { Fault, Position } from '../formats/format.ts';
import { formatOf } from '../formats/index.ts';
import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';
import { serverPath } from '../runtimes/servers.ts';
import { type Document, whereOf } from './documents.ts';
import type { Facts } from './facts.ts';
import { found, idle, type Probe } from './probe.ts';
import { effects, inUse, lossOf, type ReaderOfFile, type SharedFile, sharedFiles } from './readers.ts';

/** Whether every configuration file can be read as JSON or TOML, and holds servers where they belong (cases A10–A12, B09). */
export const configProbe: Probe = {
  id: 'config/readable',
  title: 'Configuration files can be read',
  run(facts) {
    const files = sharedFiles(facts);
    if (files.length === 0) return idle('there is no configuration file of a coding tool');
    const findings = files.flatMap((file) => readFindings(file, facts));
    return found(findings, `${files.length} ${files.length === 1 ? 'file' : 'files'} read`);
  },
};

/** Everything that keeps a file from being read. */
export function readFindings(file: SharedFile, facts: Facts): Finding[] {
  const { document, readers } = file;
  if (document.problem !== undefined) return [blocked(document.problem, file, facts)];
  if (document.fault !== undefined) return [faulty(document.fault, document, readers, facts)];
  return containerFaults(file, facts);
}

function blocked(problem: Finding, { document, readers }: SharedFile, facts: Facts): Finding {
  return {
    ...problem,
    severity: isSerious(document, readers, facts) ? 'error' : 'warning',
    message: `${problem.message}, so it was not checked`,
    data: { ...problem.data, ...whereOf(document, undefined) },
  };
}

function faulty(fault: Fault, document: Document, readers: readonly ReaderOfFile[], facts: Facts): Finding {
  const kind = document.format === 'toml' ? 'TOML' : 'JSON';
  const at = placeText(document, fault.at);
  const why = printable(redactText(fault.message));
  const message =
    fault.code === 'config/merge-conflict'
      ? `${at} holds ${mergeText(fault)}`
      : fault.code === 'config/malformed'
        ? `${at} is not valid ${kind}: ${why}`
        : `${at}: ${why}`;
  return {
    code: fault.code,
    severity: isSerious(document, readers, facts) ? 'error' : 'warning',
    subject: document.path,
    message: message + effects(readers),
    remedy: { text: fault.hint ?? 'Correct the file at that place' },
    data: whereOf(document, fault.at),
  };
}

const mergeText = ({ at }: Fault): string =>
  at === undefined ? 'merge conflict markers' : `merge conflict markers at line ${at.line}`;

export const placeText = ({ path }: Pick<Document, 'path'>, at: Position | undefined): string =>
  at === undefined ? path : `${path}:${at.line}:${at.column}`;

/** The container of servers is there in another type, or twice: faults that no parser reports. */
function containerFaults({ document, readers }: SharedFile, facts: Facts): Finding[] {
  const { root, platform } = facts.base;
  const seen = new Set<string>();
  return readers.flatMap((reader): Finding[] => {
    const { spec } = reader.runtime;
    const { scope } = reader.file.data;
    if (scope === 'managed') return [];
    const place = serverPath(spec, scope, 'tenon', root, platform, document.value);
    if (place === undefined || place.file !== reader.file.id) return [];
    const key = JSON.stringify(place.path);
    if (seen.has(key)) return [];
    seen.add(key);
    const reading = formatOf(document.format).read(document.text, { kind: 'key', path: place.path });
    if (reading.ok) return [];
    const same = readers.filter(({ file }) => file.data.scope === scope);
    return [faulty(reading.fault, document, same, facts)];
  });
}

/**
 * An error when a runtime in use loses the whole file, when the repository's own file makes no sense to anybody, or when
 * something of ours stands in it; else a warning (contract, section 3).
 */
function isSerious(document: Document, readers: readonly ReaderOfFile[], facts: Facts): boolean {
  const isOurs = [...facts.ledgers.root.records, ...facts.ledgers.user.records].some(
    ({ path }) => path === document.path,
  );
  return (
    isOurs ||
    inUse(readers).some((reader) => {
      const { scope, onInvalid } = reader.file.data;
      return lossOf(reader) !== undefined || (scope === 'project' && onInvalid !== 'drops-entry');
    })
  );
}
