import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode } from '../helpers/bench.ts';
import { type CliOptions, type CliResult, runTerminal, type TerminalStep } from '../helpers/cli.ts';
import {
  FAULT_CASES,
  type FaultCase,
  type Place,
  placeFor,
  TRUST,
  TRUST_FILES,
  UNKEPT,
} from '../helpers/fault-cases.ts';
import { randomOf } from '../helpers/random.ts';
import { type Call, type Warm, warm } from '../helpers/warm.ts';
import { sandbox } from './endpoint-servers.ts';

// SIGKILL of the built program in each phase of each way of writing. A run of the suite takes two points of every case by a
// seed; TENON_TEST_CRASH=phases takes one in each phase, =all every writing call, TENON_TEST_SEED chooses other points.
// What setup, sync and uninstall leave at every one of their writes is tested in write-faults.test.ts and crash.test.ts.

const MODE = process.env['TENON_TEST_CRASH'] ?? 'sample';
const SEED = Number(process.env['TENON_TEST_SEED'] ?? 1);
const PRELOAD = ['--require', path.resolve('test/helpers/fault-preload.cjs')];
const LONG = 3_600_000;

type Tree = Readonly<Record<string, string>>;

const TAKES_PLACE = /^(?:rename|unlink)/;
/** The calls with which a phase of an apply begins, in their order; the scratch world of `certify` has applies of its own. */
const BEGINS: readonly (readonly [phase: string, begins: (call: Call) => boolean])[] = [
  ['preparing', () => true],
  [
    'staging',
    ([name, file]) => name === 'renameSync' && /state\/tenon\/journal\/\w+\.json\.\w+\.tmp$/.test(file),
  ],
  ['renaming', ([name, file]) => TAKES_PLACE.test(name) && !/\/(?:\.local\/state|temp)\//.test(file)],
  ['recording', ([name, file]) => TAKES_PLACE.test(name) && file.includes('/state/tenon/ledger/')],
  [
    'concluding',
    ([name, file]) => TAKES_PLACE.test(name) && /\/state\/tenon\/journal\/\w+\.json$/.test(file),
  ],
];

interface Point {
  readonly phase: string;
  /** Right before this writing call, from 1; one more than there are: after the last. */
  readonly at: number;
}

/** Where runs are ended. */
function pointsOf(calls: readonly Call[], title: string): Point[] {
  const next = randomOf(SEED, title);
  const starts: { phase: string; from: number }[] = [];
  for (const [phase, begins] of BEGINS) {
    const from = calls.findIndex((call, index) => index >= (starts.at(-1)?.from ?? 0) && begins(call));
    if (from >= 0) starts.push({ phase, from });
  }
  // A call begins its phase when it is done, so that the point right before it is still the phase before.
  const phases = starts.map(({ phase, from }, index) => {
    const first = index === 0 ? 1 : from + 2;
    const last = (starts[index + 1]?.from ?? calls.length) + 1;
    return { phase, points: Array.from({ length: last - first + 1 }, (_, step) => first + step) };
  });
  if (MODE === 'all') return phases.flatMap(({ phase, points }) => points.map((at) => ({ phase, at })));
  const one = phases.flatMap(({ phase, points }) => {
    const at = points[Math.floor(next() * points.length)];
    return at === undefined ? [] : [{ phase, at }];
  });
  if (MODE === 'phases' || one.length <= 2) return one;
  const first = Math.floor(next() * one.length);
  const second = (first + 1 + Math.floor(next() * (one.length - 1))) % one.length;
  return one.filter((_, index) => index === first || index === second);
}

const sorted = (tree: Tree): string =>
  JSON.stringify(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));
const same = (a: Tree, b: Tree): boolean => sorted(a) === sorted(b);
const without = (tree: Tree, out: (name: string) => boolean): Tree =>
  Object.fromEntries(Object.entries(tree).filter(([name]) => !out(name)));
const differing = (a: Tree, b: Tree): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]);

/** Consent to what was typed is recorded last, by the command itself: where it is missing, the next run records it. */
const isGrant = (name: string): boolean => name.startsWith('~/.local/state/tenon/trust/');
/** What a state file is written through; it says nothing, and nothing reads it. */
const isPassing = (name: string): boolean => /^~\/\.local\/state\/.*\.tmp$/.test(name);

const isPending = (repo: Bench): boolean => {
  const folder = path.join(repo.home, '.local/state/tenon/journal');
  return fs.existsSync(folder) && fs.readdirSync(folder).some((name) => /^\w+\.json$/.test(name));
};

interface Played {
  readonly runner: Warm;
  readonly place: Place;
  readonly found: FaultCase;
  readonly old: Tree;
  readonly now: Tree;
  /** Where an interrupted run of before that is taken back, or finished, may lead as well. */
  readonly others: readonly Tree[];
}

const kill = ({ place, found }: Pick<Played, 'place' | 'found'>, at: number): Promise<CliResult> =>
  place.repo.run(found.args, {
    nodeArgs: PRELOAD,
    env: { ...UNKEPT, ...found.env?.(place.repo), KILL_AT: String(at) },
    timeoutMs: 120_000,
  });

/**
 * Recovers where something is pending, `takesBack` or as recover itself decides, and runs the command again where it left
 * the old state. Gives where it ended.
 */
async function follow(
  { runner, place, found, old, now, others }: Played,
  told: string,
  takesBack: boolean,
): Promise<'old' | 'new'> {
  const at = { cwd: place.repo.root, home: place.repo.home, env: found.env?.(place.repo) ?? {} };
  const wasPending = found.command === 'recover';
  if (isPending(place.repo)) {
    const recovered = await runner.run(['recover', ...(takesBack ? ['--undo'] : []), '--json'], at);
    expect(recovered.code, `${told}: ${recovered.stdout}`).toBe(0);
    expect(isPending(place.repo), told).toBe(false);
    if (takesBack) expect(JSON.parse(recovered.stdout).data.outcome, told).toBe('undone');
  }
  const isStaying = (name: string): boolean => isPassing(name) || found.mayStay?.test(name) === true;
  const seen = without(place.look(), isPassing);
  const isNow =
    same(
      without(seen, (name) => isGrant(name) || isStaying(name)),
      without(now, (name) => isGrant(name) || isStaying(name)),
    ) && !found.outputs?.some((name) => seen[`~/${name}`] !== now[`~/${name}`]);
  if (isNow) {
    if (!differing(seen, now).some(isGrant)) return 'new';
    // The next run of the same command records what was typed, and changes nothing else.
    const again = await runner.run([...(found.again ?? found.args), '--json'], at);
    expect(again.code, `${told}: ${again.stdout}`).toBe(found.exit ?? 0);
    expect(differing(without(place.look(), isPassing), now), told).toEqual([]);
    return 'new';
  }
  if (wasPending) {
    const ends = others.map((end) => differing(seen, end));
    expect(ends, told).toContainEqual([]);
    return 'old';
  }
  // A new file that its user named, or the new files of a start, may be there in part: they stand in nobody's way.
  const begun = Object.keys(seen).filter((name) => old[name] === undefined);
  if (found.outputs !== undefined || found.command === 'new') {
    expect(
      begun.filter((name) => now[name] === undefined),
      told,
    ).toEqual([]);
    for (const name of begun.toReversed())
      fs.rmSync(
        name.startsWith('~/') ? path.join(place.repo.home, name.slice(2)) : path.join(place.repo.root, name),
        { recursive: true, force: true },
      );
  }
  expect(differing(without(place.look(), isPassing), old), told).toEqual([]);
  const again = await runner.run([...found.args, '--json'], at);
  expect(again.code, `${told}, run again: ${again.stdout}`).toBe(found.exit ?? 0);
  expect(differing(without(place.look(), isPassing), now), `${told}, run again`).toEqual([]);
  return 'old';
}

/** A file of the repository that the command changes and does not make or remove. */
const changedFile = (old: Tree, now: Tree): string | undefined =>
  differing(old, now).find(
    (name) =>
      !name.startsWith('~/') &&
      old[name]?.startsWith('file') === true &&
      now[name]?.startsWith('file') === true,
  );

describe('a run that is killed leaves the old or the new state, and never a mixed one', () => {
  const runner = warm();
  it.each(FAULT_CASES.map((found) => [`${found.command}: ${found.title}`, found] as const))(
    '%s',
    async (title, found) => {
      const place = await placeFor(found);
      const at = { cwd: place.repo.root, home: place.repo.home, env: found.env?.(place.repo) ?? {} };
      const old = place.look();
      const others: Tree[] = [];
      if (found.command === 'recover') {
        for (const way of [[], ['--undo']]) {
          expect((await runner.run(['recover', ...way, '--json'], at)).code).toBe(0);
          others.push(place.look());
          place.reset();
        }
      }
      const whole = await runner.run([...found.args, '--json'], at, {
        FAULT_CALL: 'writing',
        FAULT_AT: '0',
      });
      expect(whole.code, whole.stdout).toBe(found.exit ?? 0);
      const now = place.look();
      const played = { runner, place, found, old, now, others };
      const { calls } = whole;
      const points = pointsOf(calls, title);
      const next = randomOf(SEED, `way ${title}`);
      const ends: Record<string, string> = {};
      for (const { phase, at: point } of points) {
        place.reset();
        const told = `${phase}, before write ${point} of ${calls.length} (${calls[point - 1]?.join(' ') ?? 'after all'})`;
        const run = await kill(played, point);
        // Beyond the last call there is nothing to be killed at.
        expect(run.signal, `${told}: ${run.stdout}${run.stderr}`).toBe(
          point > calls.length ? null : 'SIGKILL',
        );
        const end = await follow(played, told, next() < 0.4);
        ends[phase] = [...new Set([...(ends[phase]?.split(' ') ?? []), end])].sort().join(' ');
      }
      if (process.env['TENON_TEST_FIGURES'] !== undefined)
        console.log(`${title}: ${calls.length} writes, ${points.length} ends, ${JSON.stringify(ends)}`);
      expect(points.length).toBeGreaterThan(0);
      if (ends['concluding'] !== undefined) expect(ends['concluding']).toBe('new');

      const file = changedFile(old, now);
      const commits = calls.flatMap((call, index) => (BEGINS[2]?.[1](call) === true ? [index + 1] : []));
      if (file === undefined || commits.length === 0) return;
      // Before the first rename, or after the last: whichever the seed takes, the edit stands once recovered.
      const late = randomOf(SEED, `edit ${title}`)() < 0.5;
      place.reset();
      const point = (late ? commits.at(-1) : commits[0]) ?? 1;
      await kill(played, point + (late ? 1 : 0));
      const abs = path.join(place.repo.root, file);
      fs.appendFileSync(abs, '\n');
      const edited = fs.readFileSync(abs, 'utf8');
      const recovered = await runner.run(['recover', '--json'], at);
      expect([0, 1], recovered.stdout).toContain(recovered.code);
      expect(fs.readFileSync(abs, 'utf8'), `${file}, edited after write ${point}`).toBe(edited);
      expect(isPending(place.repo)).toBe(false);
    },
    LONG,
  );
});

/** How many writing calls a run at a terminal makes, and the same run ended at some of them. */
async function killAtTerminal(
  repo: { readonly root: string; readonly home: string },
  play: (options: CliOptions) => Promise<{ readonly code: number; readonly screen: string }>,
  judge: (told: string) => Promise<void>,
): Promise<void> {
  const options: CliOptions = { cwd: repo.root, home: repo.home, mayEndEarly: true, timeoutMs: 120_000 };
  const kept = path.join(path.dirname(repo.home), 'kept');
  const copy = (from: string, to: string): void => {
    fs.rmSync(to, { recursive: true, force: true });
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  };
  for (const name of ['root', 'home'] as const) copy(repo[name], path.join(kept, name));
  const count = path.join(repo.home, 'count');
  const whole = await play({ ...options, nodeArgs: PRELOAD, env: { ...UNKEPT, COUNT_FILE: count } });
  expect(whole.code, whole.screen).toBe(0);
  const writes = Number(fs.readFileSync(count, 'utf8'));
  const next = randomOf(SEED, repo.root.length.toString());
  const all = Array.from({ length: writes }, (_, index) => index + 1);
  const some = [Math.ceil(writes * 0.2 * next()), Math.ceil(writes * (0.3 + 0.6 * next()))];
  const points = MODE === 'sample' ? some : all.filter((at) => MODE === 'all' || at % 5 === 0);
  for (const at of points.filter((one) => one > 0)) {
    for (const name of ['root', 'home'] as const) copy(path.join(kept, name), repo[name]);
    const told = `before write ${at} of ${writes}`;
    const run = await play({ ...options, nodeArgs: PRELOAD, env: { ...UNKEPT, KILL_AT: String(at) } });
    expect(run.code, `${told}: ${run.screen}`).toBe(128 + 9);
    await judge(told);
  }
}

describe('a run at a terminal that is killed', () => {
  it(
    'while trust is granted has granted what was shown, or nothing',
    async () => {
      const repo = bench(TRUST_FILES);
      const before = repo.tree();
      const answer = { expect: /Trust this item on this host/, send: '\u001b[D\r' };
      await killAtTerminal(
        repo,
        (options) => runTerminal(TRUST, [answer], options),
        async (told) => {
          const { document, stdout } = await repo.json(['trust', '--list']);
          expect(document.error, `${told}: ${stdout}`).toBeNull();
          const grants = document.data.roots.flatMap((one: { grants: object[] }) => one.grants);
          expect([0, 1], told).toContain(grants.length);
          expect(repo.tree(), told).toEqual(before);
          const again = await runTerminal(TRUST, grants.length === 0 ? [answer] : [], {
            cwd: repo.root,
            home: repo.home,
          });
          expect(again.code, `${told}: ${again.screen}`).toBe(0);
          expect((await repo.json(['trust', '--list'])).document.data.roots[0].grants).toHaveLength(1);
        },
      );
    },
    LONG,
  );

  it.each(['entered', 'rotated'] as const)(
    'while a credential is %s leaves the old or the new file, private and whole',
    async (way) => {
      const server = await sandbox({ auth: 'remote-authenticated' });
      const repo = bench({ 'README.md': 'x' });
      const file = path.join(repo.root, '.mcp.json');
      const args = [
        ...['setup', 'vera', '--runtime', 'claude-code', '--set', 'AUTH=token-file'],
        ...['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`],
      ];
      const enter: TerminalStep[] = [
        { expect: 'What may the token do?', send: '\r' },
        { expect: /Apply .*\?/, send: '\u001b[B\r' },
        { expect: 'not shown', send: `${server.apiKey}\r` },
      ];
      const other = (await server.authority?.mint({ expiresIn: 3000 })) ?? '';
      const rotate: TerminalStep[] = [
        { expect: /Apply .*\?/, send: '\u001b[B\r' },
        { expect: 'MCP token', send: `${other}\r` },
      ];
      const at: CliOptions = { cwd: repo.root, home: repo.home };
      if (way === 'rotated') expect((await runTerminal(args, enter, at)).code).toBe(0);
      const before = way === 'rotated' ? fs.readFileSync(file, 'utf8') : undefined;
      await killAtTerminal(
        repo,
        (options) =>
          way === 'entered'
            ? runTerminal(args, enter, options)
            : runTerminal([...args, '--rotate', '--existing-token'], rotate, options),
        async (told) => {
          const recovered = await repo.json(['recover']);
          expectCode(recovered, 0);
          const there = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
          if (there !== before) {
            const token = /Bearer ([\w-]+\.[\w-]+\.[\w-]+)"/.exec(there ?? '')?.[1];
            expect(token, `${told}: ${there}`).toBeDefined();
            if (way === 'rotated') expect(token, told).toBe(other);
            expect(fs.statSync(file).mode & 0o777, told).toBe(0o600);
            const status = await repo.json(['status']);
            expect(status.document.data.state, `${told}: ${status.stdout}`).toBe('ok');
          }
          const left = fs.readdirSync(repo.root).filter((name) => name.startsWith('.tenon-'));
          expect(left, told).toEqual([]);
        },
      );
    },
    LONG,
  );
});
