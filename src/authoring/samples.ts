import type { RuntimeSpec } from '../runtimes/schema.ts';

/** A repository as memory: path below its root -> text. */
export type Sample = Readonly<Record<string, string>>;

/**
 * Repositories to rehearse in: an empty one, and two in which the coding tool's own files are in use, with a layout of
 * their own (four spaces, comments where the tool takes them, no final newline; the other one with CRLF).
 */
export function samplesFor(spec: RuntimeSpec): Readonly<Record<string, Sample>> {
  const used = filesInUse(spec);
  const withCrlf = Object.entries(used).map(([path, text]) => [path, `${text.replaceAll('\n', '\r\n')}\r\n`]);
  return { empty: {}, 'in use': used, 'in use, CRLF': Object.fromEntries(withCrlf) };
}

function filesInUse(spec: RuntimeSpec): Sample {
  const sample: Record<string, string> = { 'README.md': '# Sample\n' };
  for (const [id, file] of Object.entries(spec.files)) {
    const path = file.create;
    if (file.scope !== 'project' || /[~{}]/.test(path)) continue;
    const place = spec.mcp?.places.find((one) => one.file === id && one.scope === 'project');
    const container = place?.at.slice(0, -1);
    if (file.format === 'json') sample[path] = jsonText(container, file.reads !== 'strict');
    if (file.format === 'toml') sample[path] = tomlText(container);
    if (file.format === 'markdown') sample[path] = '# Rules\n\nKeep answers short.';
  }
  return sample;
}

function jsonText(container: readonly string[] | undefined, takesComments: boolean): string {
  const comment = takesComments ? '    // kept by hand\n' : '';
  if (container === undefined || container.some((key) => /[{}]/.test(key))) return `{\n${comment}}`;
  const [outer, ...inner] = container;
  const entries = '{\n        "neighbour": { "command": "neighbour-mcp" }\n    }';
  const value = inner.reduceRight((text, key) => `{ ${JSON.stringify(key)}: ${text} }`, entries);
  return `{\n${comment}    ${JSON.stringify(outer)}: ${value}\n}`;
}

const tomlText = (container: readonly string[] | undefined): string =>
  container === undefined
    ? '# kept by hand'
    : `# kept by hand\n\n[${container.join('.')}.neighbour]\ncommand = "neighbour-mcp" # ours`;
