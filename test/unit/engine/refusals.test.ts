import { beforeAll, describe, expect, it } from 'vitest';
import { enrolmentKey } from '../../../src/engine/address.ts';
import type { FileGroup } from '../../../src/engine/file-outcome.ts';
import type { Slot } from '../../../src/engine/judgement.ts';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import { refused } from '../../../src/engine/refusals.ts';
import type { Finding } from '../../../src/errors/error.ts';
import { loadFormats } from '../../../src/formats/index.ts';

const wishOf = (classes: readonly string[]) => ({
  target: { format: 'json', place: { kind: 'key', path: ['permission', 'bash'] } },
  value: 'ask',
  classes,
  runtimes: ['opencode'],
});
const slotOf = (classes: readonly string[]) => ({ wish: wishOf(classes) }) as unknown as Slot;
const group = (slots: readonly Slot[]) =>
  ({ slots, facts: { path: 'opencode.json' }, record: undefined }) as unknown as FileGroup;
const request = { tolerant: false } as unknown as PlanRequest;
const problem = (code: Finding['code'], remedy?: Finding['remedy']): Finding => ({
  code,
  severity: 'error',
  subject: 'opencode.json',
  message: 'it leaves no place for this',
  ...(remedy === undefined ? {} : { remedy }),
});
const remedyOf = (classes: readonly string[], one: Finding): string | undefined => {
  const slot = slotOf(classes);
  return refused(group([slot]), request, one, slot).conflicts[0]?.remedy;
};

beforeAll(() => loadFormats(['json']));

describe('a file that is refused', () => {
  it('offers to leave rules out where its shape has no place for them, and nothing else so', () => {
    expect(remedyOf(['grants'], problem('config/shape'))).toContain('--without permissions');
    expect(remedyOf(['connects'], problem('config/shape'))).toBe(
      'Mend the file by hand, then run the command again',
    );
    expect(remedyOf(['grants'], problem('config/malformed'))).not.toContain('--without');
    expect(refused(group([]), request, problem('config/shape')).conflicts[0]?.remedy).not.toContain(
      '--without',
    );
  });

  it('passes on the remedy of its problem, the command before the words', () => {
    expect(
      remedyOf(['connects'], problem('file/read-only', { text: 'Make it writable', command: 'chmod u+w f' })),
    ).toBe('chmod u+w f');
    expect(remedyOf(['connects'], problem('file/read-only', { text: 'Make it writable' }))).toBe(
      'Make it writable',
    );
  });

  it('is one conflict with the text to paste, and no finding or write', () => {
    const slot = slotOf(['grants']);
    const outcome = refused(group([slot]), { ...request, tolerant: true }, problem('file/hard-linked'), slot);
    expect(outcome).toMatchObject({ plan: undefined, ops: [], findings: [], containers: [], skipped: true });
    expect(outcome.conflicts).toMatchObject([
      {
        address: 'opencode.json',
        choices: ['force'],
        runtimes: ['opencode'],
        snippet: expect.stringContaining('"bash"'),
      },
    ]);
  });
});

it('names what is set up by its scope, but for that of the project', () => {
  expect(enrolmentKey('vera', 'project')).toBe('vera');
  expect(enrolmentKey('vera', 'user')).toBe('user vera');
});
