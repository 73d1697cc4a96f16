import type { Finding } from '../errors/error.ts';
import { isObject, type Json, type JsonPath } from '../lib/json.ts';
import { isReference, isSecretName, isSecretValue } from '../lib/secrets.ts';
import { showText } from '../runtimes/show.ts';
import { isOutside } from '../system/paths.ts';
import { allServers } from './all-servers.ts';
import { whereOf } from './documents.ts';
import type { Facts } from './facts.ts';
import { addressOf } from './ours.ts';
import { found, idle, type Probe, skipped } from './probe.ts';
import { type SharedFile, sharedFiles } from './readers.ts';

/** Literal credentials in configuration files (C-08). The value is never shown. */
export const secretsProbe: Probe = {
  id: 'secrets/literal',
  title: 'No credential stands in a configuration file',
  needs: ['config/readable'],
  async run(facts) {
    const files = sharedFiles(facts).filter(({ document }) => document.state === 'parsed');
    if (files.length === 0) return idle('no configuration file could be read');
    const spots = files.flatMap((file) => credentialsIn(file, facts).map((path) => ({ file, path })));
    if (spots.length === 0)
      return found([], `none in ${files.length} ${files.length === 1 ? 'file' : 'files'}`);
    const inside = spots.some(({ file }) => !isOutside(file.document.path));
    const tracked = inside ? await facts.git.tracked() : undefined;
    const findings = spots.map(({ file: { document }, path }): Finding => {
      const isHere = !isOutside(document.path);
      const isTracked = isHere && tracked?.ok === true && tracked.value.has(document.path);
      const isArgument =
        path.includes('args') || (path.at(-2) === 'command' && /^\d+$/u.test(path.at(-1) ?? ''));
      const unknown =
        isHere && tracked?.ok === false ? '; whether git tracks the file could not be asked' : '';
      const where = isTracked ? ', and git tracks the file' : unknown;
      const also = isArgument ? '; arguments are shown to every user of this machine' : '';
      return {
        code: 'secret/exposed',
        severity: isTracked ? 'error' : 'warning',
        subject: addressOf(document, path),
        message: `a literal credential stands in ${document.path} at ${showText(path.join('.'))}${where}${also}`,
        remedy: {
          text: 'Put it into an environment variable and refer to that; replace it at its issuer if it was shared',
        },
        data: { ...whereOf(document, path), tracked: isTracked },
      };
    });
    return found(findings, '');
  },
};

/** Private files with credentials that everybody on this machine can read. */
export const privateFilesProbe: Probe = {
  id: 'secrets/private-files',
  title: 'Private files are private',
  needs: ['config/readable'],
  run(facts) {
    if (facts.base.platform === 'win32') return skipped('rights of files are not looked at on Windows');
    const files = sharedFiles(facts).filter(
      (file) =>
        isOutside(file.document.path) &&
        (file.readers.some((reader) => reader.file.data.private === true) ||
          credentialsIn(file, facts).length > 0),
    );
    if (files.length === 0) return idle('there is no private file');
    const findings = files.flatMap((file): Finding[] => {
      const { document } = file;
      const mode = facts.base.reader.stat(document.abs)?.mode ?? 0;
      if ((mode & 0o004) === 0) return [];
      const holds = credentialsIn(file, facts).length > 0;
      const isOurs = facts.ledgers.user.records.some(({ path }) => path === document.path);
      return [
        {
          code: 'secret/world-readable',
          severity: holds && isOurs ? 'error' : 'warning',
          subject: document.path,
          message: `every user of this machine can read ${document.path} (mode ${mode.toString(8)})${holds ? ', which holds a credential' : ''}`,
          remedy: {
            text: 'Take the rights of others away',
            command: `chmod 600 ${facts.wordFor(document.abs)}`,
          },
          data: { file: document.path },
        },
      ];
    });
    return found(findings, `${files.length} readable by their owner only`);
  },
};

/**
 * Places of literal credentials: in a file of the repository anywhere, in a user's own file only inside servers, because
 * clients keep their own logins there.
 */
function credentialsIn({ document, readers }: SharedFile, facts: Facts): JsonPath[] {
  if (document.value === undefined) return [];
  if (!isOutside(document.path)) return literals(document.value, []);
  const paths = new Map<string, JsonPath>();
  for (const { runtime } of readers) {
    for (const server of allServers(runtime, facts)) {
      if (server.document !== document) continue;
      for (const path of literals(server.entry, server.path)) paths.set(path.join('\0'), path);
    }
  }
  return [...paths.values()];
}

/** Paths of strings that are credentials by their name or shape and refer to nothing. */
export function literals(value: Json, path: JsonPath): JsonPath[] {
  if (typeof value === 'string') return isLiteral(value, path) ? [path] : [];
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => {
      const inner = [...path, String(index)];
      const before: Json | undefined = value[index - 1];
      const isOption =
        typeof item === 'string' && typeof before === 'string' && /^--?[A-Za-z][\w-]*$/u.test(before);
      return isOption && isSecretName(before) && !isReference(item) && item !== ''
        ? [inner]
        : literals(item, inner);
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => literals(member, [...path, name]));
}

function isLiteral(value: string, path: JsonPath): boolean {
  if (value.trim() === '' || isReference(value)) return false;
  const name = path.at(-1) ?? '';
  const isNamed = isSecretName(name) && !/\s/u.test(value.trim().replace(/^(?:bearer|basic|token)\s+/iu, ''));
  return (
    (isNamed && !/^(?:true|false|null|auto|prompt|ask|allow|deny)$/iu.test(value)) || isSecretValue(value)
  );
}
