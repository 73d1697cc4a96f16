import { BlockList, isIP } from 'node:net';
import { parsePlanFile } from '../../src/commands/shared/plan-file.ts';
import { checkUrl, displayUrl, sameEndpoint } from '../../src/endpoint/url.ts';
import { TenonError } from '../../src/errors/error.ts';
import type { Format, Place, Result } from '../../src/formats/format.ts';
import { jsonFormat } from '../../src/formats/json.ts';
import { linesFormat } from '../../src/formats/lines.ts';
import { markdownFormat } from '../../src/formats/markdown.ts';
import { decodeText, encodeText } from '../../src/formats/text-style.ts';
import { tomlFormat } from '../../src/formats/toml.ts';
import { equalJson, type Json, leavesOf } from '../../src/lib/json.ts';
import { repositoryIdentity } from '../../src/lib/repository-identity.ts';
import { parseManifest } from '../../src/manifest/manifest.ts';
import { parseLedger } from '../../src/state/ledger-store.ts';

/** One thing that any input must survive. */
export interface FuzzTarget {
  readonly name: string;
  /** Pieces that a mutation puts in: what the syntax is made of. */
  readonly words: readonly string[];
  /** First inputs, of every kind that the target distinguishes. */
  readonly seeds: readonly string[];
  /** Throws where a law does not hold for this input. Refusing it with a code of ours is always right. */
  readonly check: (input: string) => void | Promise<void>;
}

interface Job {
  readonly place: Place;
  readonly value: Json;
  /** What it is changed to before it is taken out. */
  readonly other: Json;
}

class Broken extends Error {}

function must(holds: boolean, law: string): asserts holds {
  if (!holds) throw new Broken(law);
}

/** The value of an edit that a format may refuse: a refusal needs a code, and nothing else can be wrong with it. */
function accepted<T>(result: Result<T>): T | undefined {
  if (result.ok) return result.value;
  must(/^[a-z]+\/[a-z-]+$/.test(result.fault.code), `a refusal without a code: ${result.fault.code}`);
  must(result.fault.message !== '', 'a refusal without a message');
  return undefined;
}

/** The value of an edit that must be possible, because the one before it was. */
function sure<T>(result: Result<T>, what: string): T {
  if (!result.ok) throw new Broken(`${what} is refused: ${result.fault.code} ${result.fault.message}`);
  return result.value;
}

/** Nothing but insertions: in JSON a comma may stand apart from the member that it makes room for. */
function isInsertion(before: string, after: string): boolean {
  let at = 0;
  for (const sign of after) if (before.startsWith(sign, at)) at += sign.length;
  return after.length > before.length && at === before.length;
}

/** What an engine asks for to get from one value to another: leaves where both have them, else the whole. */
function changeBetween(from: Json, to: Json): { set: Map<string, Json>; unset: string[] } {
  const [before, after] = [leavesOf(from), leavesOf(to)];
  if (before.has('') || after.has('')) return { set: new Map([['', to]]), unset: [] };
  const set = new Map([...after].filter(([pointer, leaf]) => !equalJson(before.get(pointer) ?? null, leaf)));
  return { set, unset: [...before.keys()].filter((pointer) => !after.has(pointer)) };
}

/** What a ledger gives back of an edit's memory. */
const remembered = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Laws 1 to 4 for one document: put in, read, put in once more, change, take out. */
function keepsLaws(format: Format, document: string, job: Job): void {
  const decoded = decodeText(new TextEncoder().encode(document));
  if (accepted(decoded) === undefined) return;
  const { text, bom } = sure(decoded, 'decoding');
  must(new TextDecoder('utf-8', { ignoreBOM: true }).decode(encodeText(text, bom)) === document, 'encoding');

  const parsed = format.parse(text);
  if (!parsed.ok) {
    accepted(parsed);
    return;
  }
  const before = parsed.value;
  const reading = accepted(format.read(text, job.place));
  const edit = accepted(format.insert(text, job.place, job.value, {}));
  if (edit === undefined || reading?.state === 'present') return;
  must(isInsertion(text, edit.text), 'nothing but an insertion');
  const memory = remembered({ trace: edit.trace, containers: edit.containers });

  const now = sure(format.read(edit.text, job.place), 'reading the entry');
  must(now.state === 'present' && equalJson(now.value, job.value), 'the entry reads as it was written');
  const back = sure(format.remove(edit.text, job.place, memory), 'the removal');
  must(back.text === text, 'the removal gives the text back');
  must(back.containers.length === 0, 'no container of ours is left');

  const change = changeBetween(job.value, job.other);
  const changed = accepted(format.update(edit.text, job.place, change, memory));
  if (changed === undefined) return;
  const place: Place = job.place.kind === 'item' ? { ...job.place, value: job.other } : job.place;
  const next = sure(format.read(changed.text, place), 'reading the changed entry');
  must(next.state === 'present' && equalJson(next.value, job.other), 'the change reads as it was written');
  const after = remembered({
    trace: { ...memory.trace, ...changed.trace },
    containers: changed.containers.length > 0 ? changed.containers : memory.containers,
  });
  const gone = sure(format.remove(changed.text, place, after), 'the removal after a change');
  must(gone.text === text, 'the removal after a change gives the text back');

  // A lost ledger: the structural way may leave more behind, but never a damaged document.
  const lost = accepted(format.remove(edit.text, job.place, { containers: [] }));
  if (lost !== undefined && format.id !== 'markdown') {
    const rest = sure(format.parse(lost.text), 'the text after a removal without memory');
    must(before === undefined || rest !== undefined || edit.text !== lost.text, 'the removal did something');
  }
}

/** The first character of an input chooses the job, so that one corpus serves all of them. */
const editing =
  (format: Format, jobs: readonly Job[]) =>
  (input: string): void => {
    const job = jobs[(input.codePointAt(0) ?? 0) % jobs.length];
    if (job !== undefined) keepsLaws(format, input.slice(1), job);
  };

const key = (path: readonly string[], value: Json, other: Json): Job => ({
  place: { kind: 'key', path },
  value,
  other,
});

const SERVER = { command: 'oak', args: ['--stdio', 'a b'], env: { MODE: 'x' } };
const OTHER = { url: 'http://127.0.0.1:1/mcp' };

const treeJobs: readonly Job[] = [
  key(['mcpServers', 'oak'], SERVER, OTHER),
  key(['a', 'b', 'oak'], SERVER, 1),
  key(['oak'], true, 'text'),
  { place: { kind: 'item', path: ['list'], value: 'oak' }, value: 'oak', other: 'elm' },
  {
    place: { kind: 'item', path: ['hooks', 'Start'], value: SERVER, tag: 'oak' },
    value: SERVER,
    other: { command: 'oak', args: [] },
  },
];

/** Only errors of ours may leave a reader, and they name no place in this code. */
async function reads(read: () => unknown): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    must(!/undefined|\[object/.test(error.message), `a message with a hole: ${error.message}`);
  }
}

const HOST = { host: { home: '/home/oak', platform: 'linux' } } as unknown as Parameters<
  typeof parseLedger
>[0];

const JSON_WORDS = [
  '{', '}', '[', ']', ',', ':', '"', '\\', '//', '/*', '*/', '\n', '\r\n', '\r', '  ', '\t', '\uFEFF',
  '"mcpServers"', '"oak"', '"list"', '"hooks"', '"Start"', '"a"', '"b"', '"__proto__"', 'null', 'true', '1e9',
  '-0', '\\u0061', '"command"', '"oak",', '{"a":{"b":{}}}', '\u2028', 'NaN', '<<<<<<< ours\n',
]; // biome-ignore format: a table

const TOML_WORDS = [
  '[', ']', '[[', ']]', '=', '.', ',', '{', '}', '"', "'", '"""', "'''", '#', '\n', '\r\n', '\t', '\uFEFF', '\\',
  'mcpServers', 'oak', 'list', 'hooks', 'Start', '[mcpServers]\n', '[mcpServers.oak]\n', '[[hooks.Start]]\n',
  'a.b = 1\n', '"a b"', '1979-05-27T07:32:00Z', '0x1F', 'inf', '[a]\n', '# note\n', '\\u0061', 'mcpServers = {}\n',
]; // biome-ignore format: a table

const MANIFEST = JSON.stringify({
  schemaVersion: 1,
  integrations: { vera: { scope: 'project', runtimes: ['codex'], inputs: { SAVE_MODE: 'off' } } },
  servers: {},
  suppressions: [{ id: 'secret/literal', reason: 'a test', until: '2027-01-01' }],
});
const PLAN = JSON.stringify({
  schema: 'tenon/planfile/v1',
  command: 'setup',
  selections: [
    { integration: 'vera', scope: 'project', runtimes: ['codex'], inputs: {}, overrides: {}, without: [] },
  ],
  resolve: { 'codex/mcp/vera': 'keep' },
  force: [],
  digest: `sha256:${'0'.repeat(64)}`,
});
const LEDGER = JSON.stringify({
  schemaVersion: 1,
  root: '/repo',
  files: [],
  entries: [],
  enrolments: [],
});
const MEMBERS = [
  '"schemaVersion"', '"integrations"', '"scope"', '"runtimes"', '"inputs"', '"overrides"', '"without"', '"files"',
  '"entries"', '"enrolments"', '"root"', '"digest"', '"__proto__"', '"constructor"', '[]', '{}', 'null', '-1', '1e400',
]; // biome-ignore format: a table

const URL_WORDS = [
  'http://', 'https://', '@', ':', '/', '?', '#', '%', '%2e', '..', '[::1]', '127.0.0.1', 'localhost', '0x7f.1',
  '169.254.169.254', 'token=', '&', '\\', '\u202E', '\n', ' ', '/mcp', ':0', ':65536', 'ⓛocalhost', 'xn--', '::ffff:',
  '[::', '[64:ff9b::', '[2002:7f00:1::', ']',  'ssh://', 'git@', 'file:', '.git', '~', 'C:', 'github.com',
]; // biome-ignore format: a table

/** What Node itself takes for this machine; it reads IPv4-mapped addresses as the IPv4 ones. */
const HERE = new BlockList();
HERE.addSubnet('127.0.0.0', 8, 'ipv4');
HERE.addAddress('::1', 'ipv6');

function isHere(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || (isIP(bare) !== 0 && HERE.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4'));
}

/** Everything that reads what others wrote, with the law that it has to keep. */
export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'json',
    words: JSON_WORDS,
    seeds: [
      '0',
      '1{}',
      '0{"mcpServers":{}}',
      '2{\n  // note\n  "a": 1, /* x */\n}\n',
      '3{ "list": ["elm", ], }',
      '4{\r\n\t"hooks": { "Start": [ { "command": "x" } ] }\r\n}',
      '0\uFEFF{"mcpServers":{"elm":{"url":"x"}}}',
    ],
    check: editing(jsonFormat, treeJobs),
  },
  {
    name: 'toml',
    words: TOML_WORDS,
    seeds: [
      '0',
      '1a = 1\n',
      '0[mcpServers.elm]\ncommand = "x"\n\n[other]\nb = [1, 2]\n',
      '2# note\n\n[a]\nb = {c = 1}\n',
      '3list = [\n  "elm", # why\n]\n',
      '4[[hooks.Start]]\r\ncommand = "x"\r\n',
      '2#\n\n[[t]]\r\n',
    ],
    check: editing(tomlFormat, treeJobs),
  },
  {
    name: 'markdown',
    words: ['#', '\n', '\r\n', '\r', '```\n', '~~~', '<!--', '-->', '<!-- tenon:begin oak -->\n',
      '<!-- tenon:end oak -->\n', '<!-- tenon:begin elm -->\n', '<!-- tenon:end elm -->\n', '    ', '> ', '- ', '\uFEFF'], // biome-ignore format: a table
    seeds: ['0', '0# Title\n\ntext', '1```\n<!-- tenon:begin oak -->\n```\n', '0a\r\nb\r\n', '0<\r'],
    check: editing(markdownFormat, [
      { place: { kind: 'block', id: 'oak' }, value: 'use oak\n', other: '' },
      { place: { kind: 'block', id: 'oak' }, value: '```sh\noak\n```\n\nx\n', other: 'one\n\ntwo\n' },
    ]),
  },
  {
    name: 'lines',
    words: ['\n', '\r\n', '\r', '#', '!', '.oak/', '!.oak/', '/.oak', '**/', '*', '\\', ' ', '\uFEFF'],
    seeds: ['0', '0dist\n*.log\n', '0!.oak/', '0a\r\nb', '0\n\r'],
    check: editing(linesFormat, [{ place: { kind: 'line', line: '.oak/' }, value: '.oak/', other: '.oak/' }]),
  },
  {
    name: 'manifest',
    words: [...JSON_WORDS, ...MEMBERS],
    seeds: [MANIFEST, '{}', '{"schemaVersion":99}', '[]'],
    check: (input) => reads(() => parseManifest(input)),
  },
  {
    name: 'plan',
    words: [...JSON_WORDS, ...MEMBERS],
    seeds: [PLAN, '{}', 'null'],
    check: (input) => reads(() => parsePlanFile(input, 'plan.json')),
  },
  {
    name: 'ledger',
    words: [...JSON_WORDS, ...MEMBERS],
    seeds: [LEDGER, '{}', 'null'],
    check: (input) =>
      reads(() => parseLedger(HOST, '/state/ledger.json', new TextEncoder().encode(input), '/repo')),
  },
  {
    name: 'url',
    words: URL_WORDS,
    seeds: ['http://127.0.0.1:8765/mcp', 'https://a.example/mcp?x=1#y', 'https://u:p@a.example/', 'x'],
    check: (input) => {
      const shown = displayUrl(input);
      must(!/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(shown), 'a URL is shown without control characters');
      must(sameEndpoint(input, input), 'an endpoint is the same as itself');
      for (const allowQuery of [true, false]) {
        const result = checkUrl(input, { allowQuery, allowInsecure: false });
        if (!result.ok) continue;
        must(result.text === input, 'the text is never normalised');
        must(result.url.username === '' && result.url.password === '', 'no credentials');
        must(allowQuery || (result.url.search === '' && result.url.hash === ''), 'no query');
        must(result.url.protocol === 'https:' || isHere(result.url.hostname), 'http only to this machine');
      }
    },
  },
  {
    name: 'remote',
    words: URL_WORDS,
    seeds: [
      'git@github.com:a/b.git',
      'https://u:p@h.example:8443/a/b.git',
      'ssh://git@h/a',
      '/srv/a.git',
      '~/a',
      'gp:..git',
    ],
    check: (input) => {
      const identity = repositoryIdentity(input);
      if (identity === undefined) return;
      must(!/[@?#\s\\\p{Cc}\p{Cf}]/u.test(identity), 'no credential, query, fragment or control character');
      must(!/(?:^|\/)\.{1,2}(?:\/|$)/.test(identity), 'no step up');
      must(identity.length <= 1024, 'bounded');
      // A name that still ends in `.git` loses that the second time, also when it is written with escapes.
      const again = repositoryIdentity(`https://${identity}`);
      must(again === identity || /\.git$|%/.test(identity), `canonical: ${identity} becomes ${again}`);
    },
  },
];
