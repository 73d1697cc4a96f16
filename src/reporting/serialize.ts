const RISKY = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** JSON text of a value, kept as bytes in place of it: {@link serialize} puts it in as it is. */
export class Prepared {
  readonly [member: string]: unknown;
  readonly #bytes: Uint8Array;

  /** `bytes`: JSON text of this module in UTF-8. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  static of(value: unknown): Prepared {
    return new Prepared(Buffer.from(isWritten(value) ? harmless(write(value)) : 'null'));
  }

  bytes(): Uint8Array {
    return this.#bytes;
  }

  text(): string {
    return new TextDecoder().decode(this.#bytes);
  }
}

/**
 * JSON text on one line. `bigint` comes out as plain digits, members that are undefined or functions are left out,
 * numbers that JSON cannot hold are null; maps become objects, sets arrays. Controls and bidirectional characters are
 * written as escapes, so the same document is harmless on a terminal and equal for a parser.
 */
export function serialize(value: unknown): string {
  let text = '';
  serializeInto(value, (part) => {
    text += part;
  });
  return text;
}

/** Levels of a document that are written member by member; what lies deeper is one part each. */
const LEVELS = 4;
const PART = 64 * 1024;

/** The same text in parts of some 64 kB, for a document that is too long to be held at once. */
export function serializeInto(value: unknown, out: (part: string) => void): void {
  let part = '';
  const add = (text: string): void => {
    part += text;
    if (part.length < PART) return;
    out(part);
    part = '';
  };
  if (!isWritten(value)) add('null');
  else addTo(add, value, LEVELS);
  if (part !== '') out(part);
}

const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

function addTo(add: (text: string) => void, value: unknown, levels: number): void {
  if (value instanceof Prepared) add(value.text());
  else if (levels === 0 || typeof value !== 'object' || value === null) add(harmless(write(value)));
  else if (Array.isArray(value) || value instanceof Set) addItems(add, value, levels);
  else addMembers(add, value, levels);
}

function addItems(add: (text: string) => void, items: Iterable<unknown>, levels: number): void {
  let sign = '[';
  for (const item of items) {
    add(sign);
    if (isWritten(item)) addTo(add, item, levels - 1);
    else add('null');
    sign = ',';
  }
  add(sign === '[' ? '[]' : ']');
}

function addMembers(add: (text: string) => void, value: object, levels: number): void {
  let sign = '{';
  for (const [key, member] of membersOf(value)) {
    if (!isWritten(member)) continue;
    add(`${sign}${harmless(JSON.stringify(String(key)))}:`);
    addTo(add, member, levels - 1);
    sign = ',';
  }
  add(sign === '{' ? '{}' : '}');
}

const membersOf = (value: object): Iterable<readonly [unknown, unknown]> =>
  value instanceof Map ? value : Object.entries(value);

const harmless = (text: string): string =>
  text.replace(RISKY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A value that is written, as JSON text. */
function write(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Prepared) return value.text();
  let text = '';
  if (Array.isArray(value) || value instanceof Set) {
    for (const item of value) text += `${text === '' ? '' : ','}${isWritten(item) ? write(item) : 'null'}`;
    return `[${text}]`;
  }
  const add = (key: unknown, member: unknown): void => {
    if (isWritten(member)) text += `${text === '' ? '' : ','}${JSON.stringify(String(key))}:${write(member)}`;
  };
  if (value instanceof Map) for (const [key, member] of value) add(key, member);
  else for (const key of Object.keys(value)) add(key, value[key as keyof typeof value]);
  return `{${text}}`;
}
