import { randomUUID } from 'node:crypto';
import { GuardError } from './errors.ts';

/** What the sandbox knows: made-up facts of a made-up shop. */
export interface Fact {
  readonly fact_key: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly verification: 'human-verified' | 'unverified';
  readonly freshness: 'current' | 'stale';
  readonly source_id: string;
  readonly conflicts: readonly string[];
}

export const FACTS: readonly Fact[] = [
  {
    fact_key: 'deploy-window',
    subject: 'shop-api',
    predicate: 'deploys_on',
    object: 'Tuesday and Thursday, never before a holiday',
    verification: 'human-verified',
    freshness: 'current',
    source_id: 'runbook-deploy',
    conflicts: [],
  },
  {
    fact_key: 'money-type',
    subject: 'shop-api',
    predicate: 'stores_money_as',
    object: 'integer cents with an ISO 4217 code',
    verification: 'human-verified',
    freshness: 'current',
    source_id: 'adr-12',
    conflicts: ['money-type-old'],
  },
  {
    fact_key: 'money-type-old',
    subject: 'shop-api',
    predicate: 'stores_money_as',
    object: 'decimal strings',
    verification: 'unverified',
    freshness: 'stale',
    source_id: 'wiki-money',
    conflicts: ['money-type'],
  },
];

/** Facts that share a word with the query; all of them when none does, so that trying out always shows something. */
export function findFacts(query: string, limit = 10): Fact[] {
  const words = query
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word.length > 2);
  const hits = FACTS.filter((fact) =>
    words.some((word) => `${fact.subject} ${fact.object}`.toLowerCase().includes(word)),
  );
  return (hits.length === 0 ? [...FACTS] : hits).slice(0, limit);
}

export const factOf = (key: string): Fact => {
  const fact = FACTS.find(({ fact_key }) => fact_key === key);
  if (fact === undefined) throw new GuardError('invalid_input', { field: 'fact_key' });
  return fact;
};

export interface Proposal {
  readonly proposal_id: string;
  readonly principal: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly task: Readonly<Record<string, string>>;
  status: 'pending' | 'retracted';
}

/** What one running sandbox remembers; gone when it ends. */
export function openMemory() {
  const proposals: Proposal[] = [];
  const packs = new Map<string, readonly Fact[]>();
  const votes = new Set<string>();
  return {
    propose(
      principal: string,
      claim: Pick<Proposal, 'subject' | 'predicate' | 'object'>,
      task: Proposal['task'],
    ) {
      const same = proposals.find(
        (known) =>
          known.principal === principal &&
          known.status === 'pending' &&
          known.subject === claim.subject &&
          known.predicate === claim.predicate &&
          known.object === claim.object,
      );
      if (same !== undefined)
        return { proposal_id: same.proposal_id, status: same.status, deduplicated: true };
      const proposal: Proposal = { proposal_id: randomUUID(), principal, ...claim, task, status: 'pending' };
      proposals.push(proposal);
      return { proposal_id: proposal.proposal_id, status: proposal.status, deduplicated: false };
    },
    /** Every supplied field of the task is a filter. */
    report: (principal: string, task: Readonly<Record<string, string>>): Proposal[] =>
      proposals.filter(
        (known) =>
          known.principal === principal &&
          Object.entries(task).every(([field, value]) => known.task[field] === value),
      ),
    retract(principal: string, id: string) {
      const proposal = proposals.find((known) => known.principal === principal && known.proposal_id === id);
      if (proposal === undefined) throw new GuardError('invalid_input', { field: 'proposal_id' });
      proposal.status = 'retracted';
      return { proposal_id: id, status: proposal.status };
    },
    keepPack(facts: readonly Fact[]): string {
      const id = randomUUID();
      packs.set(id, facts);
      return id;
    },
    pack(id: string): readonly Fact[] {
      const facts = packs.get(id);
      if (facts === undefined) throw new GuardError('expired_context_pack');
      return facts;
    },
    vote(principal: string, key: string) {
      const duplicate = votes.has(`${principal} ${key}`);
      votes.add(`${principal} ${key}`);
      return { recorded: true, duplicate };
    },
  };
}

export type Memory = ReturnType<typeof openMemory>;
