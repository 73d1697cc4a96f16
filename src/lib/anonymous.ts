import { isSecretName, REDACTED, redactText } from './secrets.ts';

/** What identifies this host and its user, to be taken out of a file that goes to other people. */
export interface Identity {
  readonly root: string;
  readonly home: string;
  readonly hostname: string;
  readonly user: string | undefined;
}

/** User folders of Linux, macOS and Windows, with either slash, doubled ones of JSON texts included. */
const NAME = '[^\\s\\\\/"\'`:*?<>|,;)\\]}]+';
const USER_FOLDER = new RegExp(
  `(?:[A-Za-z]:)?(?:\\\\{1,2}|/{1,2})(?:home|Users|Documents and Settings)(?:\\\\{1,2}|/{1,2})(?:${NAME}(?: ${NAME}){1,3}(?=[\\\\/])|${NAME})`,
  'gi',
);
const ROOT_HOME = /(?<![\w.])\/(?:root|var\/root)(?=[/\s"'`,;:)]|$)/g;
const URL = /\b([a-z][a-z0-9+.-]*):\/\/[^\s"'`<>]+/gi;
const LOOPBACK = /^[a-z][a-z0-9+.-]*:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?=[/?#]|$)/i;
const SSH = /\b[\w.-]+@[\w-]+(?:\.[\w-]+)*:[^\s"'`]+/g;
const MAIL = /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Text without secrets, private paths, and addresses of other machines. URLs lose everything but the scheme; those to
 * this machine keep host and port.
 */
export function anonymousText(text: string, identity: Identity): string {
  // Addresses first: what is masked inside of one must not hide where it ends.
  let result = redactText(
    text.replace(URL, (url, scheme: string) => LOOPBACK.exec(url)?.[0] ?? `${scheme}://[ADDRESS]`),
  );
  for (const [word, stand] of [
    [identity.root, '<root>'],
    [identity.home, '~'],
  ] as const) {
    if (word.length > 1)
      result = result.replaceAll(word, stand).replaceAll(word.replaceAll('\\', '\\\\'), stand);
  }
  result = result
    .replace(SSH, '[ADDRESS]')
    .replace(MAIL, '[ADDRESS]')
    .replace(USER_FOLDER, '~')
    .replace(ROOT_HOME, '~');
  for (const [word, stand] of [
    [identity.hostname, '<host>'],
    [identity.user ?? '', '<user>'],
  ] as const) {
    // A short or common word would blacken half of the file and protect nobody.
    if (word.length < 4 || /^(?:root|user|node|runner|localhost|admin|memory)$/i.test(word)) continue;
    result = result.replace(new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`, 'gi'), stand);
  }
  return result;
}

const MOST_DEEP = 12;

/** A plain JSON value with every text, names of members included, made anonymous; what lies too deep is left out. */
export function anonymousValue(value: unknown, identity: Identity, depth = 0): unknown {
  if (typeof value === 'string') return anonymousText(value, identity);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth > MOST_DEEP) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => anonymousValue(item, identity, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      anonymousText(key, identity),
      typeof member === 'string' && isSecretName(key)
        ? REDACTED
        : anonymousValue(member, identity, depth + 1),
    ]),
  );
}
