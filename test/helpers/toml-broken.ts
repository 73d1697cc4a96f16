import fc from './fc.ts';
import { textOf, tomlDocument } from './toml-documents.ts';

/** Pieces of the syntax, for texts that are rarely TOML. */
export const tomlToken = fc.constantFrom(
  '[',
  ']',
  '[[',
  ']]',
  '{',
  '}',
  '=',
  ',',
  '.',
  '#',
  '"',
  "'",
  '"""',
  "'''",
  '\n',
  '\r\n',
  '\r',
  ' ',
  'a',
  'b',
  'mcp_servers',
  'vera',
  '1',
  '0x',
  '-',
  'true',
  '\\',
  '\0',
  '\u00e9',
  '1979-05-27',
  '<<<<<<< a\n',
  '>>>>>>> b\n',
);

/** Any text, and documents with a few characters exchanged. */
export const noisyToml = fc.oneof(
  fc.array(tomlToken, { maxLength: 14 }).map((parts) => parts.join('')),
  fc.tuple(tomlDocument, fc.nat(), fc.nat(3), tomlToken).map(([document, at, length, noise]) => {
    const whole = textOf(document);
    const offset = at % (whole.length + 1);
    return whole.slice(0, offset) + noise + whole.slice(offset + length);
  }),
);

const name = fc.constantFrom('a', 'b', 'c', '"a"', "'b'", '"\\u0061"', '""', '__proto__', '0', ' a ');
const key = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));

/** Values, those that TOML knows and those that it just does not. */
const scalar = fc.constantFrom(
  ...['1', '+1', '-0', '00', '01', '+01', '1_000', '1__0', '_1', '1_', '0x1F', '0xg', '+0x1', '0b12', '0o7'],
  ...['0x', '1.', '.1', '1.5e+3', '1e', '1.e1', '1e1_0', '1E5', '0e0', 'inf', '-nan', '+inf', 'infx', 'nan1'],
  ...['9223372036854775807', '-9223372036854775808', 'true', 'truex', 'True', 'fals', 'x', '!', ''],
  ...['1979-05-27', '1979-02-29', '2000-02-29', '1900-02-29', '1979-13-01', '1979-00-10', '1979-04-31'],
  ...['1979-05-27T07:32:00Z', '1979-05-27 07:32', '1979-05-27T07:32:00.5+01:00', '1979-05-27T24:00:00Z'],
  ...['1979-05-27T', '1979-05-27T7:32', '1979-05-27 7', '07:32:00', '07:32', '07:32:00.', '7:32', '25:00:00'],
  ...['1979-05-27T07:32:00+24:00', '1979-05-27T07:32:00+1:00', '07:32:00Z', '1979-5-27', '12345-01-01'],
  ...[
    '"a"',
    '"',
    '"a',
    "'a'",
    "'a",
    '"\\b\\t\\n\\f\\r\\e\\"\\\\"',
    '"\\q"',
    '"\\x41"',
    '"\\x4"',
    '"\\u0041"',
  ],
  ...[
    '"\\ud800"',
    '"\\U00110000"',
    '"\\U0001F600"',
    '"\\u12"',
    '"a\nb"',
    "'a\nb'",
    '"\t"',
    '"\u0001"',
    "'\u007f'",
  ],
  ...[
    '"""a"""',
    '"""\na\r\nb"""',
    '""""a""""',
    '"""""a"""""',
    '""""""a"""',
    '"""a""""""',
    '""""""',
    "'''a'''",
  ],
  ...["''''a''''", "'''''''", '"""a \\\n  b"""', '"""a \\ b"""', '"""a \\  \n b"""', '"""\\', '"""a', "'''a"],
  ...[
    '"é"',
    '"😀"',
    '"a" "b"',
    '1 2',
    '1 # c',
    '1 # \u0001',
    '"a"# c',
    '1#c',
    '= 1',
    '[[1]',
    '{',
    '}',
    ']',
    ',',
  ],
);

const { value } = fc.letrec<{ value: string }>((tie) => {
  const inner = tie('value');
  const gap = fc.constantFrom('', '', ' ', '\n', ' # c\n', '\r\n', ',', ' , ');
  const items = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(gap, fc.array(item, { maxLength: 3 }), fc.constantFrom(',', ', ', ' ,\n', ' '), gap)
      .map(([before, parts, between, after]) => before + parts.join(between) + after);
  const member = fc.tuple(key, fc.constantFrom(' = ', '=', ' =\n', ''), inner).map((parts) => parts.join(''));
  return {
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 5, arbitrary: scalar },
      { weight: 1, arbitrary: items(inner).map((text) => `[${text}]`) },
      { weight: 1, arbitrary: items(member).map((text) => `{${text}}`) },
    ),
  };
});

const good = fc.constantFrom('1', '"x"', '[1, 2]', '{ a = 1 }', '{ a.b = 1, a.c = 2 }', "'''\n#\n'''");

const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(key, good).map(([left, right]) => `${left} = ${right}`) },
  { weight: 1, arbitrary: fc.tuple(key, value).map(([left, right]) => `${left} = ${right}`) },
  { weight: 3, arbitrary: key.map((text) => `[${text}]`) },
  { weight: 2, arbitrary: key.map((text) => `[[${text}]]`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['# c', '', ' ', '\t# c', '[a', 'a]', '[[a]', '[ [a]]', '[[a] ]', '[]', '[.a]', '[a.]', '[a..b]'],
      ...[
        '.a = 1',
        'a. = 1',
        'a..b = 1',
        'a',
        'a b = 1',
        '= 1',
        'a = ',
        '"""a""" = 1',
        'é = 1',
        '[a] x',
        '[a] # c',
      ],
      ...[
        '[a]b = 1',
        'a = 1 b = 2',
        '"a\nb" = 1',
        '[a\n]',
        '#\u0001',
        '#\u007f',
        '#é',
        '\u00a0',
        '\ufeff',
        '\u0085',
      ],
    ),
  },
);

/** Documents of few names, so that what is defined twice and what only may be are about as frequent. */
export const brokenToml = fc.oneof(
  noisyToml,
  fc
    .tuple(fc.array(line, { maxLength: 5 }), fc.constantFrom('\n', '\n', '\r\n'), fc.boolean())
    .map(([lines, eol, isClosed]) => lines.join(eol) + (isClosed ? eol : '')),
  value.map((text) => `x = ${text}\n`),
);
