import type { Finding } from '../errors/error.ts';
import { formatOf } from '../formats/index.ts';
import { fromPointer, getIn, type Json } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { redactValue } from '../lib/secrets.ts';
import { isThere } from '../system/paths.ts';
import type { Grant } from '../trust/store.ts';
import { readFindings } from './config.ts';
import { whereOf } from './documents.ts';
import { type Facts, isInspection } from './facts.ts';
import { documentOf, type Ours, oursOf, placeOf } from './ours.ts';
import { found, idle, type Probe, skipped } from './probe.ts';
import { sharedFiles } from './readers.ts';

/** Codes that say why a file cannot be read; the probe of the files tells them once. */
const OF_FILES = /^(?:config|file)\//u;
/** Codes that other probes tell. */
const ELSEWHERE = /^(?:recover|host|render|hook|block)\/|^trust\//u;

/** Whether the manifest and the definitions can be used at all. */
export const manifestProbe: Probe = {
  id: 'ownership/manifest',
  title: 'The manifest',
  run({ manifestProblem, enrolments }) {
    if (manifestProblem !== undefined) return found([manifestProblem], '');
    if (enrolments.length === 0) return idle('nothing is set up here');
    return found([], `${enrolments.length} set up`);
  },
};

/** Whether what is set up stands in its files as it was written (contract, section 4). */
export const ownershipProbe: Probe = {
  id: 'ownership/entries',
  title: 'Entries are as tenon wrote them',
  run(facts) {
    const { inspection } = facts;
    if (!isInspection(inspection)) return found([inspection], '');
    const ours = oursOf(facts);
    if (ours.length === 0 && facts.enrolments.length === 0) return idle('nothing is set up here');
    const told = new Set(
      sharedFiles(facts).flatMap((file) =>
        readFindings(file, facts).map(({ code }) => `${code} ${file.document.path}`),
      ),
    );
    const own = inspection.findings.filter(({ code, subject }) => {
      if (ELSEWHERE.test(code)) return false;
      return !(OF_FILES.test(code) && told.has(`${code} ${subject.split('#')[0] ?? ''}`));
    });
    const findings = [
      ...own.map((finding) => explained(finding, ours, facts)),
      ...ours.flatMap((one) => absent(one, facts)),
    ];
    const good = ours.filter(({ judgement }) => judgement.standing === 'managed').length;
    const others = ours.filter(({ judgement }) => judgement.standing === 'external').length;
    const also = others === 0 ? '' : `, ${others} of yours equal to ours`;
    return found(findings, `${good} as written${also}`);
  },
};

/** What the repository wants and this host has not granted (contract, section 6). */
export const trustProbe: Probe = {
  id: 'ownership/trust',
  title: 'Content of the repository is trusted',
  run(facts) {
    const { inspection } = facts;
    if (!isInspection(inspection)) return skipped('what is set up could not be computed');
    const ungranted = oursOf(facts).filter(
      ({ judgement: { slot }, isThere }) => isThere && slot.wish?.main.trust === 'untrusted',
    );
    const findings = [
      ...inspection.findings.filter(({ code }) => code.startsWith('trust/')),
      ...changedSince(ungranted, inspection.grants),
    ];
    if (findings.length > 0) return found(findings, '');
    const own = inspection.selections.filter(({ loaded }) => loaded.source !== 'bundled');
    if (own.length === 0) return idle('nothing that is set up comes from the repository');
    // On a clone what the manifest implies stands there without a grant; nothing of it waits to be written.
    return found(
      [],
      ungranted.length === 0
        ? 'everything was granted on this host'
        : `nothing waits for a grant; ${ungranted.length} ${ungranted.length === 1 ? 'entry stands' : 'entries stand'} here without one`,
    );
  },
};

/** What stands here was granted on this host, and is another thing today: one finding for each integration. */
function changedSince(ungranted: readonly Ours[], grants: readonly Grant[]): Finding[] {
  const byOwner = new Map<string, string[]>();
  for (const { address, judgement } of ungranted) {
    const owner = judgement.slot.wish?.owners[0];
    const wasGranted = grants.some(
      (grant) =>
        grant.integration === owner?.integration &&
        (grant.class === 'choices' || (grant.artifact === owner.artifact && grant.address === address)),
    );
    if (owner === undefined || !wasGranted) continue;
    byOwner.set(owner.integration, [...(byOwner.get(owner.integration) ?? []), address]);
  }
  return [...byOwner].map(([owner, addresses]): Finding => {
    const what = addresses.length === 1 ? 'an entry of it stands' : `${addresses.length} entries of it stand`;
    return {
      code: 'trust/changed',
      severity: 'warning',
      subject: owner.replace(/^add:/, ''),
      message: `${what} here that a person granted, and the definition, a choice or a file that is run changed since`,
      remedy: { text: 'Review it and grant it', command: 'tenon trust' },
      data: { addresses: addresses.sort() },
    };
  });
}

/** Parts that could not be rendered for a runtime: left out with their reason (requirement K20). */
export const definitionsProbe: Probe = {
  id: 'ownership/definitions',
  title: 'Every part fits its coding tool',
  run({ inspection, enrolments }) {
    if (!isInspection(inspection)) return skipped('what is set up could not be computed');
    if (enrolments.length === 0) return idle('nothing is set up here');
    const findings = inspection.findings
      .filter(({ code }) => /^(?:render|hook|disclosure)\//u.test(code))
      .map(asKnown);
    return found(findings, 'no part was left out');
  },
};

/**
 * What a coding tool cannot do was said and accepted when it was set up; here it is a note. A missing interpreter is a
 * matter of this host and stays a warning (contract, section 3).
 */
function asKnown(finding: Finding): Finding {
  const isKnown = finding.data?.['withheld'] === true && finding.severity === 'warning';
  return isKnown && finding.code !== 'hook/interpreter-missing' ? { ...finding, severity: 'info' } : finding;
}

function explained(finding: Finding, ours: readonly Ours[], facts: Facts): Finding {
  const one = ours.find(({ address }) => address === finding.subject);
  if (one === undefined) return finding;
  const document = documentOf(facts, one.target);
  const { place } = one.target;
  const at = place.kind === 'key' || place.kind === 'item' ? place.path : [];
  const where = document === undefined ? { file: one.target.path } : whereOf(document, at);
  const values = finding.code === 'ownership/drifted' ? driftOf(finding, one, facts) : [];
  const said = values.map(({ leaf, theirs, ours: wrote }) => `${leaf} is ${theirs}, tenon wrote ${wrote}`);
  return {
    ...finding,
    message: said.length === 0 ? finding.message : `${finding.message}: ${said.join('; ')}`,
    data: { ...finding.data, ...where, ...(values.length === 0 ? {} : { values: values.map(asJson) }) },
  };
}

interface Difference {
  readonly leaf: string;
  readonly theirs: string;
  readonly ours: string;
}

const asJson = ({ leaf, theirs, ours }: Difference): Json => ({ leaf, theirs, ours });

/** Both values of every edited leaf of an entry, headers and credentials masked (case C07). */
function driftOf(finding: Finding, one: Ours, facts: Facts): Difference[] {
  const leaves = finding.data?.['leaves'];
  const { place } = one.target;
  const wish = one.judgement.slot.wish;
  const document = documentOf(facts, one.target);
  if (!Array.isArray(leaves) || place.kind !== 'key' || wish === undefined || document === undefined)
    return [];
  const reading = formatOf(document.format).read(document.text, place);
  if (!reading.ok || reading.value.state !== 'present') return [];
  const theirs = reading.value.value;
  return leaves.flatMap((leaf): Difference[] => {
    if (typeof leaf !== 'string') return [];
    const path = fromPointer(leaf);
    const shown = (value: Json | undefined): string =>
      value === undefined
        ? 'absent'
        : printable(JSON.stringify(redactValue(value, [...place.path, ...path]), plain)).slice(0, 200);
    return [
      {
        leaf: path.join('.') || 'the value',
        theirs: shown(getIn(theirs, path)),
        ours: shown(getIn(wish.value, path)),
      },
    ];
  });
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** What is wanted and not there without anybody having removed it, or there in an older form. */
function absent(one: Ours, facts: Facts): Finding[] {
  const { standing, slot, step, reason } = one.judgement;
  const isFile = one.target.place.kind === 'file';
  const document = documentOf(facts, one.target);
  // A file that cannot be read says nothing about what it holds.
  if (document !== undefined && document.state !== 'absent' && document.state !== 'parsed') return [];
  const isUntrusted = standing === 'untrusted' && !stands(one, facts);
  if ((standing === 'missing' && slot.record === undefined) || isUntrusted) {
    return [
      {
        code: 'ownership/missing',
        severity: 'error',
        subject: one.address,
        message: isFile ? 'the file is not there' : `is not in ${one.target.path}`,
        remedy: isUntrusted
          ? { text: 'Review and grant it, then run tenon sync', command: 'tenon trust' }
          : { text: 'Write what is set up', command: 'tenon sync' },
        data: { file: one.target.path },
      },
    ];
  }
  if (standing === 'stale' && step !== undefined) {
    return [
      {
        code: 'ownership/outdated',
        severity: 'warning',
        subject: one.address,
        message: `is older than its definition, which ${reason}`,
        remedy: { text: 'Update it', command: 'tenon sync' },
        data: { file: one.target.path },
      },
    ];
  }
  return [];
}

/** Whether anything stands at the place of a thing that may not be written here. */
function stands({ target }: Ours, facts: Facts): boolean {
  const document = documentOf(facts, target);
  if (document === undefined) return isThere(facts.base.reader, placeOf(facts, target.path).abs);
  if (document.state === 'absent') return false;
  const reading = formatOf(document.format).read(document.text, target.place);
  return !reading.ok || reading.value.state === 'present';
}
