/** Addresses as text; everything else about the network is in `http.ts`. */

/** An IPv4 address as its four octets, or undefined. Only the dotted decimal form. */
function ipv4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part))) return undefined;
  const octets = parts.map(Number);
  return octets.every((octet) => octet <= 255) ? octets : undefined;
}

/** An IPv6 address (brackets and zone allowed) as its eight groups, or undefined. */
function ipv6(text: string): number[] | undefined {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]/`)) return undefined;
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...new Array<string>(gap).fill('0'), ...right].map((group) => Number.parseInt(group, 16));
}

/** True for an IPv4 or IPv6 address in text form (brackets allowed), false for a name. */
export const isAddress = (host: string): boolean => ipv4(host) !== undefined || ipv6(host) !== undefined;

/** The IPv4 address that an IPv6 one carries: mapped (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056). */
function embedded(groups: readonly number[]): number[] | undefined {
  const [a = 0, b = 0, c = 0, , , f = 0, g = 0, h = 0] = groups;
  const octets = (high: number, low: number): number[] => [high >> 8, high & 255, low >> 8, low & 255];
  const zeroTo = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);
  if (zeroTo(5) && f === 0xffff) return octets(g, h);
  if (zeroTo(6) && (g !== 0 || h > 1)) return octets(g, h);
  if (a === 0x64 && b === 0xff9b) return octets(g, h);
  if (a === 0x2002) return octets(b, c);
  return undefined;
}

/** Instance-metadata services outside the link-local ranges (Alibaba, Azure, Oracle; AWS and Google over IPv6). */
const METADATA_V4 = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192']);
const METADATA_V6 = new Set(['fd00:ec2:0:0:0:0:0:254', 'fd20:ce:0:0:0:0:0:254']);
const METADATA_NAMES = new Set([
  'metadata.google.internal',
  'metadata',
  'instance-data',
  'instance-data.ec2.internal',
]);

function refuseV4(octets: readonly number[]): string | undefined {
  const [a, b] = octets;
  if (a === 169 && b === 254) return 'a link-local address';
  if (METADATA_V4.has(octets.join('.'))) return 'a cloud metadata address';
  if (a === 0) return 'an unspecified address';
  return undefined;
}

/**
 * Why an address must never be called (requirement E-06), as a noun phrase; undefined when it may be.
 * A name is not looked up here: pass each of its addresses.
 */
export function refusedAddress(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (METADATA_NAMES.has(name)) return 'a cloud metadata service';
  const four = ipv4(name);
  if (four !== undefined) return refuseV4(four);
  const six = ipv6(name);
  if (six === undefined) return undefined;
  const inner = embedded(six);
  if (inner !== undefined) return refuseV4(inner);
  const first = six[0] ?? 0;
  if ((first & 0xffc0) === 0xfe80) return 'a link-local address';
  if (METADATA_V6.has(six.map((group) => group.toString(16)).join(':'))) return 'a cloud metadata address';
  return six.every((group) => group === 0) ? 'an unspecified address' : undefined;
}

/**
 * True for `localhost`, 127.0.0.0/8, `::1` and IPv4-mapped forms of the second (brackets allowed): the hosts where http is
 * allowed (V7). Other forms that carry 127.x, such as NAT64, 6to4 and the old compatible one, are sent to a gateway or
 * nowhere (RFC 4291, 2.5.5; RFC 6052; RFC 3056): no loopback.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost') return true;
  const four = ipv4(name);
  if (four !== undefined) return four[0] === 127;
  const six = ipv6(name);
  if (six === undefined) return false;
  const [f = 0, g = 0] = six.slice(5);
  if (six.slice(0, 5).some((group) => group !== 0)) return false;
  return f === 0xffff ? g >> 8 === 127 : f === 0 && g === 0 && six[7] === 1;
}
