import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Handler, reviewHash, reviewState } from '../../../src/probes/hook-gates.ts';
import { specOf } from '../../runtimes/support.ts';

const review = specOf('codex').hooks?.review;
if (review === undefined) throw new Error('Codex has no review');
const hashed = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const handler = (members: Handler['members'], matcher: Handler['matcher'] = 'startup'): Handler => ({
  event: 'SessionStart',
  group: 1,
  index: 0,
  matcher,
  members,
  path: [],
});

describe("the identity of a hook in Codex's review", () => {
  it('is the hash of sorted compact JSON, with the defaults of the client', () => {
    expect(reviewHash(review, handler({ type: 'command', command: 'echo "hi"' }), 'session_start')).toBe(
      hashed(
        '{"event_name":"session_start","hooks":[{"async":false,"command":"echo \\"hi\\"","timeout":600,"type":"command"}],"matcher":"startup"}',
      ),
    );
  });

  it('holds timeout and status message, no other member, and no matcher where there is none', () => {
    const members = { type: 'command', command: 'x', timeout: 10, statusMessage: 'm', commandWindows: 'y' };
    expect(reviewHash(review, { ...handler(members), matcher: undefined }, 'pre_tool_use')).toBe(
      hashed(
        '{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"x","statusMessage":"m","timeout":10,"type":"command"}]}',
      ),
    );
  });

  it('stands under file, event and positions', () => {
    const one = handler({ type: 'command', command: 'x' });
    const document = { abs: '/repo/.codex/hooks.json' };
    const memory = (hash: string | undefined, key = '/repo/.codex/hooks.json:session_start:1:0') => ({
      value: { hooks: { state: { [key]: hash === undefined ? {} : { trusted_hash: hash } } } },
    });
    const hash = reviewHash(review, one, 'session_start');
    expect(reviewState(review, one, document, memory(hash))).toBe('trusted');
    expect(reviewState(review, one, document, memory('sha256:00'))).toBe('modified');
    expect(reviewState(review, one, document, memory(undefined))).toBe('untrusted');
    expect(
      reviewState(review, one, document, memory(hash, '/repo/.codex/hooks.json:session_start:0:0')),
    ).toBe('untrusted');
  });
});
