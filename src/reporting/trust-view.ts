import type { Json } from '../lib/json.ts';
import { printable, printableLines } from '../lib/printable.ts';
import type { TrustItem } from '../trust/item.ts';
import type { Grant } from '../trust/store.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

/** A longer text is bound in full and shown in part; the view says so. */
const MAX_SHOWN = 20_000;

/** Everything that a grant for these items would bind, grouped by integration; every foreign text escaped. */
export function renderTrustItems(items: readonly TrustItem[], theme: Theme): string {
  const groups = new Map<string, TrustItem[]>();
  for (const item of items) groups.set(item.integration, [...(groups.get(item.integration) ?? []), item]);
  const parts = [...groups].map(([integration, own]) => {
    const [first] = own;
    const head =
      first?.kind === 'choices'
        ? `bundled, with choices from ${printable(first.source)}`
        : `from ${printable(first?.source ?? '')}, definition ${first?.definition ?? ''}`;
    return [
      `${theme.bold(printable(integration))}  ${head}`,
      ...own.map((one) => renderItem(one, theme)),
    ].join('\n\n');
  });
  return `${parts.join('\n\n')}\n`;
}

function renderItem(item: TrustItem, theme: Theme): string {
  const title = item.kind === 'choices' ? 'inputs and overrides' : printable(item.artifact);
  const runtimes = item.runtimes.length === 0 ? 'no coding tool' : item.runtimes.map(printable).join(', ');
  const lines = [`  ${theme.bold(title)}  ${theme.accent(item.class)}  ${runtimes}, scope ${item.scope}`];
  if (item.address !== '') lines.push(row('into', printable(item.address)));
  if (item.launch.length > 0) lines.push(row('runs', item.launch.map(shownWord).join(' ')));
  lines.push(row('value', shownValue(item.value)));
  if (item.executable) lines.push(row('mode', 'executable'));
  for (const { path, print } of item.files)
    lines.push(row('binds', `${printable(path)}  ${print ?? 'not bound'}`));
  for (const note of item.notes) lines.push(row('note', theme.warn(printable(note))));
  lines.push(row('digest', item.digest));
  return lines.join('\n');
}

const row = (name: string, text: string): string =>
  `    ${name.padEnd(7)} ${text.split('\n').join(`\n${' '.repeat(12)}`)}`;

/** A word of a launch; quoted where its ends would not be seen. */
const shownWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : printable(JSON.stringify(word));

function shownValue(value: Json): string {
  const text =
    typeof value === 'string' && value.includes('\n')
      ? value
      : JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? one.toString() : one), 2);
  const shown = printableLines(text.slice(0, MAX_SHOWN));
  return text.length <= MAX_SHOWN
    ? shown
    : `${shown}\n… ${text.length - MAX_SHOWN} more characters, bound as well: read the file before you trust it`;
}

export interface TrustView {
  readonly granted: number;
  /** What was trusted before this run. */
  readonly known: number;
  readonly integrations: readonly string[];
  readonly isSetUp: boolean;
}

/** The result of `tenon trust`. */
export function renderTrusted(view: TrustView, theme: Theme): string {
  const good = theme.ok(theme.glyph.ok);
  if (view.granted > 0) {
    return `${good} ${plural(view.granted, 'item is', 'items are')} trusted on this host, exactly as shown.\n`;
  }
  if (view.known > 0)
    return `${good} Everything from this repository that is set up here is trusted already.\n`;
  return view.isSetUp
    ? 'Nothing that is set up here comes from the repository: there is nothing to trust.\n'
    : 'Nothing is set up here, and no integration was named.\n';
}

/** `tenon trust --list`. */
export function renderGrants(
  roots: readonly { readonly root: string; readonly grants: readonly Grant[] }[],
  theme: Theme,
): string {
  const shown = roots.filter(({ grants }) => grants.length > 0);
  if (shown.length === 0) return 'Nothing is granted.\n';
  const parts = shown.map(({ root, grants }) =>
    [theme.bold(printable(root)), ...grants.map((grant) => `  ${grantLine(grant)}`)].join('\n'),
  );
  return `${parts.join('\n\n')}\n`;
}

export const grantId = ({ digest }: Pick<Grant, 'digest'>): string => digest.slice('sha256:'.length, 19);

function grantLine(grant: Grant): string {
  const what = grant.artifact === '' ? 'inputs and overrides' : grant.artifact;
  const where = grant.address === '' ? grant.runtimes.join(', ') : grant.address;
  const how = grant.via === 'setup' ? 'typed at setup' : 'reviewed';
  return printable(`${grantId(grant)}  ${grant.integration} ${what}  ${grant.class}  ${where}  ${how}`);
}

/** `tenon trust --revoke`; `here` are the integrations that are set up, or of which something is recorded as written. */
export function renderRevoked(gone: readonly Grant[], here: ReadonlySet<string>, theme: Theme): string {
  if (gone.length === 0) return 'Nothing was granted here.\n';
  const namesOf = (grants: readonly Grant[]): string[] =>
    [...new Set(grants.map(({ integration }) => integration.replace(/^add:/, '')))].map(printable);
  const names = namesOf(gone);
  const written = namesOf(gone.filter(({ integration }) => here.has(integration)));
  return `${[
    `${theme.ok(theme.glyph.ok)} ${plural(gone.length, 'grant')} taken back; nothing new of ${names.join(', ')} is written here.`,
    ...(written.length === 0 ? [] : ['What is written already stays. Take it out with']),
    ...written.map((name) => `  ${theme.accent(`tenon uninstall ${name}`)}`),
  ].join('\n')}\n`;
}
