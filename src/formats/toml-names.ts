import { parse } from 'smol-toml';
import { Ints } from './ints.ts';
import type { KeyPart } from './toml-lex.ts';

/** Full path of a table or key; a number is the position inside an array of tables. */
export type TomlPath = readonly (string | number)[];

/** What a name stands for. */
export const N = {
  /** A table that only a header below it has made. */
  implied: 0,
  /** The same, made by the header of an array of tables below it. */
  impliedByArray: 1,
  /** A table with a header of its own. */
  table: 2,
  /** A table that dotted keys have made. */
  dotted: 3,
  /** `key = value` */
  value: 4,
  /** An array of tables. */
  array: 5,
  /** One table of an array. */
  element: 6,
} as const;

const ESCAPED = 8;
const FIELDS = 5;

/**
 * All names that a document defines, as a tree of numbers: 20 bytes for each and 4 to 8 to find it again, since a large
 * file has one for every line. Node 0 is the document.
 */
export class TomlNames {
  readonly #text: string;
  /** parent, start and end of the name in the text (for an element: its position), kind, last element or statement */
  readonly #nodes = new Ints();
  #slots = new Int32Array(64);
  #hash = 0;

  constructor(text: string) {
    this.#text = text;
    this.#add(-1, 0, 0, N.table);
  }

  get #count(): number {
    return this.#nodes.length / FIELDS;
  }

  parent = (node: number): number => this.#nodes.at(node * FIELDS);
  kind = (node: number): number => this.#nodes.at(node * FIELDS + 3) & 7;
  /** Of a value, an element or a table with a header: its statement. Of an array: its last element. */
  link = (node: number): number => this.#nodes.at(node * FIELDS + 4);

  setKind(node: number, kind: number): void {
    this.#nodes.set(node * FIELDS + 3, kind | (this.#nodes.at(node * FIELDS + 3) & ESCAPED));
  }

  setLink(node: number, link: number): void {
    this.#nodes.set(node * FIELDS + 4, link);
  }

  /** Position of an element in its array. */
  position = (node: number): number => this.#nodes.at(node * FIELDS + 1);

  /** How many names stand on the way to a node, itself included. */
  depth(node: number): number {
    let depth = 0;
    for (let at = node; at > 0; at = this.parent(at)) depth += 1;
    return depth;
  }

  isBelow(node: number, top: number): boolean {
    // A node is made after its parent.
    let at = node;
    while (at > top) at = this.parent(at);
    return at === top;
  }

  path(node: number): TomlPath {
    const parts: (string | number)[] = [];
    for (let at = node; at > 0; at = this.parent(at))
      parts.push(this.kind(at) === N.element ? this.position(at) : this.#name(at));
    return parts.reverse();
  }

  /** The member of a table that a part of a key names; -1 when there is none. */
  find(parent: number, part: KeyPart): number {
    if (part.isEscaped) return this.member(parent, decoded(this.#text, part.start, part.end));
    const { start, end } = part;
    this.#hash = hashOf(this.#text, start, end, parent);
    const length = end - start;
    for (let slot = this.#hash & (this.#slots.length - 1); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const node = (this.#slots[slot] ?? 0) - 1;
      if (node < 0) return -1;
      if (this.parent(node) !== parent) continue;
      const own = this.#nodes.at(node * FIELDS + 1);
      if (
        this.#isEscaped(node)
          ? this.#name(node) === this.#text.slice(start, end)
          : this.#nodes.at(node * FIELDS + 2) - own === length && sameChars(this.#text, own, start, length)
      )
        return node;
    }
  }

  /** The member of a table with a name; -1 when there is none. */
  member(parent: number, name: string): number {
    this.#hash = hashOf(name, 0, name.length, parent);
    for (let slot = this.#hash & (this.#slots.length - 1); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const node = (this.#slots[slot] ?? 0) - 1;
      if (node < 0) return -1;
      if (this.parent(node) !== parent) continue;
      const start = this.#start(node);
      const end = this.#end(node);
      if (
        this.#isEscaped(node)
          ? this.#name(node) === name
          : end - start === name.length && this.#text.startsWith(name, start)
      )
        return node;
    }
  }

  /** Adds a member that the last {@link find}, of the same parent and part, did not find. */
  add(parent: number, part: KeyPart, kind: number): number {
    const node = this.#add(parent, part.start, part.end, part.isEscaped ? kind | ESCAPED : kind);
    if (this.#count * 2 > this.#slots.length) this.#widen();
    else this.#put(node, this.#hash);
    return node;
  }

  /** Adds one more table to an array of tables. */
  addElement(array: number): number {
    const last = this.link(array);
    const node = this.#add(array, last < 0 ? 0 : this.position(last) + 1, 0, N.element);
    this.setLink(array, node);
    return node;
  }

  /** The table of an array at a position; -1 when there is none. */
  element(array: number, position: number): number {
    for (let node = this.link(array); node > array; node -= 1)
      if (this.parent(node) === array && this.position(node) === position) return node;
    return -1;
  }

  #add(parent: number, start: number, end: number, kind: number): number {
    const node = this.#count;
    this.#nodes.push(parent);
    this.#nodes.push(start);
    this.#nodes.push(end);
    this.#nodes.push(kind);
    this.#nodes.push(-1);
    return node;
  }

  #start = (node: number): number => this.#nodes.at(node * FIELDS + 1);
  #end = (node: number): number => this.#nodes.at(node * FIELDS + 2);
  #isEscaped = (node: number): boolean => (this.#nodes.at(node * FIELDS + 3) & ESCAPED) !== 0;

  #name(node: number): string {
    const start = this.#start(node);
    const end = this.#end(node);
    return this.#isEscaped(node) ? decoded(this.#text, start, end) : this.#text.slice(start, end);
  }

  #put(node: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = node + 1;
  }

  #widen(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let node = 1; node < this.#count; node += 1) {
      if (this.kind(node) === N.element) continue;
      const parent = this.parent(node);
      if (this.#isEscaped(node)) {
        const name = this.#name(node);
        this.#put(node, hashOf(name, 0, name.length, parent));
      } else {
        const start = this.#start(node);
        const end = this.#end(node);
        this.#put(node, hashOf(this.#text, start, end, parent));
      }
    }
  }
}

/** Another one in each process, so that no file can be made of names that all fall into one slot. */
const SEED = Math.floor(Math.random() * 0x7fffffff);

/** FNV-1a over the units of a name and its parent. */
function hashOf(text: string, start: number, end: number, parent: number): number {
  let hash = SEED ^ parent;
  hash = Math.imul(hash, 0x01000193);
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}

function sameChars(text: string, a: number, b: number, length: number): boolean {
  for (let at = 0; at < length; at += 1)
    if (text.charCodeAt(a + at) !== text.charCodeAt(b + at)) return false;
  return true;
}

/** The name that a double-quoted key with escapes means. */
export function decoded(text: string, start: number, end: number): string {
  return String(parse(`x = "${text.slice(start, end)}"`)['x']);
}
