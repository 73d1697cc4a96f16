/** A file's text without its byte-order mark, or why it is no UTF-8 text. The fault continues a sentence on the file. */
export type Decoded =
  | { readonly text: string; readonly bom: boolean }
  | { readonly fault: string; readonly remedy: string };

const REMEDY = 'Save the file as UTF-8.';

/** Decodes UTF-8 strictly: nothing is replaced, so that encoding the text again gives the same bytes (cases G01–G03). */
export function decodeText(bytes: Uint8Array): Decoded {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { fault: 'is UTF-16, convert to UTF-8', remedy: REMEDY };
  }
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  const nul = body.indexOf(0);
  if (nul >= 0) {
    return {
      fault: `holds a NUL byte at ${position(bytes, bytes.length - body.length + nul)}, so it is no text`,
      remedy: REMEDY,
    };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), bom };
  } catch {
    const at = bytes.length - body.length + firstInvalid(body);
    const byte = bytes[at]?.toString(16).toUpperCase().padStart(2, '0');
    return { fault: `is not UTF-8: byte 0x${byte} at ${position(bytes, at)}`, remedy: REMEDY };
  }
}

/** `3:17 (byte 44)`: line and column from 1, the column in bytes, the offset from 0. */
function position(bytes: Uint8Array, offset: number): string {
  const before = bytes.subarray(0, offset);
  const lineStart = before.lastIndexOf(10) + 1;
  let line = 1;
  for (const byte of before) if (byte === 10) line += 1;
  return `line ${line}, column ${offset - lineStart + 1} (byte ${offset})`;
}

/** Offset of the first byte that begins no valid sequence (RFC 3629). */
function firstInvalid(bytes: Uint8Array): number {
  const decoder = () => new TextDecoder('utf-8', { fatal: true });
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead >= 0x80) {
      try {
        decoder().decode(bytes.subarray(at, at + length));
      } catch {
        return at;
      }
    }
    at += length;
  }
  return at;
}
