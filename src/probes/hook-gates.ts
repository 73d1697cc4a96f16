import { createHash } from 'node:crypto';
import type { Finding } from '../errors/error.ts';
import { canonicalJson, equalJson, getIn, isObject, type Json, type JsonPath } from '../lib/json.ts';
import { fillTemplate, fillText, placeholdersOf } from '../runtimes/dialect.ts';
import { readGate } from '../runtimes/gates.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { type Document, whereOf } from './documents.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { trustHere } from './folder-trust.ts';
import { gateDocument } from './gate-document.ts';
import { documentOf, type Ours, oursOf } from './ours.ts';
import { found, idle, type Probe } from './probe.ts';

/** Whether our hooks run: hooks switched off by a setting or a policy, and each client's review of single hooks. */
export const hookGatesProbe: Probe = {
  id: 'host/hooks',
  title: 'Hooks run in the coding tool',
  needs: ['config/readable'],
  run(facts) {
    const hooks = oursOf(facts).filter(isHookItem);
    if (hooks.length === 0) return idle('no hook of ours is configured');
    const results = facts.examined.flatMap((runtime) => {
      const own = hooks.filter((one) => one.isThere && one.runtimes.includes(runtime.spec.id));
      if (own.length === 0) return [];
      const off = [...switchedOff(runtime, own, facts), ...untrusted(runtime, own, facts)];
      const findings = off.length > 0 ? off : own.flatMap((one) => unreviewed(runtime, one, facts));
      if (
        findings.length === 0 &&
        runtime.spec.hooks?.review === undefined &&
        runtime.spec.hooks?.trust !== undefined
      ) {
        return [found([], `not switched off; ${runtime.spec.hooks.trust}`, runtime.spec.id)];
      }
      return [found(findings, 'not switched off, and reviewed where the tool asks for it', runtime.spec.id)];
    });
    return results.length === 0 ? idle('no hook of ours is there') : results;
  },
};

const isHookItem = ({ target, judgement }: Ours): boolean =>
  target.place.kind === 'item' &&
  (judgement.slot.wish?.classes ?? judgement.slot.record?.classes ?? []).includes('executes');

function switchedOff(runtime: Examined, own: readonly Ours[], facts: Facts): Finding[] {
  const { spec } = runtime;
  return spec.gates.flatMap((gate): Finding[] => {
    if (gate.kind !== 'hooks-off') return [];
    const document = gateDocument(runtime, gate, facts);
    if (document?.state !== 'parsed') return [];
    const reading = readGate(gate, document.value, { server: '' }, facts.base.root, facts.base.platform);
    if (reading.state === 'unset') return [];
    return [
      {
        code: 'host/hooks-off',
        severity: 'warning',
        subject: own[0]?.address ?? document.path,
        message: `${spec.title} runs no hook of ours: ${gate.text} (${gate.at.join('.')} in ${document.path})`,
        remedy: { text: 'Change that setting if hooks are wanted' },
        data: { ...whereOf(document, reading.path), runtimes: [spec.id] },
      },
    ];
  });
}

/** Hooks of a project whose folder the client does not trust, where it runs none without trust. */
function untrusted(runtime: Examined, own: readonly Ours[], facts: Facts): Finding[] {
  const { spec } = runtime;
  const mine = own.find(({ scope }) => scope === 'project');
  if (spec.hooks?.needsTrust !== true || mine === undefined) return [];
  const { isAsked, isTrusted, cannotTell, text } = trustHere(runtime, facts);
  if (!isAsked || isTrusted || cannotTell) return [];
  return [
    {
      code: 'host/hook-untrusted',
      severity: 'warning',
      subject: mine.address,
      message: `${spec.title} runs no hook of ours here: this folder is not trusted`,
      remedy: { text: text ?? spec.reload.text },
      data: { runtimes: [spec.id], state: 'folder' },
    },
  ];
}

type Review = NonNullable<NonNullable<RuntimeSpec['hooks']>['review']>;

/** A hook that the client's user has not reviewed, or not in its present form. */
function unreviewed(runtime: Examined, one: Ours, facts: Facts): Finding[] {
  const { spec } = runtime;
  const review = spec.hooks?.review;
  const document = documentOf(facts, one.target);
  const memory = review === undefined ? undefined : gateDocument(runtime, review, facts);
  if (review === undefined || document?.state !== 'parsed' || memory === undefined) return [];
  if (memory.state === 'blocked' || memory.state === 'malformed') return [untold(spec, memory)];
  return handlersOf(document, one).flatMap((handler): Finding[] => {
    const state = reviewState(review, handler, document, memory);
    if (state === 'trusted') return [];
    if (state === 'off') {
      return [
        {
          code: 'host/hooks-off',
          severity: 'warning',
          subject: one.address,
          message: `${spec.title} runs no ${handler.event} hook of ours: its user switched it off (${memory.path})`,
          remedy: { text: 'Switch it on in the coding tool if it is wanted; tenon leaves it as it is' },
          data: { ...whereOf(document, handler.path), runtimes: [spec.id], state },
        },
      ];
    }
    const what = state === 'modified' ? 'has changed since it was trusted' : 'is not trusted yet';
    return [
      {
        code: 'host/hook-untrusted',
        severity: 'warning',
        subject: one.address,
        message: `${spec.title} skips our ${handler.event} hook: it ${what}`,
        remedy: { text: review.text },
        data: { ...whereOf(document, handler.path), runtimes: [spec.id], state },
      },
    ];
  });
}

export interface Handler {
  /** The client's word for the event. */
  readonly event: string;
  readonly group: number;
  readonly index: number;
  readonly matcher: Json | undefined;
  readonly members: Json;
  readonly path: JsonPath;
}

/** The handlers of our item, with their positions in the file as it stands. */
function handlersOf(document: Document, { target, judgement }: Ours): Handler[] {
  const { place } = target;
  if (place.kind !== 'item') return [];
  const items = getIn(document.value, place.path);
  const wanted = judgement.slot.wish?.value ?? place.value;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: Json, group): Handler[] => {
    const isOurs = equalJson(item, wanted) || equalJson(item, place.value) || holds(item, place.tag);
    const handlers = getIn(item, ['hooks']);
    if (!isOurs || !Array.isArray(handlers)) return [];
    return handlers.map((members: Json, index) => ({
      event: place.path.at(-1) ?? '',
      group,
      index,
      matcher: getIn(item, ['matcher']),
      members,
      path: [...place.path, String(group), 'hooks', String(index)],
    }));
  });
}

const holds = (item: Json, tag: string | undefined): boolean =>
  tag !== undefined && canonicalJson(item).includes(JSON.stringify(tag).slice(1, -1));

/** Compares the hash that the client remembers with the one of the handler as it stands; a switch of its user comes first. */
export function reviewState(
  review: Review,
  handler: Handler,
  document: Pick<Document, 'abs'>,
  memory: Pick<Document, 'value'>,
): 'trusted' | 'modified' | 'untrusted' | 'off' {
  const event = handler.event.replace(/(?<=[a-z0-9])(?=[A-Z])/gu, '_').toLowerCase();
  const hook = fillText(review.id, {
    file: document.abs,
    event,
    group: String(handler.group),
    index: String(handler.index),
  });
  const at = (path: readonly string[]) =>
    getIn(
      memory.value,
      path.map((part) => fillText(part, { hook })),
    );
  if (review.off !== undefined && at(review.off.at) === review.off.value) return 'off';
  const known = at(review.at);
  if (known === undefined) return 'untrusted';
  return known === reviewHash(review, handler, event) ? 'trusted' : 'modified';
}

export function reviewHash(review: Review, handler: Handler, event: string): string {
  const values: Record<string, Json | undefined> = {};
  for (const name of placeholdersOf(review.identity)) {
    const member = isObject(handler.members) ? getIn(handler.members, [name]) : undefined;
    values[name] = member ?? review.defaults[name];
  }
  const identity = fillTemplate(review.identity, { ...values, event, matcher: handler.matcher });
  return `sha256:${createHash('sha256')
    .update(canonicalJson(identity ?? null))
    .digest('hex')}`;
}

const untold = ({ id, title }: RuntimeSpec, memory: Document): Finding => ({
  code: 'host/cannot-tell',
  severity: 'warning',
  subject: memory.path,
  message: `whether ${title} trusts our hook cannot be told: ${memory.path} cannot be read`,
  remedy: { text: 'Correct the file or its access rights' },
  data: { file: memory.path, runtimes: [id] },
});
