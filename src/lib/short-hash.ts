/**
 * A text of 14 hex digits for a text: two FNV-1a sums of 28 bits each over its UTF-16 units (RFC draft-eastlake-fnv). Tells
 * texts of one user apart without keeping them; it protects nothing against somebody who makes two that are alike.
 */
export function shortHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x85ebca6b);
  }
  const digits = (sum: number): string => ((sum ^ (sum >>> 15)) >>> 4).toString(16).padStart(7, '0');
  return digits(a) + digits(b);
}
