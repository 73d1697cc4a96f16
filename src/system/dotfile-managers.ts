import { glance, glanceAt, isWithin, pathsOf } from './paths.ts';
import type { AbsPath, Reader, System } from './ports.ts';

/** Who keeps the source of a file in the home folder, and where. */
export interface Managed {
  readonly manager: 'chezmoi' | 'yadm' | 'stow' | 'links';
  /** The source file or repository, absolute. */
  readonly source: AbsPath;
  /** Set where it is only probable: why it could not be found out. */
  readonly unsure?: string;
}

type Parts = Pick<System, 'reader' | 'exec' | 'host'>;

/**
 * The dotfile manager that a file below the home folder belongs to: chezmoi by its source state, yadm by what its
 * repository tracks, stow and hand-made links by a link that leads into a folder of dotfiles. A change made in the home
 * folder would be lost with the manager's next run, or turn up in its repository. Undefined for any other file.
 */
export function managedBy(system: Parts, abs: AbsPath): Managed | undefined {
  const { reader, host } = system;
  const paths = pathsOf(host.platform);
  const home = reader.realpath(host.home) ?? host.home;
  const base = [host.home, home].find((one) => isWithin(one, abs, host.platform));
  if (base === undefined || base === abs) return undefined;
  const parts = paths.relative(base, abs).split(paths.sep);
  return byChezmoi(system, parts) ?? byYadm(system, parts) ?? byLink(system, base, parts);
}

function dataFolder({ host }: Parts): AbsPath {
  const { join, isAbsolute } = pathsOf(host.platform);
  const named = host.env['XDG_DATA_HOME'];
  return named !== undefined && isAbsolute(named) ? named : join(host.home, '.local', 'share');
}

/**
 * chezmoi's source state (chezmoi.io, "Source state attributes"): each part of the path under a name with attributes in
 * front, such as `private_dot_claude.json.tmpl`. `create_` files are made once and then left alone, so they are free.
 */
function byChezmoi(system: Parts, parts: readonly string[]): Managed | undefined {
  const { reader, host } = system;
  const { join } = pathsOf(host.platform);
  const source = join(dataFolder(system), 'chezmoi');
  let at = join(source, rootOf(system, source));
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const name = listed(reader, at).find((one) => targetName(one, isLast) === part);
    if (name === undefined) return undefined;
    at = join(at, name);
    // A folder that is a link in the source state takes everything below it along.
    if (name.startsWith('symlink_')) break;
  }
  return { manager: 'chezmoi', source: at };
}

/** `.chezmoiroot` names the folder of the source state inside the source folder. */
function rootOf({ reader, host }: Parts, source: AbsPath): string {
  try {
    const bytes = reader.readFile(pathsOf(host.platform).join(source, '.chezmoiroot'), 4096);
    const text = new TextDecoder().decode(bytes ?? new Uint8Array()).trim();
    return /^[^\0/\\][^\0]*$/.test(text) && !text.split(/[\\/]/).includes('..') ? text : '.';
  } catch {
    return '.';
  }
}

const ATTRIBUTES =
  /^(?:remove_|external_|exact_|encrypted_|private_|readonly_|empty_|executable_|modify_|symlink_)/;

/** The name in the home folder that an entry of chezmoi's source state stands for. */
function targetName(entry: string, isFile: boolean): string | undefined {
  if (entry.startsWith('.') || entry.startsWith('create_') || entry.startsWith('run_')) return undefined;
  let name = entry;
  while (ATTRIBUTES.test(name)) name = name.replace(ATTRIBUTES, '');
  if (name.startsWith('literal_')) name = name.slice('literal_'.length);
  else if (name.startsWith('dot_')) name = `.${name.slice('dot_'.length)}`;
  if (!isFile) return name;
  if (entry.includes('encrypted_')) name = name.replace(/\.(?:age|asc)$/, '');
  return name.endsWith('.literal') ? name.slice(0, -'.literal'.length) : name.replace(/\.tmpl$/, '');
}

/** yadm keeps the home folder as the work tree of one git repository (yadm(1), FILES). */
function byYadm(system: Parts, parts: readonly string[]): Managed | undefined {
  const { reader, host, exec } = system;
  const { join } = pathsOf(host.platform);
  const repo = [
    join(dataFolder(system), 'yadm', 'repo.git'),
    join(host.home, '.config', 'yadm', 'repo.git'),
    join(host.home, '.yadm', 'repo.git'),
  ].find((path) => glance(reader, path)?.kind === 'directory');
  if (repo === undefined) return undefined;
  const git = exec.which('git');
  if (git === undefined)
    return { manager: 'yadm', source: repo, unsure: 'git is not on PATH to say whether it tracks this file' };
  const answer = exec.run(
    git,
    [
      `--git-dir=${repo}`,
      `--work-tree=${host.home}`,
      '--no-optional-locks',
      ...['core.fsmonitor=false', 'core.hooksPath=/dev/null'].flatMap((setting) => ['-c', setting]),
      'ls-files',
      '-z',
      '--cached',
      '--',
      `:(top,literal)${parts.join('/')}`,
    ],
    { cwd: host.home, env: { PATH: host.env['PATH'] ?? '', HOME: host.home }, timeoutMs: 5000 },
  );
  if (answer.code !== 0)
    return { manager: 'yadm', source: repo, unsure: 'git could not say whether it tracks this file' };
  return answer.stdout === '' ? undefined : { manager: 'yadm', source: repo };
}

/** A link on the way leads into a folder that is kept as dotfiles: by name, by stow's marks, or under git. */
function byLink(system: Parts, base: AbsPath, parts: readonly string[]): Managed | undefined {
  const { reader, host } = system;
  const { join, dirname } = pathsOf(host.platform);
  const home = reader.realpath(base) ?? base;
  let at = base;
  for (const part of parts) {
    at = join(at, part);
    const kind = glanceAt(reader, at)?.kind;
    if (kind === undefined) return undefined;
    if (kind !== 'link') continue;
    const source = realOf(reader, at);
    if (source === undefined || !isWithin(home, source, host.platform)) return undefined;
    for (
      let folder = dirname(source);
      folder !== home && folder !== dirname(folder);
      folder = dirname(folder)
    ) {
      const has = (name: string): boolean => glanceAt(reader, join(folder, name)) !== undefined;
      if (
        /(^|[._-])stow([._-]|$)/i.test(folder.slice(home.length + 1)) ||
        has('.stow') ||
        has('.stow-local-ignore')
      )
        return { manager: 'stow', source };
      if (/dot-?files/i.test(folder.slice(home.length + 1)) || has('.git'))
        return { manager: 'links', source };
    }
  }
  return undefined;
}

/** Names in a folder; none where it cannot be read: this is advice, and must not stop the command. */
function listed(reader: Reader, folder: AbsPath): readonly string[] {
  try {
    return reader.list(folder) ?? [];
  } catch {
    return [];
  }
}

function realOf(reader: Reader, path: AbsPath): AbsPath | undefined {
  try {
    return reader.realpath(path);
  } catch {
    return undefined;
  }
}
