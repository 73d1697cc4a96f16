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

  // Hashes that version 0.171.0 of the client gave for these handlers itself.
  it.each([
    [
      'pre_tool_use',
      '^(mcp__vera__a|mcp__vera__b)$',
      { type: 'command', command: 'node x.cjs', timeout: 10 },
      '31bed91e63d634c464a0f1d23b017e918a7b5207401592160f72680c3def498a',
    ],
    [
      'session_start',
      'startup|resume|clear|compact',
      { type: 'command', command: 'echo b' },
      '74f12ba99f485e3f8b744582579e3e26bf86eef831988e22ca693e5e45cf9666',
    ],
    [
      'session_start',
      undefined,
      { type: 'command', command: 'echo ünï "q" \\ / <&>', timeout: 5, statusMessage: 'x y' },
      '250fad4451b764feb050582f40f0263a4315ee77a5c40ed7f034cdda2578f222',
    ],
    [
      'session_start',
      'startup',
      { type: 'command', command: 'echo w', commandWindows: 'powershell x', timeout: 5, async: true },
      'b293decec0a167b6aa8f6bd8ee870638c9f6d82e4c7316fab96fff571fc45322',
    ],
  ])('is what the client itself gives: %s %s', (event, matcher, members, wanted) => {
    const one: Handler = { ...handler(members), matcher };
    expect(reviewHash(review, one, event)).toBe(`sha256:${wanted}`);
  });

  it('is off while its user says so, trusted or not', () => {
    const one = handler({ type: 'command', command: 'x' });
    const key = '/repo/.codex/hooks.json:session_start:1:0';
    const memory = { trusted_hash: reviewHash(review, one, 'session_start'), enabled: false };
    const value = { hooks: { state: { [key]: memory } } };
    expect(reviewState(review, one, { abs: '/repo/.codex/hooks.json' }, { value })).toBe('off');
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
