import type { Artifact } from '../integrations/schema.ts';
import type { BoundFile } from './bound-files.ts';

/** Program and arguments of a server that is started; empty for everything else. */
export const launchOf = (artifact: Artifact): readonly string[] =>
  artifact.kind === 'mcp-server' && artifact.stdio !== undefined
    ? [artifact.stdio.command, ...artifact.stdio.args]
    : [];

/** Programs that run what a project's own files say. */
const RUNNERS =
  /^(npm|pnpm|yarn|bun|make|just|task|cargo|go|mvn|gradle|gradlew|uv|poetry|pipenv|deno|docker|podman|python3?|node|tsx|ruby|perl|php|bash|sh|zsh|pwsh|powershell|cmd)(\.exe|\.cmd)?$/i;

/** What a person should know before trusting a launch (contract, section 6; requirement T-10). */
export function launchNotes(launch: readonly string[], files: readonly BoundFile[]): string[] {
  const notes: string[] = [];
  if (files.some(({ print }) => print === null)) {
    notes.push('runs code of this repository whose bytes are not bound: it may change without a new grant');
  }
  if (files.length > 0) {
    notes.push('what the named files load or start in turn is not bound: it may change without a new grant');
  } else if (launch.length > 0 && RUNNERS.test(baseName(launch[0] ?? ''))) {
    notes.push('may run code of this repository that can change without a new grant');
  }
  const unpinned = unpinnedPackage(launch);
  if (unpinned !== undefined) {
    notes.push(`fetches ${unpinned} without a fixed version: what runs is what is newest then`);
  }
  return notes;
}

const baseName = (word: string): string => word.split(/[\\/]/).at(-1) ?? word;

/**
 * The package or image that a launch fetches without an exact version (`npx pkg`, `uvx pkg`, `@latest`, an image without
 * tag or digest); undefined when it fetches none, or one of a fixed version.
 */
export function unpinnedPackage(launch: readonly string[]): string | undefined {
  const words = unwrapped(launch);
  const [program = '', second = ''] = words;
  const name = baseName(program)
    .toLowerCase()
    .replace(/\.(exe|cmd|ps1)$/, '');
  const rest = words.slice(1);
  if (name === 'npx' || name === 'bunx') return npmPackage(rest);
  if (
    (name === 'npm' && (second === 'exec' || second === 'x')) ||
    (['pnpm', 'yarn'].includes(name) && second === 'dlx') ||
    (name === 'bun' && second === 'x')
  ) {
    return npmPackage(rest.slice(1));
  }
  if (name === 'uvx') return pythonPackage(rest);
  if (name === 'uv' && second === 'tool' && rest[1] === 'run') return pythonPackage(rest.slice(2));
  if (name === 'pipx' && second === 'run') return pythonPackage(rest.slice(1));
  if (name === 'deno') return rest.find((word) => /^(npm|jsr):/.test(word) && !hasNpmVersion(word));
  if ((name === 'docker' || name === 'podman') && rest.includes('run')) return imageOf(rest);
  return undefined;
}

/** The launch without `cmd /c`, `env A=B` and a shell around it. */
function unwrapped(launch: readonly string[]): readonly string[] {
  const [first = '', second = ''] = launch;
  const name = baseName(first)
    .toLowerCase()
    .replace(/\.exe$/, '');
  if (name === 'cmd' && /^\/c$/i.test(second)) return unwrapped(launch.slice(2));
  if (name === 'env') {
    const at = launch.findIndex((word, index) => index > 0 && !/^(-\w+|\w+=.*)$/.test(word));
    return at < 0 ? [] : unwrapped(launch.slice(at));
  }
  if (['sh', 'bash', 'zsh'].includes(name) && /^-\w*c$/.test(second) && launch[2] !== undefined) {
    return unwrapped(
      launch[2]
        .trim()
        .replace(/^exec\s+/, '')
        .split(/\s+/),
    );
  }
  return launch;
}

const EXACT = /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
const COMMIT = /#[0-9a-f]{40}$/;

function hasNpmVersion(spec: string): boolean {
  const at = spec.lastIndexOf('@');
  return (at > 0 && EXACT.test(spec.slice(at + 1))) || COMMIT.test(spec);
}

function npmPackage(words: readonly string[]): string | undefined {
  const named = words.flatMap((word, index) => {
    if (word === '-p' || word === '--package') return [words[index + 1] ?? ''];
    return word.startsWith('--package=') ? [word.slice('--package='.length)] : [];
  });
  const first = words.find((word, index) => !word.startsWith('-') && !takesValue(words[index - 1]));
  const packages = named.length > 0 ? named : first === undefined ? [] : [first];
  return packages.find((spec) => !/^[./]/.test(spec) && !hasNpmVersion(spec));
}

const takesValue = (word: string | undefined): boolean =>
  word !== undefined && ['-p', '--package', '-c', '--call', '--registry', '-w', '--workspace'].includes(word);

/** `pkg==1.2.3`, `pkg@1.2.3` and a commit of a repository are fixed. */
function pythonPackage(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--from' || word === '--spec');
  const inline = words.find((word) => /^--(from|spec)=/.test(word));
  const takes = ['--python', '-p', '--with', '--index-url', '--index', '--extra-index-url', '--directory'];
  const spec =
    inline !== undefined
      ? inline.replace(/^--\w+=/, '')
      : at >= 0
        ? words[at + 1]
        : words.find((word, index) => !word.startsWith('-') && !takes.includes(words[index - 1] ?? ''));
  if (spec === undefined || /^[./]/.test(spec)) return undefined;
  const isFixed = /==\d+(\.\w+)+$/.test(spec) || /@v?\d+(\.\w+)+$/.test(spec) || /@[0-9a-f]{40}$/.test(spec);
  return isFixed ? undefined : spec;
}

/** The image is the first word behind `run` that is no option and no option's value. */
function imageOf(words: readonly string[]): string | undefined {
  const valued =
    /^(-[evpwulh]|--(env|volume|publish|name|network|net|workdir|user|mount|env-file|label|platform|entrypoint|add-host|hostname|memory|cpus|gpus))$/;
  const behind = words.slice(words.indexOf('run') + 1);
  const image = behind.find((word, index) => !word.startsWith('-') && !valued.test(behind[index - 1] ?? ''));
  if (image === undefined || image.includes('@sha256:')) return undefined;
  const tag = /:([\w][\w.-]*)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? image : undefined;
}
