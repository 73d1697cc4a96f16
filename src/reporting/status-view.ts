import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderNews } from './findings-view.ts';
import { table } from './table.ts';
import { accentCommands, wrap } from './text.ts';
import type { Theme } from './types.ts';

type Lists = Readonly<
  Record<
    | 'managed' | 'missing' | 'drifted' | 'stale' | 'external' | 'adoptable'
    | 'excluded' | 'conflicts' | 'untrusted' | 'shadowed' | 'disabled',
    readonly string[]
  >
>; // biome-ignore format: a word list

export interface StatusView {
  readonly state: 'ok' | 'attention' | 'blocked' | 'not-set-up';
  readonly integrations: readonly {
    readonly integration: string;
    readonly version: string;
    readonly scope: string;
    readonly runtimes: readonly string[];
    readonly without: readonly string[];
  }[];
  readonly runtimes: Readonly<
    Record<
      string,
      {
        readonly scopes: Partial<Record<string, Lists & { readonly status: string }>>;
        readonly tier?: { readonly state: string };
      }
    >
  >;
  readonly findings: readonly Finding[];
  /** What `--runtime` named; empty = every one. */
  readonly asked?: readonly string[];
}

const WORDS: Readonly<Record<keyof Lists, string>> = {
  managed: 'as written',
  missing: 'missing',
  drifted: 'edited by hand',
  // Of an older definition, or of none any more; a finding tells the second.
  stale: 'out of date',
  external: 'yours, equal to ours',
  adoptable: 'adoptable',
  excluded: 'left out on purpose',
  conflicts: 'in conflict',
  untrusted: 'not trusted',
  shadowed: 'shadowed',
  disabled: 'switched off',
};
/** Lists whose addresses are shown one by one; the others are only counted. */
const NAMED: readonly (keyof Lists)[] = [
  'conflicts',
  'untrusted',
  'missing',
  'drifted',
  'stale',
  'shadowed',
  'disabled',
];

const ANSWER: Readonly<Record<StatusView['state'], string>> = {
  ok: 'Everything is as written.',
  attention: 'Something needs attention.',
  blocked: 'Something is blocked.',
  'not-set-up': 'Nothing is set up here. Start with tenon setup <integration>.',
};

/** What is set up, how it stands per coding tool and scope, what needs attention, and the answer last. */
export function renderStatus(view: StatusView, theme: Theme): string {
  const sections: string[] = [];
  if (view.integrations.length > 0) {
    sections.push(
      table(
        view.integrations.map((one) => [
          theme.bold(printable(one.integration.replace(/^add:/, ''))),
          one.version,
          one.scope,
          one.runtimes.join(' '),
          one.without.length === 0 ? '' : `without ${one.without.join(', ')}`,
        ]),
        2,
      ),
    );
  }
  const order = view.integrations.flatMap(({ runtimes }) => runtimes);
  const place = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  const runtimes = Object.entries(view.runtimes).sort(([a], [b]) => place(a) - place(b));
  const rows = runtimes.flatMap(([runtime, { scopes, tier }]) =>
    Object.entries(scopes).flatMap(([scope, lists]) =>
      lists === undefined
        ? []
        : [[runtime, scope, statusGlyph(lists.status, theme), counts(lists), theme.dim(tier?.state ?? '')]],
    ),
  );
  if (rows.length > 0) sections.push(table(rows, 2));
  const named = namedAddresses(view, theme);
  if (named !== '') sections.push(named);
  if (view.findings.length > 0) sections.push(renderNews(view.findings, theme));
  const text = accentCommands(answer(view), theme);
  sections.push(wrap(text, theme.width, '  ', `${stateGlyph(view.state, theme)} `));
  return `${sections.join('\n\n')}\n`;
}

const answer = ({ state, asked = [] }: StatusView): string =>
  state === 'not-set-up' && asked.length > 0
    ? `Nothing is set up here for ${asked.join(', ')}.`
    : ANSWER[state];

const counts = (lists: Lists): string =>
  (Object.keys(WORDS) as (keyof Lists)[])
    .filter((name) => lists[name].length > 0)
    .map((name) => `${lists[name].length} ${WORDS[name]}`)
    .join(', ');

/** Addresses that need attention and that no finding tells of. */
function namedAddresses(view: StatusView, theme: Theme): string {
  const told = new Set(view.findings.map(({ subject }) => subject));
  const lines = new Map<string, string>();
  for (const { scopes } of Object.values(view.runtimes)) {
    for (const lists of Object.values(scopes)) {
      for (const name of NAMED) {
        for (const address of lists?.[name] ?? []) {
          if (told.has(address)) continue;
          lines.set(`${name} ${address}`, namedLine(name, printable(address), theme));
        }
      }
    }
  }
  return [...lines.values()].join('\n');
}

function namedLine(name: keyof Lists, address: string, theme: Theme): string {
  // Switched off is somebody's choice, not a fault.
  const glyph = name === 'disabled' ? theme.dim(theme.glyph.dot) : theme.warn(theme.glyph.warn);
  const line = `  ${glyph} ${address}  ${theme.dim(WORDS[name])}`;
  if (name === 'stale') return `${line}\n    tenon sync updates it`;
  const way = { drifted: 'force', missing: 'restore' }[name as string];
  if (way === undefined) return line;
  return `${line}\n    tenon sync leaves it; this brings ours back:\n    ${theme.accent(`tenon sync --${way} '${address}'`)}`;
}

function statusGlyph(status: string, theme: Theme): string {
  if (status === 'ok') return theme.ok(theme.glyph.ok);
  return status === 'blocked' ? theme.fail(theme.glyph.fail) : theme.warn(theme.glyph.warn);
}

const stateGlyph = (state: StatusView['state'], theme: Theme): string =>
  state === 'not-set-up' ? theme.accent(theme.glyph.dot) : statusGlyph(state, theme);
