import { getIn, isObject, type Json } from '../lib/json.ts';
import { type GateData, readGate } from '../runtimes/gates.ts';
import { isWithin, pathsOf, samePath } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import type { Document } from './documents.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { gateDocument } from './gate-document.ts';

const NOBODY = { server: '' };

/**
 * Whether a client's record of trusted folders counts this root, and the folder it names (case I04): the root itself in
 * any spelling or through a link, the main checkout of a worktree or a folder above where the gate says so. The nearest
 * folder decides.
 */
export function trustedFolder(gate: GateData, document: Document, facts: Facts): string | undefined {
  const { base } = facts;
  const at = gate.at.indexOf('{root}');
  if (at < 0 && gate.value !== '{root}') {
    const reading = readGate(gate, document.value, NOBODY, base.root, base.platform);
    return reading.state === 'set' ? base.root : undefined;
  }
  const records = getIn(document.value, at < 0 ? gate.at : gate.at.slice(0, at));
  const paths = pathsOf(base.platform);
  const candidates = foldersIn(records)
    .map((named) => {
      const isAbove = gate.parent !== undefined && isObject(records) && records[named] === gate.parent;
      const folder = isAbove ? paths.dirname(named) : named;
      return { folder, isAbove, distance: distanceOf(folder, gate, facts) };
    })
    .filter((one): one is typeof one & { distance: number } => one.distance !== undefined)
    .sort((a, b) => a.distance - b.distance);
  const nearest = candidates[0];
  if (nearest === undefined) return undefined;
  // Several spellings of the nearest folder: one that is trusted is enough.
  return candidates
    .filter(({ distance }) => distance === nearest.distance)
    .find(
      ({ folder, isAbove }) =>
        isAbove || readGate(gate, document.value, NOBODY, folder, base.platform).state === 'set',
    )?.folder;
}

function foldersIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string');
  return isObject(value) ? Object.keys(value) : [];
}

/** 0 for this folder, more the farther away; undefined for a folder that does not count. */
function distanceOf(folder: string, gate: GateData, facts: Facts): number | undefined {
  const { root, platform, reader } = facts.base;
  const paths = pathsOf(platform);
  if (!paths.isAbsolute(folder)) return undefined;
  const real: AbsPath = realOf(folder, facts);
  const same = (target: AbsPath) => samePath(folder, target, platform) || samePath(real, target, platform);
  if (same(root)) return 0;
  if (gate.covers?.includes('worktrees')) {
    const main = mainCheckout(facts);
    if (main !== undefined && (same(main) || samePath(real, reader.realpath(main) ?? main, platform)))
      return 0;
  }
  if (gate.covers?.includes('below') && isWithin(real, root, platform)) {
    return paths.relative(real, root).split(paths.sep).length;
  }
  return undefined;
}

function realOf(folder: string, { base }: Facts): AbsPath {
  try {
    return base.reader.realpath(folder) ?? folder;
  } catch {
    return folder;
  }
}

/** The checkout whose git folder a worktree shares; undefined for other roots. */
export function mainCheckout({ repo, base }: Facts): AbsPath | undefined {
  const paths = pathsOf(base.platform);
  if (repo.kind !== 'worktree' || paths.basename(repo.commonDir) !== '.git') return undefined;
  return paths.join(paths.dirname(repo.commonDir), paths.relative(repo.top, repo.root));
}

/** Whether a client asks for trust of this folder at all, and has it; `text` is its own remedy. */
export function trustHere(
  runtime: Examined,
  facts: Facts,
): {
  readonly isAsked: boolean;
  readonly isTrusted: boolean;
  /** A record of trust cannot be read. */
  readonly cannotTell: boolean;
  readonly text: string | undefined;
} {
  const gates = runtime.spec.gates.flatMap((gate) => {
    const document =
      gate.kind === 'trust' || gate.kind === 'trust-on' ? gateDocument(runtime, gate, facts) : undefined;
    return document === undefined ? [] : [{ gate, document }];
  });
  const trusts = gates.filter(({ gate }) => gate.kind === 'trust');
  const switches = gates.filter(({ gate }) => gate.kind === 'trust-on');
  const isOn = switches.some(({ gate, document }) => trustedFolder(gate, document, facts) !== undefined);
  return {
    isAsked: trusts.length > 0 && (switches.length === 0 || isOn),
    isTrusted: trusts.some(({ gate, document }) => trustedFolder(gate, document, facts) !== undefined),
    cannotTell: gates.some(({ document }) => document.state === 'blocked' || document.state === 'malformed'),
    text: trusts[0]?.gate.text,
  };
}
