import { relativeProblem } from '../system/paths.ts';
import { isRefusedPath } from './refused-paths.ts';
import {
  type Drafts,
  type Of,
  plainRules,
  type RenderInput,
  runtimesFor,
  textOf,
  withheld,
} from './render-types.ts';

/**
 * A file of the integration. Content that comes with this package may go anywhere in the repository, other content only
 * below a folder that a chosen runtime names; some places are refused to everyone (contract, section 6).
 */
export function renderFile(one: Of<'file'>, input: RenderInput): Drafts {
  const { artifact } = one;
  const left = (
    code: 'file/refused' | 'render/not-text' | 'render/scope-unsupported',
    reason: string,
  ): Drafts => ({
    drafts: [],
    findings: [withheld(one, artifact.path, code, reason)],
  });
  const problem = relativeProblem(artifact.path);
  if (problem !== undefined) return left('file/refused', `the path ${problem}`);
  if (isRefusedPath(artifact.path)) return left('file/refused', 'no integration may write there');
  if (input.scope === 'user') return left('render/scope-unsupported', 'files have no user scope');
  const readers = runtimesFor(one, input.specs).filter((spec) =>
    spec.fileFolders.some((folder) => artifact.path.startsWith(`${folder.replace(/\/+$/u, '')}/`)),
  );
  if (readers.length === 0 && one.source !== 'bundled') {
    return left('file/refused', 'it is below no folder of a chosen runtime');
  }
  const text = textOf(one.files.get(artifact.source) ?? new Uint8Array([0]));
  if (text === undefined) return left('render/not-text', `${artifact.source} is missing or no UTF-8 text`);
  return {
    findings: [],
    drafts: [
      {
        owner: one.owner,
        runtimes: readers.map(({ id }) => id),
        scope: input.scope,
        target: { path: artifact.path, format: 'whole', place: { kind: 'file' } },
        value: text,
        class: artifact.class,
        rules: plainRules,
        switches: [],
        ...(artifact.executable ? { executable: true } : {}),
        summary: `file ${artifact.path}`,
        order: 'early',
      },
    ],
  };
}

/** One line of `.gitignore`. */
export function renderIgnoreLine(one: Of<'ignore-line'>, input: RenderInput): Drafts {
  const { artifact } = one;
  if (input.scope !== 'project') {
    const reason = `${artifact.file} is a committed file`;
    return { drafts: [], findings: [withheld(one, artifact.file, 'render/scope-unsupported', reason)] };
  }
  return {
    findings: [],
    drafts: [
      {
        owner: one.owner,
        runtimes: [],
        scope: input.scope,
        target: { path: artifact.file, format: 'lines', place: { kind: 'line', line: artifact.line } },
        value: artifact.line,
        class: 'instructs',
        rules: plainRules,
        switches: [],
        summary: `ignores ${artifact.line}`,
        order: 'normal',
      },
    ],
  };
}
