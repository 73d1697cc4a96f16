import type { Remedy } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { table } from './table.ts';
import { wrap } from './text.ts';
import { none } from './theme.ts';
import type { Theme } from './types.ts';

const FEATURES = ['mcp', 'skills', 'hooks', 'permissions', 'instructions'] as const;

export interface RuntimeFacts {
  readonly id: string;
  readonly title: string;
  readonly support: 'tier1' | 'tier2' | 'tier3' | 'none';
  readonly state: 'detected' | 'configured' | 'certified' | 'degraded' | 'unsupported' | 'not-detected';
  readonly reason: string;
  readonly failureClass: string;
  readonly remedy?: Remedy;
  readonly certification: { readonly state: string; readonly at?: string; readonly version?: string };
  readonly features: Readonly<Record<(typeof FEATURES)[number], string>>;
}

export interface RuntimeDetailsView {
  readonly homepage: string;
  readonly files: readonly {
    readonly id: string;
    readonly scope: string;
    readonly paths: readonly string[];
  }[];
  readonly tested: readonly string[];
  readonly afterSetup: string;
  readonly approval: string | null;
  readonly capabilities: readonly {
    readonly id: string;
    readonly state: string;
    readonly reason?: string;
    readonly sources: readonly { readonly mark: string; readonly version?: string | undefined }[];
  }[];
  readonly limits: readonly string[];
  readonly evidence: readonly { readonly claim: string; readonly mark: string; readonly checked: string }[];
}

/** One line per coding tool: those that are here first, as they come. */
export function renderRuntimes(runtimes: readonly RuntimeFacts[], theme: Theme): string {
  const head = ['', 'support', 'mcp', 'skills', 'hooks', 'rules', 'text', 'here'].map((title) =>
    theme.dim(title),
  );
  const rows = runtimes.map((runtime) => [
    theme.bold(runtime.id),
    runtime.support.replace('tier', '').replace('none', none(theme)),
    ...FEATURES.map((feature) => mark(runtime.features[feature], theme)),
    runtime.state === 'not-detected' ? '' : runtime.state,
  ]);
  const legend = `${mark('supported', theme)} yes  ${mark('advisory', theme)} in part  ${mark('unknown', theme)} not known  ${none(theme)} no`;
  return `${table([head, ...rows], 2)}\n\n${legend}\nOne in detail: tenon runtimes <id>\n`;
}

function mark(state: string, theme: Theme): string {
  if (state === 'supported') return theme.ok(theme.glyph.ok);
  if (state === 'advisory') return theme.warn(theme.glyph.warn);
  return state === 'unknown' ? '?' : theme.dim(none(theme));
}

/** `tested with 2.1.197, 2.1.332`: each way of knowing once, with every version that it was known of. */
function restsOn(sources: RuntimeDetailsView['capabilities'][number]['sources']): string {
  const versions = new Map<string, Set<string>>();
  for (const { mark: how, version = '' } of sources) {
    const known = versions.get(how) ?? new Set();
    for (const one of version.split(', ').filter((text) => text !== '')) known.add(one);
    versions.set(how, known);
  }
  return [...versions]
    .map(([how, all]) => (all.size === 0 ? how : `${how} with ${[...all].join(', ')}`))
    .join('; ');
}

/** One line per capability: what it is, what that rests on, and below it what it is like or why it is not more. */
const capabilities = (details: RuntimeDetailsView, theme: Theme): string =>
  details.capabilities
    .map(({ id, state, reason, sources }) => {
      const indent = ' '.repeat(18);
      const head = wrap(
        [state, restsOn(sources)].filter((text) => text !== '').join(', '),
        theme.width,
        indent,
        `  ${mark(state, theme)} ${id.padEnd(13)} `,
      );
      return reason === undefined
        ? head
        : `${head}\n${wrap(printable(reason), theme.width, '      ', '      ')}`;
    })
    .join('\n');

/** `{env:CODEX_HOME|~/.codex}/config.toml` of a spec in words. */
const shownPath = (path: string): string => {
  const [, name, fallback, rest] = /^\{env:([A-Z0-9_]+)\|([^}]*)\}(.*)$/u.exec(path) ?? [];
  return name === undefined ? path : `${fallback ?? ''}${rest ?? ''} (or $${name}${rest ?? ''})`;
};

/** What the evidence of this host says, whatever the tier here rests on. */
const certified = ({ certification: { state, at, version } }: RuntimeFacts): string[] =>
  at === undefined ? [] : [`Certification of ${printable(version ?? '')} at ${at}: ${state}`];

/** Everything that a person needs to know of one tool: files, features, limits, how it is known. */
export function renderRuntime(runtime: RuntimeFacts, details: RuntimeDetailsView, theme: Theme): string {
  const list = (lines: readonly string[]) =>
    lines.map((line) => wrap(printable(line), theme.width, '    ', '  ')).join('\n');
  const section = (title: string, body: string) => (body === '' ? [] : [`${theme.bold(title)}\n${body}`]);
  return `${[
    wrap(`(${runtime.id}) ${details.homepage}`, theme.width, '  ', `${theme.bold(runtime.title)} `),
    [
      wrap(`${runtime.state}: ${printable(runtime.reason)}`, theme.width),
      ...certified(runtime),
      ...(runtime.remedy?.command === undefined ? [] : [theme.accent(runtime.remedy.command)]),
    ].join('\n'),
    ...section('Capabilities', capabilities(details, theme)),
    ...section(
      'Files',
      details.files
        .map(({ scope, paths }) => {
          const text = paths.map(shownPath).join(', ');
          return wrap(text, theme.width, ' '.repeat(11), `  ${scope.padEnd(7)}  `);
        })
        .join('\n'),
    ),
    ...section(
      'After setup',
      list([details.afterSetup, ...(details.approval === null ? [] : [details.approval])]),
    ),
    ...section('Limits', list(details.limits)),
    ...section('Tested with', list(details.tested)),
    ...section(
      'How it is known',
      list(details.evidence.map((one) => `${one.claim}: ${one.mark}, ${one.checked}`)),
    ),
  ].join('\n\n')}\n`;
}
