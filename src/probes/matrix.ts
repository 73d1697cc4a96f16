import type { DoctorMatrix } from '../reporting/doctor-view.ts';
import type { Tier } from '../runtimes/tier.ts';
import type { HostState } from './host.ts';
import type { Overview, Part, PartState } from './overview.ts';

type Cell = NonNullable<DoctorMatrix['rows'][number]['cells'][string]>;

const PARTS: readonly Part[] = ['server', 'hook', 'skill', 'permissions', 'text'];

const PART_CELLS: Readonly<Record<PartState, Cell>> = {
  ok: { status: 'pass' },
  attention: { status: 'warn' },
  edited: { status: 'fail', note: 'edited' },
  missing: { status: 'fail', note: 'missing' },
};

const TOOL_CELLS: Readonly<Record<HostState, Cell>> = {
  absent: { status: 'fail', note: 'absent' },
  written: { status: 'pass', note: 'asks nothing' },
  untrusted: { status: 'warn', note: 'untrusted' },
  'awaiting-approval': { status: 'warn', note: 'pending' },
  rejected: { status: 'warn', note: 'rejected' },
  disabled: { status: 'warn', note: 'off' },
  denied: { status: 'fail', note: 'denied' },
  approved: { status: 'pass', note: 'approved' },
  unknown: { status: 'skip', note: 'not known' },
};

const CONNECTED_CELLS: Readonly<Record<'yes' | 'no', Cell>> = {
  yes: { status: 'pass', note: 'seen' },
  no: { status: 'skip', note: 'not seen' },
};

const TIER_CELLS: Readonly<Record<Tier, Cell>> = {
  'not-detected': { status: 'skip', note: 'not here' },
  detected: { status: 'skip', note: 'detected' },
  configured: { status: 'warn', note: 'not certified' },
  certified: { status: 'pass', note: 'certified' },
  degraded: { status: 'fail', note: 'degraded' },
  unsupported: { status: 'fail', note: 'unsupported' },
};

/** The overview as the table at the head of the report; a part that no coding tool has is left out. */
export function matricesOf(overview: Overview): DoctorMatrix[] {
  return Object.entries(overview).map(([integration, byRuntime]) => {
    const entries = Object.entries(byRuntime);
    const parts = PARTS.map((part) => ({
      part,
      cells: Object.fromEntries(
        entries.flatMap(([id, { parts: own }]) => {
          const state = own[part];
          return state === undefined ? [] : [[id, PART_CELLS[state]]];
        }),
      ),
    }));
    const inTool = Object.fromEntries(
      entries.flatMap(([id, { inTool: state }]) => (state === undefined ? [] : [[id, TOOL_CELLS[state]]])),
    );
    const connected = Object.fromEntries(
      entries.flatMap(([id, { connected: seen }]) =>
        seen === 'unknown' ? [] : [[id, CONNECTED_CELLS[seen]]],
      ),
    );
    const tiers = Object.fromEntries(
      entries.flatMap(([id, { tier }]) => (tier === undefined ? [] : [[id, TIER_CELLS[tier]]])),
    );
    return {
      integration: integration.replace(/^add:/u, ''),
      runtimes: entries.map(([id]) => id),
      rows: [
        ...parts,
        { part: 'in the tool', cells: inTool },
        { part: 'connected', cells: connected },
        { part: 'tier', cells: tiers },
      ].filter(({ cells }) => Object.keys(cells).length > 0),
    };
  });
}
