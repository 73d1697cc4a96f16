import { formatOf } from '../formats/index.ts';
import type { Json } from '../lib/json.ts';
import { fillTemplate } from '../runtimes/dialect.ts';
import { type GateData, hashOf } from '../runtimes/gates.ts';
import { type PathBase, resolvePath } from '../runtimes/paths.ts';
import { filesOn, memberPath } from '../runtimes/places.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { serversIn } from '../runtimes/servers.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, Writer } from '../system/ports.ts';

/** How far the scenario's user consents. */
export type Consent =
  /** trusts the folder */
  | { readonly kind: 'folder' }
  /** approves one server of the project as it stands */
  | { readonly kind: 'server'; readonly name: string };

/**
 * Writes into the scratch home what a client keeps when its user trusts a folder or approves a server, at the places that
 * the spec's gates name. Never used on a user's home: tenon grants nothing for anybody. Gives the files, in words; empty
 * where the client asks nothing of the kind. Formats must be loaded.
 */
export function consentIn(
  spec: RuntimeSpec,
  consent: Consent,
  base: PathBase,
  writer: Writer,
): readonly string[] {
  const gate = gateFor(spec, consent);
  if (gate === undefined) return [];
  const file = spec.files[gate.file];
  if (file === undefined) return [];
  const { abs, display } = resolvePath(filesOn(file, base.platform).create, base);
  const server = consent.kind === 'server' ? consent.name : '';
  const bytes = base.reader.readFile(abs);
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  const format = formatOf(file.format);
  const parsed = format.parse(text);
  const document = parsed.ok ? parsed.value : undefined;
  const path = memberPath(gate.at, { server }, base.root, base.platform, document);
  const value = decided(spec, gate, server, base);
  if (value === undefined) return [];
  const isItem =
    gate.kind === 'on-list' ||
    (gate.kind === 'trust' && !gate.at.includes('{root}') && gate.value === '{root}');
  const place = isItem ? ({ kind: 'item', path, value } as const) : ({ kind: 'key', path } as const);
  const edit = format.insert(text, place, value, {
    ...(file.skeleton === undefined ? {} : { skeleton: file.skeleton as Json }),
  });
  if (!edit.ok) throw new Error(`${display}: ${edit.fault.message}`);
  replace(abs, edit.value.text, bytes !== undefined, base, writer);
  return [display];
}

/** The gate in a file of the home folder: a project's own file says nothing of its user. */
function gateFor(spec: RuntimeSpec, consent: Consent): GateData | undefined {
  const inHome = spec.gates.filter(({ file }) => /^[~{]/u.test(spec.files[file]?.create ?? ''));
  if (consent.kind === 'folder') {
    return inHome.find(
      ({ kind, at, value }) => kind === 'trust' && (at.includes('{root}') || value === '{root}'),
    );
  }
  return inHome.find(({ kind }) => kind === 'on-list' || kind === 'decision');
}

function decided(spec: RuntimeSpec, gate: GateData, server: string, base: PathBase): Json | undefined {
  if (gate.kind === 'on-list') return server;
  if (gate.decision === undefined) return fillTemplate(gate.value ?? true, { root: base.root, server });
  const { status, approved, hash, omits } = gate.decision;
  const entry = entryOf(spec, server, base);
  return entry === undefined ? undefined : { [hash]: hashOf(entry, omits), [status]: approved };
}

/** The entry of a server as it stands in the project's file. */
function entryOf(spec: RuntimeSpec, server: string, base: PathBase): Json | undefined {
  const place = spec.mcp?.places.find(({ scope }) => scope === 'project');
  const file = place === undefined ? undefined : spec.files[place.file];
  if (file === undefined) return undefined;
  for (const template of filesOn(file, base.platform).paths) {
    const bytes = base.reader.readFile(resolvePath(template, base).abs);
    if (bytes === undefined) continue;
    const parsed = formatOf(file.format).parse(new TextDecoder().decode(bytes));
    const document = parsed.ok ? parsed.value : undefined;
    const own = serversIn(spec, 'project', document, base.root, base.platform).find(
      ({ name }) => name === server,
    );
    if (own !== undefined) return own.entry;
  }
  return undefined;
}

function replace(path: AbsPath, text: string, exists: boolean, base: PathBase, writer: Writer): void {
  const paths = pathsOf(base.platform);
  const missing: AbsPath[] = [];
  for (let at = paths.dirname(path); base.reader.stat(at) === undefined; at = paths.dirname(at))
    missing.unshift(at);
  for (const folder of missing) writer.makeDir(folder, 0o700);
  if (exists) writer.remove(path);
  writer.createExclusive(path, new TextEncoder().encode(text), 0o600);
}
