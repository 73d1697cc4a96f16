import { createHash } from 'node:crypto';
import type { Stamp } from '../state/evidence.ts';
import { filesBelow, hashOfFile, type PackageFile } from '../system/package-files.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';

type Ports = Pick<System, 'reader' | 'host'>;

/** What a client's program is made of. */
export interface Build {
  /** `sha256:` over the bytes of all its files. */
  readonly digest: string;
  /** Of the program, of what describes its package, and of its largest files. */
  readonly stamps: readonly Stamp[];
}

/** The largest files of a package whose stamps are kept: a program in another language stands among them. */
const LARGEST = 8;

/**
 * The build of a client by its bytes: the file that `program` leads to; where that is of an npm package, every file of the
 * package and of the packages for single platforms that it brings. Two installations of one build are equal.
 */
export function buildOf(program: AbsPath, system: Ports): Build {
  const { files, folders, program: real } = filesOf(program, system);
  const described = folders.map((folder) => pathsOf(system.host.platform).join(folder, 'package.json'));
  const hash = createHash('sha256');
  hash.update(`${files.find(({ path }) => path === real)?.label ?? ''}\n`);
  for (const { label, path } of files) hash.update(`${label}\0${hashOfFile(path)}\n`);
  const largest = [...files].sort((a, b) => b.stat.size - a.stat.size).slice(0, LARGEST);
  const stamped = new Map(
    [
      ...files.filter(({ path }) => path === real || described.includes(path)).slice(0, 2 * LARGEST),
      ...largest,
    ].map(({ path, stat }) => [path, stampOf(path, stat)]),
  );
  return { digest: `sha256:${hash.digest('hex')}`, stamps: [...stamped.values()] };
}

/**
 * Whether the client is still the build of a digest. Files are hashed again only where a stamp differs; where a size does,
 * it is another build at once.
 */
export function isSameBuild(
  program: AbsPath,
  { digest, stamps }: { readonly digest: string; readonly stamps: readonly Stamp[] },
  system: Ports,
): boolean {
  const now = stamps.map(({ path }) => {
    const stat = statOf(path, system);
    return stat === undefined ? undefined : stampOf(path, stat);
  });
  const real = system.reader.realpath(program);
  const isStamped = stamps.some(({ path }) => path === real);
  const isEqual = (at: number): boolean => {
    const [then, own] = [stamps[at], now[at]];
    return own?.size === then?.size && own?.mtimeMs === then?.mtimeMs && own?.ino === then?.ino;
  };
  if (isStamped && stamps.every((_, at) => isEqual(at))) return true;
  if (isStamped && stamps.some(({ size }, at) => now[at]?.size !== size)) return false;
  return buildOf(program, system).digest === digest;
}

function statOf(path: AbsPath, { reader }: Ports) {
  try {
    return reader.lstat(path);
  } catch {
    return undefined;
  }
}

const stampOf = (path: AbsPath, { size, mtimeMs, ino }: PackageFile['stat']): Stamp => ({
  path,
  size,
  mtimeMs,
  ino,
});

interface NamedFile extends PackageFile {
  /** Where it stands in its package; the same in every installation. */
  readonly label: string;
}

function filesOf(
  program: AbsPath,
  system: Ports,
): {
  readonly files: readonly NamedFile[];
  /** Of its packages; none outside of `node_modules`. */
  readonly folders: readonly AbsPath[];
  readonly program: AbsPath;
} {
  const { reader, host } = system;
  const paths = pathsOf(host.platform);
  const real = reader.realpath(program) ?? program;
  const folder = packageOf(real, paths.sep);
  const stat = reader.lstat(real);
  if (folder === undefined) {
    return {
      files: stat === undefined ? [] : [{ path: real, stat, label: 'program' }],
      folders: [],
      program: real,
    };
  }
  const folders = [folder, ...platformPackages(folder, system)];
  const files = folders.flatMap((one, at) =>
    filesBelow(reader, one).map((file) => ({
      ...file,
      label: `${at}/${paths.relative(one, file.path).split(paths.sep).join('/')}`,
    })),
  );
  return { files, folders, program: real };
}

/** The folder of the npm package that a file belongs to; undefined outside of `node_modules`. */
function packageOf(file: AbsPath, sep: string): AbsPath | undefined {
  const marker = `${sep}node_modules${sep}`;
  const at = file.lastIndexOf(marker);
  if (at < 0) return undefined;
  const rest = file.slice(at + marker.length).split(sep);
  const name = rest[0]?.startsWith('@') === true ? rest.slice(0, 2) : rest.slice(0, 1);
  return name.length < rest.length ? file.slice(0, at + marker.length) + name.join(sep) : undefined;
}

/** Packages for single platforms that are installed, inside the package or beside it, in the order of their names. */
function platformPackages(folder: AbsPath, { reader, host }: Ports): AbsPath[] {
  const paths = pathsOf(host.platform);
  const up = folder.split(`${paths.sep}node_modules${paths.sep}`);
  const beside = `${up.slice(0, -1).join(`${paths.sep}node_modules${paths.sep}`)}${paths.sep}node_modules`;
  return optionalNames(folder, { reader, host })
    .sort()
    .flatMap((name) => {
      // Inside: its files are below the package's own folder already.
      const own = paths.join(beside, ...name.split('/'));
      return reader.stat(own)?.kind === 'directory' ? [reader.realpath(own) ?? own] : [];
    });
}

function optionalNames(folder: AbsPath, { reader, host }: Ports): string[] {
  try {
    const bytes = reader.readFile(pathsOf(host.platform).join(folder, 'package.json'), 1024 * 1024);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const optional = (value as { optionalDependencies?: unknown } | null)?.optionalDependencies;
    const names = typeof optional === 'object' && optional !== null ? Object.keys(optional) : [];
    return names.filter((name) => /^(?:@[\w.-]+\/)?\w[\w.-]*$/u.test(name)).slice(0, 50);
  } catch {
    return [];
  }
}
