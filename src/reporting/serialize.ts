const RISKY = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/**
 * JSON text on one line. `bigint` comes out as plain digits, members that are undefined or functions are left out,
 * numbers that JSON cannot hold are null; maps become objects, sets arrays. Controls and bidirectional characters are
 * written as escapes, so the same document is harmless on a terminal and equal for a parser.
 */
export function serialize(value: unknown): string {
  return (write(value) ?? 'null').replace(
    RISKY,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function write(value: unknown): string | undefined {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'object':
      return writeObject(value);
    case 'undefined':
    case 'function':
    case 'symbol':
      return undefined;
    default:
      return JSON.stringify(value);
  }
}

function writeObject(value: object): string {
  if (value instanceof Set) return write([...value]) ?? '[]';
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? 'null').join(',')}]`;
  const entries: [string, unknown][] = value instanceof Map ? [...value.entries()] : Object.entries(value);
  const members = entries.flatMap(([key, member]) => {
    const text = write(member);
    return text === undefined ? [] : [`${JSON.stringify(String(key))}:${text}`];
  });
  return `{${members.join(',')}}`;
}
