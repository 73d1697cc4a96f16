import type { Place } from '../formats/format.ts';
import type { Json } from '../lib/json.ts';
import { chooseFile } from './places.ts';
import { type Drafts, type Of, type RenderInput, rulesOf, runtimesFor, withheld } from './render-types.ts';

/** A setting of one runtime in one of its own files; nothing when that runtime is not chosen. */
export function renderSetting(one: Of<'setting'>, input: RenderInput): Drafts {
  const { artifact } = one;
  const spec = runtimesFor(one, input.specs).find(({ id }) => id === artifact.runtime);
  if (spec === undefined) return { drafts: [], findings: [] };
  const file = spec.files[artifact.file];
  if (file === undefined || file.scope === 'managed') {
    const reason = `its spec names no file ${artifact.file}`;
    return { drafts: [], findings: [withheld(one, spec.id, 'render/unknown-file', reason)] };
  }
  if (file.scope !== input.scope) {
    const reason = `${artifact.file} is a file of scope ${file.scope}`;
    return { drafts: [], findings: [withheld(one, spec.id, 'render/scope-unsupported', reason)] };
  }
  const choice = chooseFile(file, artifact.at, input);
  if ('problem' in choice) return { drafts: [], findings: [choice.problem] };
  const value = artifact.value as Json;
  const place: Place =
    artifact.place === 'item'
      ? { kind: 'item', path: artifact.at, value }
      : { kind: 'key', path: artifact.at };
  return {
    findings: choice.findings,
    drafts: [
      {
        owner: one.owner,
        runtimes: [spec.id],
        scope: input.scope,
        target: { path: choice.path.display, format: file.format, place },
        value,
        class: 'grants',
        rules: rulesOf(file),
        switches: [],
        summary: `sets ${artifact.at.join('.')}`,
        order: 'normal',
      },
    ],
  };
}
