import type { Container, Edit, InsertContext, Place, Trace } from '../../src/formats/format.ts';
import { jsonFormat } from '../../src/formats/json.ts';
import type { Json } from '../../src/lib/json.ts';
import { unwrap } from './results.ts';

/** A text together with what the ledger remembers of it. */
export interface Draft {
  readonly text: string;
  readonly containers: readonly Container[];
}

export const draft = (text: string): Draft => ({ text, containers: [] });

export interface Added extends Draft {
  readonly trace: Trace;
}

export const key = (...path: string[]): Place => ({ kind: 'key', path });

export const item = (path: string[], value: Json, tag?: string): Place => ({
  kind: 'item',
  path,
  value,
  ...(tag === undefined ? {} : { tag }),
});

export function add(to: Draft, place: Place, value: Json, context: InsertContext = {}): Added {
  const edit: Edit = unwrap(jsonFormat.insert(to.text, place, value, context));
  return { text: edit.text, trace: edit.trace, containers: [...to.containers, ...edit.containers] };
}

export function take(from: Draft, place: Place, trace?: Trace): Draft {
  const { containers } = from;
  const edit = unwrap(
    jsonFormat.remove(from.text, place, trace === undefined ? { containers } : { containers, trace }),
  );
  return { text: edit.text, containers: edit.containers };
}

/** Parsed value of a text that must be good. */
export const valueOfText = (text: string): Json | undefined => unwrap(jsonFormat.parse(text));
