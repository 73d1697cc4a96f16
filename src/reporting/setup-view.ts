import type { Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { type ChangedFacts, commandLine, renderChanged } from './changed-view.ts';
import { renderNews } from './findings-view.ts';
import { renderPlan } from './plan-view.ts';
import { accentCommands, wrap } from './text.ts';
import { separator } from './theme.ts';
import type { Theme } from './types.ts';

interface LoginLine {
  readonly runtime: string;
  readonly text: string;
}

/** What was found before the plan: coding tools, endpoints, how each logs in. */
export interface SetupFacts {
  /** What was asked for, and the folder that it is for, the home folder as `~`. */
  readonly heading?: {
    readonly command: string;
    readonly names: readonly string[];
    readonly root: string;
    readonly branch?: string | undefined;
  };
  /** The target folder as seen from where the command was started; absent when it was started there (case K04). */
  readonly root?: string;
  readonly runtimes: readonly string[];
  readonly endpoints: readonly {
    readonly url: string;
    readonly status: 'pass' | 'fail' | 'skip' | 'warn';
    readonly message: string;
    readonly ms: number;
    readonly notes: readonly { readonly code: string; readonly message: string }[];
  }[];
  readonly login?: readonly LoginLine[];
}

/** What `setup` and `add` tell at the end. */
export interface SetupView extends SetupFacts {
  readonly title: string;
  readonly names: readonly string[];
  /** The facts were shown before the plan already. */
  readonly isTold?: boolean;
  /** The runtimes of whose files something holds it now. */
  readonly served: readonly string[];
  readonly plan: Plan;
  readonly changed: ChangedFacts;
  readonly next: readonly { readonly runtime: string; readonly text: string }[];
  readonly isDryRun: boolean;
  /** The command line that repeats the run without questions. */
  readonly oneShot: string;
  readonly findings: readonly Finding[];
}

/** Runtimes, endpoints, what was done (or the plan), next steps; the answer stands last. */
export function renderSetup(view: SetupView, theme: Theme): string {
  const sections = [view.isTold === true ? '' : renderFacts(view, theme)];
  if (view.isDryRun) {
    sections.push(renderPlan(view.plan, theme).trimEnd(), 'Nothing was written: this was a dry run.');
    return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
  }
  const wrote = view.changed.files.length > 0;
  // Before a question the plan and its findings were shown already.
  const findings = wrote ? view.changed.findings : view.findings;
  if (findings.length > 0) sections.push(renderNews(findings, theme));
  const isLeft = findings.some(({ code }) => code === 'ownership/removed' || code === 'ownership/drifted');
  sections.push(
    isLeft && !wrote
      ? `${theme.warn(theme.glyph.warn)} Nothing was changed; the above was left as it is.`
      : renderChanged(view.changed, theme),
  );
  if (wrote) {
    sections.push(
      `${theme.bold('Next')}\n${nextLines(view.next, theme)}`,
      `${theme.bold('The same without questions')}\n${commandLine(view.oneShot, theme)}`,
    );
  }
  sections.push(completion(view, theme));
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function nextLines(next: SetupView['next'], theme: Theme): string {
  const width = Math.max(0, ...next.map((step) => step.runtime.length));
  return next
    .map((step, index) => {
      const isSame = next[index - 1]?.runtime === step.runtime;
      const name = (isSame ? '' : printable(step.runtime)).padEnd(width);
      const text = accentCommands(printable(step.text), theme);
      return wrap(text, theme.width, ' '.repeat(width + 5), `  ${name}   `);
    })
    .join('\n');
}

/** Columns of the names before each row of facts. */
const HEAD = 11;

/** How the coding tools log in, one line for those that do it alike. */
export function renderLogin(login: readonly LoginLine[], theme: Theme): string {
  const alike = new Map<string, string[]>();
  for (const { runtime, text } of login) alike.set(text, [...(alike.get(text) ?? []), printable(runtime)]);
  const rows = [...alike].map(([text, runtimes]) => ({ text, name: [...new Set(runtimes)].join(', ') }));
  // Names that leave the text no room to be read beside them stand above it, and make no column for the others.
  const most = theme.width / 2 - HEAD;
  const width = Math.max(0, ...rows.map(({ name }) => name.length).filter((length) => length <= most));
  return rows
    .map(({ name: names, text }, index) => {
      const head = index === 0 ? theme.bold('Login   ') : ' '.repeat(8);
      if (names.length > most) {
        const above = wrap(names, theme.width, ' '.repeat(HEAD), `${head}   `);
        return `${above}\n${wrap(printable(text), theme.width, ' '.repeat(HEAD + 2))}`;
      }
      const name = names.padEnd(width);
      return wrap(printable(text), theme.width, ' '.repeat(width + 13), `${head}   ${name}  `);
    })
    .join('\n');
}

/** Which folder the plan is for. */
export const rootLine = (root: string, theme: Theme): string =>
  `${theme.bold('Root')}       ${printable(root)}`;

/** The coding tools, as many in a line as it has room for. */
function runtimeLines(runtimes: readonly string[], theme: Theme): string[] {
  const lines: string[] = [];
  for (const runtime of runtimes) {
    const longer = `${lines.at(-1) ?? ''}   ${runtime}`;
    if (lines.length > 0 && HEAD + longer.length <= theme.width) lines[lines.length - 1] = longer;
    else lines.push(runtime);
  }
  const head = theme.bold('Runtimes');
  return lines.length === 0
    ? [`${head}   `]
    : lines.map((line, at) => `${at === 0 ? head : ' '.repeat(8)}   ${line}`);
}

/** Coding tools, endpoints and logins, before the plan. */
export function renderFacts(view: SetupFacts, theme: Theme): string {
  const rows = [
    ...(view.root === undefined ? [] : [rootLine(view.root, theme)]),
    ...runtimeLines(view.runtimes, theme),
  ];
  const longest = Math.max(0, ...view.endpoints.map(({ url }) => printable(url).length));
  const column = longest > theme.width / 2 ? 0 : longest;
  for (const [index, endpoint] of view.endpoints.entries()) {
    const head = index === 0 ? theme.bold('Endpoint') : ' '.repeat(8);
    rows.push(
      wrap(
        printable(endpoint.message),
        theme.width,
        ' '.repeat(13),
        `${head}   ${printable(endpoint.url).padEnd(column)}  `,
      ),
    );
    for (const note of endpoint.notes) {
      rows.push(
        wrap(
          printable(note.message),
          theme.width,
          ' '.repeat(13),
          `${' '.repeat(11)}${theme.warn(theme.glyph.warn)} `,
        ),
      );
    }
  }
  if (view.login !== undefined && view.login.length > 0) rows.push(renderLogin(view.login, theme));
  const { heading } = view;
  if (heading === undefined) return rows.join('\n');
  const title = theme.bold(printable(['tenon', heading.command, ...heading.names].join(' ')));
  const branch = heading.branch === undefined ? '' : theme.dim(` (branch ${printable(heading.branch)})`);
  return `${title} ${separator(theme)} ${printable(heading.root)}${branch}\n\n${rows.join('\n')}`;
}

/** The sentence of the VERA contract, and what it stands on: a connection that nobody saw is not claimed. */
function completion(view: SetupView, theme: Theme): string {
  if (view.changed.files.length === 0) return '';
  const tested =
    view.endpoints.length === 0
      ? 'files; connection not seen yet'
      : view.endpoints.some((endpoint) => endpoint.status === 'skip')
        ? 'files; endpoint not checked, connection not seen yet'
        : 'files and endpoint; connection not seen yet';
  const name = printable(view.title);
  const kept = view.runtimes.filter((runtime) => !view.served.includes(runtime));
  const lines = [
    ...(view.served.length === 0
      ? []
      : [`${theme.bold(`${name} setup completed for ${view.served.join(', ')}`)} (${tested})`]),
    ...(kept.length === 0
      ? []
      : [`${name} is not set up for ${kept.join(', ')}: what stands there was kept`]),
  ];
  return lines.map((line) => wrap(line, theme.width)).join('\n');
}
