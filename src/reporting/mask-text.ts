import { maskJson } from './mask-json.ts';
import { maskToml } from './mask-toml.ts';
import { maskLines } from './mask-value.ts';

/**
 * The text of a file as the screen may show it, line for line: values of headers and env, of secret-like members and
 * everything that looks like a credential become `[REDACTED]`; references such as `${TOKEN}` stay (contract, section
 * 8). It never fails: what cannot be read as its format is masked line by line.
 */
export function maskText(text: string, path: string): string {
  const format = formatOf(path);
  const noKeys = maskPrivateKeys(text);
  if (format === 'json') return maskJson(noKeys);
  return format === 'toml' ? maskToml(noKeys) : maskLines(noKeys);
}

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
