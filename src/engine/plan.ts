import type { Finding } from '../errors/error.ts';
import { canonicalJson, equalJson, type Json } from '../lib/json.ts';
import { orderedLedger } from '../state/ledger-store.ts';
import { isOutside } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import type { FileGroup, FileOutcome } from './file-outcome.ts';
import { sha256 } from './fingerprint.ts';
import { foldedConflicts } from './folded-paths.ts';
import type { Judgement, Slot } from './judgement.ts';
import { lookAt } from './look-at.ts';
import { planFile } from './plan-file.ts';
import { createdFolders, leftoverFolders } from './plan-folders.ts';
import { planManifest } from './plan-manifest.ts';
import type { OwnedAddress, PlanFacts, PlanRequest, Replacement } from './plan-request.ts';
import { isSharedItem, recordIdentities } from './records.ts';
import type {
  Conflict,
  FileFacts,
  FilePlan,
  FileRecord,
  Fingerprint,
  Ledger,
  LedgerRecord,
  Op,
  Plan,
} from './types.ts';

export interface PlanResult {
  readonly plan: Plan;
  readonly facts: PlanFacts;
  /** User content that has to be put aside before the first write. */
  readonly replacements: readonly Replacement[];
  /** One per address, also of those that need nothing; what `status` counts. */
  readonly judgements: readonly Judgement[];
  /** Files that a tolerant plan left out, with the reason. */
  readonly skipped: readonly Finding[];
  /** The same as conflicts, with what can be chosen: the rest of the plan goes on without them. */
  readonly left: readonly Conflict[];
}

/**
 * Desired × observed × recorded -> plan (architecture, principle 2). Reads through the given reader and writes nothing;
 * the same input gives the same plan and digest.
 */
export function buildPlan(request: PlanRequest): PlanResult {
  const groups = groupFiles(request);
  const outcomes = groups.map((group) => planFile(group, request));
  const judgements = outcomes.flatMap((outcome) => outcome.judgements);
  const facts = factsOf(judgements);
  const manifest = planManifest(request, facts);

  const folders = new Set<AbsPath>();
  const planned = outcomes.filter((outcome) => outcome.plan !== undefined);
  const created = new Map(planned.map((outcome) => [outcome, createdFolders(outcome, request, folders)]));
  const manifestFolders = manifest?.plan === undefined ? [] : createdFolders(manifest, request, folders);
  const records = nextFileRecords(outcomes, created);
  const leftover = leftoverFolders(outcomes, records, request);

  const opList: Omit<Op, 'id'>[] = [...outcomes.flatMap(({ ops }) => ops), ...(manifest?.ops ?? [])];
  const ops: Op[] = opList.map((op, index) => ({ id: `op-${String(index + 1).padStart(3, '0')}`, ...op }));
  const byAddress = new Map<string, Op[]>();
  for (const op of ops) {
    const known = byAddress.get(op.address);
    if (known === undefined) byAddress.set(op.address, [op]);
    else known.push(op);
  }
  const files: FilePlan[] = planned.map((outcome) => ({
    ...(outcome.plan as NonNullable<FileOutcome['plan']>),
    ops: [...new Set(outcome.ops.flatMap(({ address }) => byAddress.get(address) ?? []))].map(({ id }) => id),
    makeDirs: created.get(outcome) ?? [],
    removeDirs: leftover.get(outcome.group.facts.path) ?? [],
  }));
  if (manifest?.plan !== undefined) {
    files.push({
      ...manifest.plan,
      ops: ops.slice(-1).map(({ id }) => id),
      makeDirs: manifestFolders,
      removeDirs: manifest.removeDirs,
    });
  }

  // The file of a folder may have been deleted by hand: the folder goes with the last file of the plan all the same.
  const last = files.pop();
  if (last !== undefined) {
    const ofNone = [...leftover].filter(([path]) => !files.some((file) => file.path === path));
    const dirs = [...last.removeDirs, ...ofNone.flatMap(([, free]) => free)];
    files.push({ ...last, removeDirs: [...new Set(dirs)] });
  }

  const conflicts = [
    ...request.problems.map((problem) => ({
      address: problem.address,
      code: problem.code,
      message: problem.message,
      choices: [],
      remedy: 'Leave one of them out with --without or --runtime',
      runtimes: problem.runtimes,
    })),
    ...outcomes.filter(({ skipped }) => !skipped).flatMap((outcome) => outcome.conflicts),
    ...foldedConflicts(groups.map(({ facts: { path }, slots }) => ({ path, slots }))),
    ...(manifest?.conflicts ?? []),
  ];
  const left = outcomes.filter(({ skipped }) => skipped).flatMap((outcome) => outcome.conflicts);
  const ledgers = nextLedgers(outcomes, records, facts, request);
  const isApplicable = conflicts.length === 0;
  const seen = ledgers.root === undefined && ledgers.user === undefined ? [] : outcomes.flatMap(seenOnly);
  return {
    plan: {
      schemaVersion: 1,
      command: request.command,
      root: request.root,
      files,
      ops,
      conflicts,
      findings: [...request.findings, ...outcomes.flatMap(({ findings }) => findings)],
      isEmpty: files.length === 0 && ledgers.root === undefined && ledgers.user === undefined,
      isApplicable,
      digest: planDigest(files, ops),
      ledgers,
      ...(seen.length === 0 ? {} : { seen }),
    },
    facts,
    replacements: outcomes.flatMap(({ replacements }) => replacements),
    judgements,
    skipped: left.map(skippedFinding),
    left,
  };
}

/** A file that is not written, though records change because of what it holds. */
function seenOnly({ group: { facts }, plan, judgements }: FileOutcome): NonNullable<Plan['seen']> {
  if (plan !== undefined || facts.problem !== undefined) return [];
  return judgements.some(({ record }) => record === 'forget' || record === 'write')
    ? [{ path: facts.path, real: facts.real, hash: facts.hash }]
    : [];
}

function skippedFinding(conflict: Conflict): Finding {
  return {
    code: conflict.code,
    severity: 'error',
    subject: conflict.address,
    message: `${conflict.message}; left out`,
    remedy: { text: conflict.remedy },
  };
}

const allRecords = ({ ledgers, root }: PlanRequest): LedgerRecord[] => [
  ...ledgers.root.records,
  ...ledgers.user.records.filter((record) => record.root === root || record.scope === 'user'),
];

/** Joins wishes and records by identity, and gathers them by the real file that they stand in. */
function groupFiles(request: PlanRequest): FileGroup[] {
  const left = new Set(allRecords(request));
  const byIdentity = new Map(
    [...left].flatMap((one) => recordIdentities(one).map((key) => [key, one] as const)),
  );
  const take = (record: LedgerRecord | undefined): LedgerRecord | undefined =>
    record !== undefined && left.delete(record) ? record : undefined;
  const slots: Slot[] = request.wishes.map((wish) => ({
    wish,
    record: take(byIdentity.get(wish.identity)),
  }));
  for (const [index, { wish, record }] of slots.entries()) {
    if (wish?.target.place.kind === 'item' && record === undefined)
      slots[index] = { wish, record: take([...left].find((one) => isSharedItem(one, wish))) };
  }
  for (const record of left) slots.push({ wish: undefined, record });

  const facts = new Map<string, FileFacts>();
  const byFile = new Map<AbsPath, Slot[]>();
  for (const slot of slots) {
    const path = (slot.wish?.target ?? slot.record)?.path ?? '';
    let seen = facts.get(path);
    if (seen === undefined) {
      seen = lookAt(path, request);
      facts.set(path, seen);
    }
    const known = byFile.get(seen.real);
    if (known === undefined) byFile.set(seen.real, [slot]);
    else known.push(slot);
  }
  const fileRecords = [...request.ledgers.root.files, ...request.ledgers.user.files];
  return [...byFile.values()]
    .map((members) => {
      const path = (members[0]?.wish?.target ?? members[0]?.record)?.path ?? '';
      const own = facts.get(path) as FileFacts;
      const seen = [...facts.values()].filter(({ real }) => real === own.real);
      const same = seen.map((one) => one.path);
      const record = fileRecords.find((one) => same.includes(one.path));
      return {
        facts: own,
        slots: members,
        record,
        follows: followsAfter(record, seen),
        isShared: request.ledgers.user.records.some(
          (one) => same.includes(one.path) && !members.some(({ record }) => record === one),
        ),
      };
    })
    .sort((a, b) => (a.facts.path < b.facts.path ? -1 : a.facts.path > b.facts.path ? 1 : 0));
}

/**
 * The links of a file that lead out of the root or home, each with the real file. What was agreed to earlier stays while
 * the path cannot be read or is not looked at.
 */
function followsAfter(record: FileRecord | undefined, seen: readonly FileFacts[]): FileRecord['follows'] {
  const settled = new Set(seen.flatMap(({ path, problem }) => (problem === undefined ? [path] : [])));
  const entries = [
    ...Object.entries(record?.follows ?? {}).filter(([path]) => !settled.has(path)),
    ...seen.flatMap(({ path, real, leaves }) => (leaves === undefined ? [] : [[path, real] as const])),
  ];
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function withFollows({ follows: _earlier, ...file }: FileRecord, follows: FileRecord['follows']): FileRecord {
  return { ...file, ...(follows === undefined ? {} : { follows }) };
}

function factsOf(judgements: readonly Judgement[]): PlanFacts {
  const remaining = new Set<string>();
  for (const { slot, standing, record } of judgements) {
    if (record === 'forget' || standing === 'dormant') continue;
    for (const { integration } of slot.wish?.owners ?? slot.record?.owners ?? []) remaining.add(integration);
  }
  const flagged = (flag: 'external' | 'excluded'): OwnedAddress[] =>
    judgements
      .filter((judgement) => judgement[flag] === true)
      .flatMap(({ address, slot }) =>
        (slot.wish?.owners ?? []).map(({ integration }) => ({ address, integration })),
      );
  const owned = new Set(
    judgements.flatMap(({ slot, record, address }) =>
      slot.wish !== undefined && record === 'write' ? [address, slot.wish.identity] : [],
    ),
  );
  return { external: flagged('external'), excluded: flagged('excluded'), owned, remaining };
}

/** File records after the plan; untouched files keep theirs to the letter. */
function nextFileRecords(
  outcomes: readonly FileOutcome[],
  created: ReadonlyMap<FileOutcome, readonly AbsPath[]>,
): Map<FileOutcome, FileRecord | undefined> {
  const next = new Map<FileOutcome, FileRecord | undefined>();
  for (const outcome of outcomes) {
    const { facts, record: noted, isShared, slots, follows } = outcome.group;
    // One that only remembers a link says nothing of what tenon made of the file.
    const record = isShared || slots.some((slot) => slot.record !== undefined) ? noted : undefined;
    if (outcome.records.length === 0 && !isShared) {
      const isRead =
        follows !== undefined && outcome.judgements.some(({ standing }) => standing === 'external');
      next.set(outcome, isRead ? withFollows(noted ?? foreignFile(facts), follows) : undefined);
    } else if (outcome.plan === undefined) {
      const own = record ?? (outcome.records.length === 0 ? undefined : adoptedFile(outcome));
      const handed = own !== undefined && handsOver(outcome) ? { ...own, before: null } : own;
      next.set(outcome, handed === undefined ? undefined : withFollows(handed, follows));
    } else {
      const result = outcome.plan.result;
      const dirs = (created.get(outcome) ?? []).map((dir) => displayOf(dir, facts));
      next.set(outcome, {
        path: record?.path ?? facts.path,
        createdFile: record?.createdFile ?? !facts.exists,
        createdDirs: [
          ...(record?.createdDirs ?? []),
          ...dirs.filter((dir) => !record?.createdDirs.includes(dir)),
        ],
        containers: outcome.containers,
        before:
          record === undefined
            ? { hash: facts.hash, size: facts.size }
            : record.after.hash === facts.hash && !handsOver(outcome)
              ? record.before
              : null,
        after: { hash: outcome.plan.resultHash, size: result?.length ?? 0 },
        bom: facts.bom,
        eol: record?.eol ?? (facts.text?.includes('\r\n') === true ? '\r\n' : '\n'),
        ...(follows === undefined ? {} : { follows }),
      });
    }
  }
  return next;
}

/** An entry becomes the user's: the file will never again be what it was before, and nothing is proved against that. */
const handsOver = ({ judgements }: FileOutcome): boolean =>
  judgements.some(({ action, record }) => action === 'forget' && record === 'forget');

/**
 * A file whose entries were taken over as they are: nobody knows what it was before, so containers are the user's, and
 * only a file that is ours as a whole goes with its entry.
 */
const adoptedFile = ({ group: { facts }, records }: FileOutcome): FileRecord => ({
  path: facts.path,
  createdFile: records.some(({ place }) => place.kind === 'file'),
  createdDirs: [],
  containers: [],
  before: null,
  after: { hash: facts.hash, size: facts.size },
  bom: facts.bom,
  eol: facts.text?.includes('\r\n') === true ? '\r\n' : '\n',
});

/** A file in which nothing is ours; it is recorded only for the link that a person agreed to follow to it. */
const foreignFile = (facts: FileFacts): FileRecord => ({
  path: facts.path,
  createdFile: false,
  createdDirs: [],
  containers: [],
  before: { hash: facts.hash, size: facts.size },
  after: { hash: facts.hash, size: facts.size },
  bom: facts.bom,
  eol: facts.text?.includes('\r\n') === true ? '\r\n' : '\n',
});

/** A folder in the same spelling as the file's path: the file's path less as many parts as the folder is above it. */
function displayOf(dir: AbsPath, facts: FileFacts): string {
  const below = facts.real
    .slice(dir.length)
    .split(/[\\/]/)
    .filter((part) => part !== '').length;
  return facts.path.split('/').slice(0, -below).join('/');
}

function nextLedgers(
  outcomes: readonly FileOutcome[],
  files: ReadonlyMap<FileOutcome, FileRecord | undefined>,
  facts: PlanFacts,
  request: PlanRequest,
): Plan['ledgers'] {
  const next = (ledger: Ledger, outside: boolean): Ledger | undefined => {
    const own = outcomes.filter(({ group }) => isOutside(group.facts.path) === outside);
    const looked = new Set(own.flatMap(({ group }) => group.slots.map(({ record }) => record)));
    const lookedInto = new Set(own.map(({ group }) => group.record));
    const kept = ledger.records.filter((record) => !looked.has(record));
    const keptFiles = ledger.files.filter((file) => !lookedInto.has(file));
    const updated: Ledger = {
      ...ledger,
      records: [...kept, ...own.flatMap(({ records }) => records)],
      files: [...keptFiles, ...own.flatMap((outcome) => files.get(outcome) ?? [])],
    };
    const enrolled = orderedLedger(request.enrol?.(updated, facts) ?? updated);
    return equalJson(orderedLedger(ledger) as unknown as Json, enrolled as unknown as Json)
      ? undefined
      : enrolled;
  };
  const root = next(request.ledgers.root, false);
  const user = next(request.ledgers.user, true);
  return { ...(root === undefined ? {} : { root }), ...(user === undefined ? {} : { user }) };
}

/** Format version, relative paths, base and result hashes, operations with their class; no root, host or time. */
export function planDigest(files: readonly FilePlan[], ops: readonly Op[]): Fingerprint {
  return sha256(
    canonicalJson({
      format: 1,
      files: files.map(({ path, baseHash, resultHash }) => ({ path, base: baseHash, result: resultHash })),
      ops: ops
        .filter(({ approval }) => approval !== 'none')
        .map(({ action, address, classes }) => ({ action, address, classes: [...classes] })),
    }),
  );
}
