import type { RuntimeId } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { ResolvedPath } from '../system/path-template.ts';
import { coverReaders } from './cover.ts';
import { fillText } from './dialect.ts';
import { canonicalPath, resolvePath } from './paths.ts';
import {
  type Draft,
  type Drafts,
  type Of,
  plainRules,
  qualify,
  type RenderInput,
  runtimesFor,
  textOf,
  withheld,
} from './render-types.ts';

interface Reading {
  readonly id: RuntimeId;
  readonly folders: readonly ResolvedPath[];
}

/**
 * A skill as whole files, written once for as many runtimes as read the same folder: several of them read each other's
 * folders, and a copy in each would show the skill twice. Linked folders count by their real path (case E08).
 */
export function renderSkill(one: Of<'skill'>, input: RenderInput): Drafts {
  const findings: Finding[] = [];
  const readers: Reading[] = [];
  for (const spec of runtimesFor(one, input.specs)) {
    const gate = qualify(one, spec, spec.skills, 'skills');
    findings.push(...gate.findings);
    if (!gate.ok || spec.skills === undefined) continue;
    const paths = spec.skills.places
      .filter(({ scope }) => scope === input.scope)
      .map(({ path }) => resolvePath(fillText(path, { name: one.artifact.skill }), input));
    const usable = paths.filter((path) => path.problem?.severity !== 'error');
    if (usable.length > 0) {
      const real = usable.map((path) => canonicalPath(path, input));
      const folders = [...new Map(real.map((folder) => [folder.display, folder])).values()];
      readers.push({ id: spec.id, folders });
    } else if (paths[0]?.problem !== undefined) findings.push(paths[0].problem);
    else {
      const reason = `it reads no skills of scope ${input.scope}`;
      findings.push(withheld(one, spec.id, 'render/scope-unsupported', reason));
    }
  }
  if (readers.length === 0) return { drafts: [], findings };
  const files = skillFiles(one);
  if (typeof files === 'string') {
    findings.push(...readers.map(({ id }) => withheld(one, id, 'render/not-text', files)));
    return { drafts: [], findings };
  }
  const folders = new Map(
    readers.flatMap((reader) => reader.folders.map((folder) => [folder.display, folder])),
  );
  const chosen = coverReaders(
    readers.map(({ id, folders: own }) => ({ id, places: own.map((folder) => folder.display) })),
  );
  for (const { id, folders: own } of readers) {
    const copies = own.filter((folder) => chosen.includes(folder.display));
    if (copies.length < 2) continue;
    const names = copies.map((folder) => folder.display).join(' and ');
    const message = `${id} reads ${names} and shows the skill ${one.artifact.skill} twice`;
    findings.push({ code: 'render/read-twice', severity: 'info', subject: id, message });
  }
  const drafts: Draft[] = [];
  for (const key of chosen) {
    const folder = folders.get(key);
    if (folder === undefined) continue;
    const runtimes = readers.filter(({ folders: own }) => own.some(({ display }) => display === key));
    for (const [path, text] of files) {
      drafts.push({
        owner: one.owner,
        runtimes: runtimes.map(({ id }) => id),
        scope: input.scope,
        target: { path: `${folder.display}/${path}`, format: 'whole', place: { kind: 'file' } },
        value: text,
        class: text.startsWith('#!') ? 'executes' : 'instructs',
        rules: plainRules,
        switches: [],
        summary: `skill ${one.artifact.skill}`,
        order: 'normal',
      });
    }
  }
  return { drafts, findings };
}

/** Paths below the skill's folder with their text, or why it cannot be written. */
function skillFiles(one: Of<'skill'>): ReadonlyMap<string, string> | string {
  const prefix = `${one.artifact.folder.replace(/\/+$/u, '')}/`;
  const files = new Map<string, string>();
  for (const [path, bytes] of one.files) {
    if (!path.startsWith(prefix)) continue;
    const text = textOf(bytes);
    if (text === undefined) return `${path} is no UTF-8 text`;
    files.set(path.slice(prefix.length), text);
  }
  return files.has('SKILL.md') ? files : `${prefix}SKILL.md is missing`;
}
