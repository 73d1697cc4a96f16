import { describe, expect, test } from 'vitest';
import { type Migration, migrated, migrationProblem } from '../../../src/state/migrate.ts';

const steps: readonly Migration[] = [
  { from: 2, migrate: ({ b, ...rest }) => ({ ...rest, c: b ?? null }) },
  { from: 1, migrate: ({ a, ...rest }) => ({ ...rest, b: a ?? null }) },
];

describe('a document of an older version', () => {
  test('goes through every step in the order of the versions, and through none twice', () => {
    const first = migrated({ schemaVersion: 1, a: 'x', keep: [1] }, 3, steps);
    expect(first).toEqual({ ok: true, value: { schemaVersion: 3, c: 'x', keep: [1] } });
    if (!first.ok) throw new Error('failed');
    expect(migrated(first.value, 3, steps)).toEqual(first);
    expect(migrated({ schemaVersion: 2, b: 'x' }, 3, steps)).toEqual({
      ok: true,
      value: { schemaVersion: 3, c: 'x' },
    });
  });

  test('is not changed itself, and keeps its version when a step fails', () => {
    const document = { schemaVersion: 1, a: 'x' };
    const failing = migrated(document, 3, [
      ...steps.filter(({ from }) => from === 1),
      {
        from: 2,
        migrate: () => {
          throw new Error('cannot');
        },
      },
    ]);
    expect(failing).toEqual({ ok: false, why: 'failed', version: 2 });
    expect(document).toEqual({ schemaVersion: 1, a: 'x' });
    expect(failing.ok || migrationProblem(failing, 3)).toMatch(/version 2.*knows version 3.*failed/);
  });

  test('that no step leads on from, or of a newer one, is refused', () => {
    expect(migrated({ schemaVersion: 0 }, 3, steps)).toEqual({ ok: false, why: 'gap', version: 0 });
    expect(migrated({ schemaVersion: 4 }, 3, steps)).toEqual({ ok: false, why: 'newer', version: 4 });
    expect(migrated({ schemaVersion: 1.5 }, 3, steps)).toEqual({ ok: false, why: 'gap', version: 1.5 });
  });

  test('without a version is left to the check of its shape', () => {
    for (const value of [null, [], {}, { schemaVersion: '1' }])
      expect(migrated(value, 3, steps)).toEqual({ ok: true, value });
  });
});
