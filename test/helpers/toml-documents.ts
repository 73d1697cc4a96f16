import fc from './fc.ts';

/**
 * A random TOML document as a list of whole-line blocks (LF), so that lines can be put between them without breaking a
 * value. Every key and table name is used once.
 */
export interface TomlDocument {
  readonly blocks: readonly string[];
  readonly eol: '\n' | '\r\n';
  readonly hasFinalEol: boolean;
}

const VALUES = [
  '1',
  '30.0',
  '0x1F',
  '9223372036854775807',
  'true',
  '"a \\" # b"',
  "'C:\\x'",
  '"""\n[not.a.table]\n# no comment\n"""',
  "'''\n\n'''",
  '[1, 2]',
  '[\n  "a", # one\n  "b",\n]',
  '[ ]',
  '{ a = 1, b = { c = [] } }',
  '{}',
  '1979-05-27T07:32:00Z',
  '07:32:00',
];

const value = fc.constantFrom(...VALUES);
const note = fc.constantFrom('', '', ' # note', '   ');
const filler = fc.constantFrom<string>('', '# comment', '  # indented', '#', '', '\t');

type Draft = 'pair' | 'dotted' | 'table' | 'array' | 'server' | 'sub' | 'feature' | 'switch';
const draft = fc.record({
  kind: fc.constantFrom<Draft>(
    'pair',
    'pair',
    'dotted',
    'table',
    'array',
    'server',
    'sub',
    'feature',
    'switch',
  ),
  value,
  note,
  fillers: fc.array(filler, { maxLength: 2 }),
  indent: fc.constantFrom('', '', '  '),
});

const servers = fc.constantFrom<string[]>(
  [],
  ['[mcp_servers]'],
  ['[mcp_servers] # mine', 'a.command = "x"'],
  ['mcp_servers.a.command = "x"'],
  ['mcp_servers = {}'],
  ['mcp_servers = { }'],
  ['mcp_servers = { a = {} }'],
  ['mcp_servers = {a={command="x"},} # mine'],
  ['mcp_servers = {', '  a = {},', '}'],
);

/** Any document; `features` and `mcp_servers.vera` are free in each. */
export const tomlDocument: fc.Arbitrary<TomlDocument> = fc
  .record({
    servers,
    drafts: fc.array(draft, { maxLength: 7 }),
    eol: fc.constantFrom('\n' as const, '\r\n' as const),
    hasFinalEol: fc.boolean(),
    head: fc.array(filler, { maxLength: 3 }),
  })
  .map(({ servers: form, drafts, head, eol, hasFinalEol }) => {
    const isRoot = form[0] !== undefined && !form[0].startsWith('[');
    const isInline = form[0]?.startsWith('mcp_servers = ') ?? false;
    const blocks = [...head];
    if (isRoot) blocks.push(form.join('\n'));
    drafts.forEach((part, index) => {
      const { indent } = part;
      const table = {
        pair: undefined,
        dotted: undefined,
        table: `[t${index}]`,
        array: `[[arr${index > 3 ? 1 : 0}]]`,
        server: isInline ? `[z${index}]` : `[mcp_servers.s${index}]`,
        sub: `[ "p${index}" . q ]`,
        feature: `[features.f${index}]`,
        switch: undefined,
      }[part.kind];
      if (table !== undefined) blocks.push(`${indent}${table}${part.note}`);
      const key = { dotted: `d${index}.x`, switch: `features.s${index}` }[part.kind as string] ?? `k${index}`;
      blocks.push(`${indent}${key} = ${part.value}${part.note}`, ...part.fillers);
    });
    if (!isRoot && form.length > 0) blocks.push(...form);
    return { blocks, eol, hasFinalEol };
  });

/** The text of a document, with further blocks put before the block of an index. */
export function textOf(document: TomlDocument): string {
  const text = document.blocks.map((block) => `${block}\n`).join('');
  const closed = document.hasFinalEol ? text : text.replace(/\n$/, '');
  return closed.replaceAll('\n', document.eol);
}

/** Offsets between the blocks where a line can be put: `0`, after each block that ends with a line end. */
export function seams(document: TomlDocument): number[] {
  const offsets = [0];
  const text = textOf(document);
  for (const block of document.blocks) {
    const end = (offsets.at(-1) ?? 0) + block.replaceAll('\n', document.eol).length + document.eol.length;
    if (end <= text.length) offsets.push(end);
  }
  return offsets;
}
