import type { Finding } from '../errors/error.ts';
import { glanceAt, isThere, pathsOf } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import type { Facts } from './facts.ts';
import { found, idle, type Probe } from './probe.ts';

const MAX_ENTRIES = 3_000;
const MAX_DEPTH = 4;
const LEFT_OUT = new Set([
  'node_modules',
  'vendor',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  'venv',
  '__pycache__',
]);

/** Configurations in sub-folders, which a client that is started there may read (case K04). A bounded search. */
export const nestedProbe: Probe = {
  id: 'config/nested',
  title: 'Configurations in sub-folders',
  run(facts) {
    const names = projectFiles(facts);
    if (names.length === 0) return idle('no coding tool with project files is used here');
    const { nested, isWhole, folders } = search(facts, names);
    const findings = nested.map((path): Finding => {
      const folder = path.slice(0, -(names.find((name) => path.endsWith(`/${name}`))?.length ?? 0) - 1);
      const word = facts.wordFor(pathsOf(facts.base.platform).join(facts.base.root, ...folder.split('/')));
      return {
        code: 'config/nested',
        severity: 'info',
        subject: path,
        message: 'this run leaves it alone, since it is about the root and not about folders below it',
        remedy: { text: 'Work on that folder by name', command: `tenon doctor --root ${word}` },
        data: { file: path },
      };
    });
    const none = nested.length === 0 ? 'none' : `${nested.length} found and left alone`;
    return found(
      findings,
      `${none} in ${folders} folders${isWhole ? '' : ' (the search was cut off there)'}`,
    );
  },
};

const projectFiles = ({ examined }: Facts): string[] => [
  ...new Set(
    examined.flatMap(({ files }) =>
      files.filter(({ data }) => data.scope === 'project').map(({ path }) => path.display),
    ),
  ),
];

function search(facts: Facts, names: readonly string[]) {
  const { reader, root, platform } = facts.base;
  const paths = pathsOf(platform);
  const nested = new Set<string>();
  let budget = MAX_ENTRIES;
  let folders = 0;
  let isWhole = true;
  const kindOf = (path: string) => glanceAt(reader, path)?.kind;
  const look = (folder: AbsPath, below: string): void => {
    for (const name of names) {
      if (kindOf(paths.join(folder, ...name.split('/'))) === 'file') nested.add(`${below}/${name}`);
    }
  };
  // First the way from the root to where the user stands, then everything else in breadth.
  const way = paths.relative(root, facts.repo.cwd).split(paths.sep);
  if (way[0] !== '' && way[0] !== '..') {
    way.forEach((_, index) => {
      const parts = way.slice(0, index + 1);
      look(paths.join(root, ...parts), parts.join('/'));
    });
  }
  const open: { folder: AbsPath; below: string; depth: number }[] = [{ folder: root, below: '', depth: 0 }];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const name of listed(reader.list.bind(reader), at.folder)) {
      if (name.startsWith('.') || LEFT_OUT.has(name)) continue;
      budget -= 1;
      if (budget < 0) {
        isWhole = false;
        break;
      }
      const folder = paths.join(at.folder, name);
      if (kindOf(folder) !== 'directory') continue;
      // A repository inside this one is a root of its own.
      if (isThere(reader, paths.join(folder, '.git'))) continue;
      const below = at.below === '' ? name : `${at.below}/${name}`;
      folders += 1;
      look(folder, below);
      if (at.depth + 1 < MAX_DEPTH) open.push({ folder, below, depth: at.depth + 1 });
      else isWhole = false;
    }
    if (budget < 0) break;
  }
  return { nested: [...nested].sort(), isWhole, folders };
}

function listed(list: (path: AbsPath) => readonly string[] | undefined, folder: AbsPath): readonly string[] {
  try {
    return list(folder) ?? [];
  } catch {
    return [];
  }
}
