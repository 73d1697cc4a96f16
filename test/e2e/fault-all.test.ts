import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { bench } from '../helpers/bench.ts';
import { type CliOptions, runTerminal, type TerminalResult, type TerminalStep } from '../helpers/cli.ts';
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
import { treeOf } from '../helpers/repo.ts';
import { type Call, type Warm, type WarmRun, warm } from '../helpers/warm.ts';
import { sandbox } from './endpoint-servers.ts';

// Every call of the file system that a writing command makes fails in turn. A run of the suite takes a sample by a seed;
// TENON_TEST_FAULTS=each fails each call with one of the codes, =all with each of them once and with one of them for ever;
// TENON_TEST_SLICE=2/5 takes the second fifth of these; TENON_TEST_SEED chooses another sample.

const CODES = ['ENOSPC', 'EACCES', 'EIO', 'EROFS', 'EXDEV'] as const;
const MODE = process.env['TENON_TEST_FAULTS'] ?? 'sample';
const SEED = Number(process.env['TENON_TEST_SEED'] ?? 1);
const [SLICE = 1, SLICES = 1] = (process.env['TENON_TEST_SLICE'] ?? '1/1').split('/').map(Number);
const SAMPLE = 8;
/** Of a case that starts programs: every so-manieth call of the whole. */
const HEAVY_STEP = 12;
/** Calls that change something; of them the sample takes more. */
const WRITING = /^(?:write|fchmod|fsync|ftruncate|rename|unlink|mkdir|rmdir|chmod|chown)/;

interface Fault {
  /** From 1. */
  readonly at: number;
  readonly call: Call;
  readonly code: string;
  readonly times: 'once' | 'forever';
}

function faultsFor(calls: readonly Call[], title: string, isHeavy: boolean): Fault[] {
  const next = randomOf(SEED, title);
  const fault = (index: number, code: string, times: Fault['times']): Fault[] => {
    const call = calls[index];
    return call === undefined ? [] : [{ at: index + 1, call, code, times }];
  };
  const any = (index: number): Fault[] =>
    fault(index, CODES[Math.floor(next() * CODES.length)] ?? 'EIO', next() < 0.25 ? 'forever' : 'once');
  const every = calls
    .map((_, index) => index)
    .filter((index) => !isHeavy || index % HEAVY_STEP === 0)
    .filter((_, index) => index % SLICES === SLICE - 1);
  if (MODE === 'all' && !isHeavy)
    return every.flatMap((index) => [
      ...CODES.flatMap((code) => fault(index, code, 'once')),
      ...fault(index, CODES[index % CODES.length] ?? 'EIO', 'forever'),
    ]);
  if (MODE !== 'sample') return every.flatMap(any);
  const writing = calls.flatMap(([name], index) => (WRITING.test(name) ? [index] : []));
  const pick = (from: readonly number[]): Fault[] => any(from[Math.floor(next() * from.length)] ?? 0);
  const all = calls.map((_, index) => index);
  return Array.from({ length: isHeavy ? 2 : SAMPLE }, (_, index) =>
    pick(index % 3 === 0 ? all : writing),
  ).flat();
}

const byName = (tree: object): string =>
  JSON.stringify(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));
const same = (a: object, b: object): boolean => byName(a) === byName(b);
const STACK = /\n\s+at .*:\d+/;

const GRANTS = /^~\/\.local\/state\/tenon\/trust\//;
/** What a state file is written through: it says nothing, and where it stays it is litter. */
const PASSING = /^~\/\.local\/state\/.*\.tmp$/;
const without = (tree: Readonly<Record<string, string>>, ...names: RegExp[]): Record<string, string> =>
  Object.fromEntries(Object.entries(tree).filter(([name]) => !names.some((one) => one.test(name))));
const withoutTrust = (tree: Readonly<Record<string, string>>): object => without(tree, GRANTS);

interface Ends {
  readonly old: Readonly<Record<string, string>>;
  readonly now: Readonly<Record<string, string>>;
}

const hasError = ({ findings }: { readonly findings: readonly { readonly severity: string }[] }): boolean =>
  findings.some(({ severity }) => severity === 'error');

/** What is wrong with how a run ended; undefined when nothing is. */
async function judge(runner: Warm, place: Place, found: FaultCase, ends: Ends, run: WarmRun, fault: Fault) {
  if (run.thrown !== undefined) return `threw ${run.thrown}`;
  if (STACK.test(run.stdout + run.stderr)) return 'shows a stack';
  let document: ReturnType<typeof JSON.parse>;
  try {
    document = JSON.parse(run.stdout);
  } catch {
    return `printed no document: ${run.stdout}${run.stderr}`;
  }
  const { error } = document;
  if (run.code !== document.exitCode || ![0, 1, 2, 4, 5].includes(Number(run.code)))
    return `exit ${run.code}`;
  if (String(error?.code).startsWith('internal/')) return `${error.code}: ${error.message}`;
  const at = { cwd: place.repo.root, home: place.repo.home, env: found.env?.(place.repo) ?? {} };
  const look = (): Record<string, string> => without(place.look(), PASSING);
  const seen = look();
  const { mayStay } = found;
  const staying = (name: string): boolean =>
    mayStay?.test(name) === true && seen[name] === ends.old[name] && ends.now[name] === undefined;
  const counted = Object.fromEntries(Object.entries(seen).filter(([name]) => !staying(name)));
  const is = { old: same(seen, ends.old), now: same(counted, ends.now) };
  const what = `${error?.code ?? 'no error'} (${error?.state ?? '-'})`;
  // What a recover of any kind leads to is old or new as a whole; which of the two depends on where it stopped.
  const wasPending = found.command === 'recover';
  const told = new Set<string>((document.findings ?? []).map(({ code }: { code: string }) => code));
  if (error?.state === 'needs-recover' || (wasPending && !is.now)) {
    const recovered = await runner.run([...(wasPending ? found.args : ['recover']), '--json'], at);
    if (recovered.code !== 0) return `${what}: recover ends with ${recovered.code}: ${recovered.stdout}`;
    const after = look();
    // Consent to what was typed is recorded last, by the command itself: where it is missing, the next run records it.
    const isNow = same(withoutTrust(after), withoutTrust(ends.now));
    if (!isNow && (wasPending || !same(after, ends.old)))
      return `${what}: recovered to neither the old nor the new state: ${difference(ends, after)}`;
    if (isNow) return undefined;
  } else if (error?.state === 'unknown' && / left there: /.test(error.message)) {
    if (fault.times === 'once') return `${what}: ${error.message}`;
    return undefined;
  } else if (error !== null && error.state !== 'nothing-written' && error.state !== 'restored') {
    if (error.state !== 'written' || !is.now)
      return `${what}: says no state that is true: ${difference(ends, seen)}`;
  } else if (error !== null && !is.old) {
    return `${what}: but ${difference({ old: ends.old, now: ends.old }, seen)}`;
  } else if (error === null && told.has('trust/not-recorded')) {
    if (!same(withoutTrust(seen), withoutTrust(ends.now))) return `${what}: ${difference(ends, seen)}`;
    return undefined;
  } else if (
    error === null &&
    !is.now &&
    /^(?:stat|realpath|open|read|fstat|close)/.test(fault.call[0]) &&
    same(withoutTrust(seen), withoutTrust(ends.now))
  ) {
    // A file that a launch may name, and that could not be looked at, is bound as such: the next run sees it, and asks anew.
    const again = await runner.run([...(found.again ?? found.args), '--json'], at);
    if (again.code !== (found.exit ?? 0) || !same(withoutTrust(look()), withoutTrust(ends.now)))
      return `${what}: the next run ends with ${again.code}: ${difference(ends, look())}`;
    return undefined;
  } else if (error === null && is.old && told.has('trust/unusable')) {
    // Grants that cannot be read grant nothing: what needs one is left out, and told. The next run does it.
  } else if (error === null && !is.now && run.code === (found.exit ?? 0)) {
    return `ended with ${run.code} and not in the new state: ${difference(ends, seen)} ${JSON.stringify(document.findings).slice(0, 600)}`;
  } else if (error === null && !is.now && !is.old && found.inParts === true && hasError(document)) {
    // What could be done was, the rest is told: the next run does it.
  } else if (error === null && !is.now && !is.old) {
    return `ended with ${run.code} in neither state: ${difference(ends, seen)}`;
  }
  const mayLitter = fault.times === 'forever' || /^(?:unlink|rename|rmdir)/.test(fault.call[0]);
  const litter = place.litter();
  if (
    error === null &&
    told.has('state/leftover') &&
    litter.some((name) => /journal\/\w+\.json$/.test(name))
  ) {
    // Everything is written, and that the journal could not be put away is told: recover does it.
    const recovered = await runner.run(['recover', '--json'], at);
    if (
      recovered.code !== 0 ||
      !same(withoutTrust(look()), withoutTrust(ends.now)) ||
      place.litter().length > 0
    )
      return `${what}: recover ends with ${recovered.code}: ${recovered.stdout}`;
    return undefined;
  }
  if (!mayLitter && error?.state !== 'needs-recover' && !wasPending && litter.length > 0)
    return `${what}: left ${litter.join(', ')}`;
  if (is.now || wasPending) return undefined;
  const again = await runner.run([...found.args, '--json'], at);
  if (again.code !== (found.exit ?? 0) || !same(look(), ends.now))
    return `${what}: the next run ends with ${again.code}: ${difference({ old: ends.now, now: ends.now }, look())} ${again.stdout.slice(0, 500)}`;
  return undefined;
}

function difference({ old, now }: Ends, seen: Readonly<Record<string, string>>): string {
  const names = new Set([...Object.keys(old), ...Object.keys(now), ...Object.keys(seen)]);
  const odd = [...names].filter((name) => seen[name] !== old[name] || seen[name] !== now[name]);
  odd.sort(
    (a, b) =>
      Number(side(b, { old, now }, seen).startsWith('other')) -
      Number(side(a, { old, now }, seen).startsWith('other')),
  );
  return odd.map((name) => `${name} is ${side(name, { old, now }, seen)}`).join(', ');
}

const side = (name: string, { old, now }: Ends, seen: Readonly<Record<string, string>>): string =>
  seen[name] === old[name] ? 'old' : seen[name] === now[name] ? 'new' : `other (${seen[name]})`;

it('every command that writes has a case', () => {
  // What the table says of a command decides: its kind, or words that tell of a file that it writes or records.
  const writing = COMMANDS.filter(
    ({ effect, effectText, load }) =>
      load !== undefined &&
      (effect === 'writes' || effect === 'state' || /\b(?:writes|records|saves)\b/.test(effectText ?? '')),
  ).map(({ name }) => name);
  expect(writing).toEqual(expect.arrayContaining(['setup', 'plan', 'doctor', 'state', 'certify', 'new']));
  const cased = new Set(FAULT_CASES.map(({ command }) => command));
  expect(writing.filter((name) => !cased.has(name))).toEqual([]);
});

describe('a call that fails loses nothing, mixes nothing, and is told', () => {
  const runner = warm();
  it.each(FAULT_CASES.map((found) => [`${found.command}: ${found.title}`, found] as const))(
    '%s',
    async (title, found) => {
      const place = await placeFor(found);
      const at = { cwd: place.repo.root, home: place.repo.home, env: found.env?.(place.repo) ?? {} };
      const old = place.look();
      const whole = await runner.run([...found.args, '--json'], at, { FAULT_CALL: 'any', FAULT_AT: '0' });
      expect(whole.code, whole.stdout).toBe(found.exit ?? 0);
      const now = place.look();
      const faults = faultsFor(whole.calls, title, found.isHeavy === true);
      const wrong: string[] = [];
      const exits: Record<string, number> = {};
      for (const fault of faults) {
        place.reset();
        const run = await runner.run([...found.args, '--json'], at, {
          FAULT_CALL: 'any',
          FAULT_AT: String(fault.at),
          FAULT_CODE: fault.code,
          FAULT_TIMES: fault.times === 'once' ? '1' : 'forever',
        });
        exits[String(run.code)] = (exits[String(run.code)] ?? 0) + 1;
        const why = await judge(runner, place, found, { old, now }, run, fault);
        const where = fault.call[1].replace(place.repo.root, '$ROOT').replace(place.repo.home, '$HOME');
        if (why !== undefined)
          wrong.push(
            `${fault.at}/${whole.calls.length} ${fault.call[0]} ${where} ${fault.code} ${fault.times}: ${why}`,
          );
      }
      if (process.env['TENON_TEST_FIGURES'] !== undefined)
        console.log(
          `${title}: ${whole.calls.length} calls, ${faults.length} faults, exits ${JSON.stringify(exits)}`,
        );
      if (wrong.length > 0) throw new Error(`${wrong.length} of ${faults.length}:\n${wrong.join('\n')}`);
      expect(faults.length).toBeGreaterThan(0);
    },
    3_600_000,
  );
});

describe('a writing call that fails at a terminal', () => {
  const SAID = /Nothing was written\.|Every file was put back|tenon recover|were written|not known/;
  const fails = async (
    place: { readonly root: string; readonly home: string },
    play: (options: CliOptions) => Promise<TerminalResult>,
    look: () => unknown,
  ): Promise<number> => {
    const options: CliOptions = { cwd: place.root, home: place.home, mayEndEarly: true };
    const count = path.join(place.home, 'count');
    const keep = path.join(path.dirname(place.home), 'kept');
    for (const name of ['root', 'home'] as const)
      fs.cpSync(place[name], path.join(keep, name), { recursive: true, verbatimSymlinks: true });
    const reset = (): void => {
      for (const name of ['root', 'home'] as const) {
        fs.rmSync(place[name], { recursive: true });
        fs.cpSync(path.join(keep, name), place[name], { recursive: true, verbatimSymlinks: true });
      }
    };
    const before = look();
    const nodeArgs = ['--require', path.resolve('test/helpers/fault-preload.cjs')];
    const whole = await play({ ...options, nodeArgs, env: { ...UNKEPT, COUNT_FILE: count } });
    expect(whole.code, whole.screen).toBe(0);
    const writes = Number(fs.readFileSync(count, 'utf8'));
    const next = randomOf(SEED);
    const all = Array.from({ length: writes }, (_, index) => index + 1);
    const chosen = MODE === 'sample' ? all.filter(() => next() < 4 / writes) : all;
    let failed = 0;
    for (const at of chosen) {
      reset();
      const env = {
        ...UNKEPT,
        FAULT_CALL: 'writing',
        FAULT_AT: String(at),
        FAULT_CODE: CODES[at % CODES.length] ?? 'EIO',
      };
      const run = await play({ ...options, nodeArgs, env });
      const told = `${at}/${writes} ${env.FAULT_CODE}: ${run.screen}`;
      expect(run.screen, told).not.toMatch(/internal\/|\n\s+at .*:\d+/);
      if (run.code === 0) continue;
      failed += 1;
      expect([2, 4, 5], told).toContain(run.code);
      expect(run.screen, told).toMatch(SAID);
      if (/Nothing was written|put back/.test(run.screen)) expect(look(), told).toEqual(before);
    }
    return failed;
  };
  const stateOf = (home: string, ...parts: string[]): unknown => {
    const folder = path.join(home, '.local/state/tenon', ...parts);
    const all = fs.existsSync(folder) ? Object.entries(treeOf(folder)) : [];
    // An empty folder of the state folder says nothing.
    return all.filter(([, line]) => !line.startsWith('folder'));
  };

  it('while trust is granted, grants nothing or what was shown', async () => {
    const repo = bench(TRUST_FILES);
    const answer = { expect: /Trust this item on this host/, send: '\u001b[D\r' };
    const failed = await fails(
      repo,
      (options) => runTerminal(TRUST, [answer], options),
      () => stateOf(repo.home, 'trust'),
    );
    expect(failed).toBeGreaterThan(0);
  }, 3_600_000);

  it('while a credential is written, leaves no token behind and says that one was issued', async () => {
    const server = await sandbox({ auth: 'remote-authenticated' });
    const repo = bench({ 'README.md': 'x' });
    const args = [
      ...['setup', 'vera', '--runtime', 'claude-code', '--set', 'AUTH=token-file'],
      ...['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`],
    ];
    const enter: TerminalStep[] = [
      { expect: 'What may the token do?', send: '\r' },
      { expect: /Apply .*\?/, send: '\u001b[B\r' },
      { expect: 'not shown', send: `${server.apiKey}\r` },
    ];
    const failed = await fails(
      repo,
      async (options) => {
        const run = await runTerminal(args, enter, options);
        expect(run.raw).not.toMatch(/ey[\w-]+\.[\w-]+\.[\w-]+/);
        if (run.code !== 0 && run.screen.includes('Asking for a token'))
          expect(run.screen.replace(/\s+/g, ' ')).toContain('token was issued');
        return run;
      },
      () => [treeOf(repo.root, { git: true }), stateOf(repo.home, 'ledger'), stateOf(repo.home, 'backup')],
    );
    expect(failed).toBeGreaterThan(0);
  }, 3_600_000);
});
