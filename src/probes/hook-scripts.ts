import { compileFunction } from 'node:vm';
import type { Finding } from '../errors/error.ts';
import { missingHookScripts } from '../runtimes/hook-scripts.ts';
import { isWithin } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import { type Facts, isInspection } from './facts.ts';
import { type Ours, oursOf, placeOf } from './ours.ts';
import { found, idle, type Probe, skipped } from './probe.ts';
import { sharedFiles } from './readers.ts';

/** Hooks of any owner whose script is not on disk (case D05). */
export const hookTargetsProbe: Probe = {
  id: 'hooks/targets',
  title: 'Hooks call scripts that exist',
  needs: ['config/readable'],
  run(facts) {
    const files = sharedFiles(facts).filter(
      ({ document, readers }) =>
        document.state === 'parsed' && readers.some(({ runtime }) => runtime.spec.hooks !== undefined),
    );
    if (files.length === 0) return idle('there is no file that could hold hooks');
    const findings = files.flatMap(({ document, readers }) => {
      const seen = new Map<string, Finding>();
      for (const { runtime } of readers) {
        for (const one of missingHookScripts(runtime.spec, document, facts.base)) {
          seen.set(one.message, { ...one, data: { ...one.data, file: document.path } });
        }
      }
      return [...seen.values()];
    });
    return found(findings, 'no hook calls a missing script');
  },
};

const TIMEOUT_MS = 5_000;

/**
 * Whether the installed Node parses our scripts. Only a bundled script with exactly the bytes that this package ships is
 * given to `node --check`, which runs nothing; everything else is repository content and is not touched.
 */
export const hookParseProbe: Probe = {
  id: 'hooks/scripts',
  title: 'Our scripts parse',
  run(facts) {
    const all = oursOf(facts).filter(
      ({ target, judgement }) => isScript(target.path) && isFile(judgement.slot),
    );
    if (all.length === 0) return idle('no script of ours is set up');
    const own = all.filter((one) => isShipped(one, facts));
    if (own.length === 0)
      return skipped('no script is recorded here as ours and unedited, so none is looked into');
    const node = nodeOf(facts);
    if (node === undefined) return skipped('node is not on PATH, or is a file of this repository');
    const seen = new Set<string>();
    const findings = own.flatMap((one): Finding[] => {
      const text = String(one.judgement.slot.wish?.value);
      if (seen.has(text)) return [];
      seen.add(text);
      return isParsedHere(one, node, facts) ? [] : check(one, node, facts);
    });
    return found(
      findings,
      `${own.length} ${own.length === 1 ? 'script' : 'scripts'} as shipped, and they parse`,
    );
  },
};

const isScript = (path: string): boolean => /\.[cm]?js$/u.test(path);
const isFile = ({ wish, record }: Ours['judgement']['slot']): boolean =>
  (wish?.target ?? record)?.place.kind === 'file';

/** Of an integration of this package, recorded on this host, and unchanged on disk. */
function isShipped({ judgement, isUntouched }: Ours, { inspection }: Facts): boolean {
  const { wish } = judgement.slot;
  if (!isUntouched || typeof wish?.value !== 'string' || !isInspection(inspection)) return false;
  const { integration } = wish.main.owner;
  return inspection.selections.some(
    ({ enrolment, loaded }) => enrolment.integration === integration && loaded.source === 'bundled',
  );
}

function nodeOf({ system, base }: Facts): AbsPath | undefined {
  const program = system.exec.which('node');
  if (program === undefined) return undefined;
  const real = base.reader.realpath(program) ?? program;
  return [program, real].some((path) => isWithin(base.root, path, base.platform)) ? undefined : program;
}

/**
 * Whether this very Node is the installed one and parses the script: starting another process takes as long as the whole
 * of doctor. Nothing is run. What it refuses is asked again, for the reason in the words of `node --check`.
 */
function isParsedHere(one: Ours, node: AbsPath, { system, base }: Facts): boolean {
  if (one.target.path.endsWith('.mjs') || system.host.node === undefined) return false;
  if ((base.reader.realpath(node) ?? node) !== system.host.node) return false;
  try {
    compileFunction(String(one.judgement.slot.wish?.value), [...MODULE_SCOPE]);
    return true;
  } catch {
    return false;
  }
}

/** What a CommonJS script finds around it. */
const MODULE_SCOPE = ['exports', 'require', 'module', '__filename', '__dirname'] as const;

/** The script goes in by stdin, so that nothing can be put in its place between reading and checking. */
function check(one: Ours, node: AbsPath, facts: Facts): Finding[] {
  const { exec, host } = facts.system;
  const isModule = one.target.path.endsWith('.mjs');
  const result = exec.run(node, ['--check', `--input-type=${isModule ? 'module' : 'commonjs'}`, '-'], {
    cwd: host.home,
    env: { PATH: host.env['PATH'] ?? '' },
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024,
    input: String(one.judgement.slot.wish?.value),
  });
  if (result.code === 0) return [];
  const why =
    result.problem === undefined
      ? (/^\w*Error: .*$/mu.exec(result.stderr)?.[0] ?? 'no reason given')
      : result.problem;
  return [
    {
      code: 'hook/script-broken',
      severity: result.problem === undefined ? 'error' : 'warning',
      subject: one.address,
      message: `the installed node does not take ${placeOf(facts, one.target.path).display}: ${why.slice(0, 200)}`,
      remedy: { text: 'Update Node, or leave the hook out', command: 'tenon sync' },
      data: { file: one.target.path },
    },
  ];
}
