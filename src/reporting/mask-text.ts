import { countFeeds, type LineRange, linesOf, offsetsOf } from './line-diff.ts';
import { maskJson } from './mask-json.ts';
import { maskToml } from './mask-toml.ts';
import { maskLines } from './mask-value.ts';

/**
 * The text of a file as the screen may show it, line for line: values of headers and env, of secret-like members and
 * everything that looks like a credential become `[REDACTED]`; references such as `${TOKEN}` stay (contract, section
 * 8). It never fails: what cannot be read as its format is masked line by line. With a range only those lines are masked
 * and given: of a large file a handful is shown, and masking all of it takes ten times as long as editing it.
 */
export function maskText(text: string, path: string, range: LineRange = ALL): string {
  const format = formatOf(path);
  const noKeys = maskPrivateKeys(text);
  if (format === 'lines') return maskLines(linesOf(noKeys, range));
  const { start, end } = offsetsOf(noKeys, range);
  const { masked, at } = format === 'json' ? maskJson(noKeys, start, end) : maskToml(noKeys, start, end);
  // What was masked may begin in a line before and end in one behind.
  const from = countFeeds(noKeys, at, start);
  const lines = countFeeds(noKeys, start, end);
  return linesOf(masked, { from, to: end < noKeys.length ? from + lines : Number.POSITIVE_INFINITY });
}

const ALL: LineRange = { from: 0, to: Number.POSITIVE_INFINITY };

function formatOf(path: string): 'json' | 'toml' | 'lines' {
  const name = path.toLowerCase();
  if (/\.(json[c5]?|code-workspace)$/.test(name)) return 'json';
  return name.endsWith('.toml') ? 'toml' : 'lines';
}

/** A private key over several lines: every line of it goes, the number of lines stays. */
function maskPrivateKeys(text: string): string {
  return text.replace(
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    (block) => block.replace(/[^\r\n]+/g, '[REDACTED]'),
  );
}
