import { describe, expect, test } from 'vitest';
import { DEFAULT_QUOTAS, quotas } from '../../../src/sandbox/quota.ts';

const codeOf = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { data: unknown }).data;
  }
};

describe('quotas', () => {
  test('have the contract’s defaults', () => {
    expect(DEFAULT_QUOTAS).toEqual({ read: 120, context: 20, propose: 30, feedback: 60, snapshot: 10 });
  });

  test('count per principal and bucket in fixed windows', () => {
    let now = 0;
    const { take } = quotas(
      () => ({ ...DEFAULT_QUOTAS, read: 1, snapshot: 1 }),
      () => now,
    );
    take('a', 'knowledge_search');
    take('b', 'knowledge_search');
    expect(codeOf(() => take('a', 'knowledge_bootstrap'))).toEqual({
      code: 'quota_exceeded',
      bucket: 'read',
    });
    expect(codeOf(() => take('a', 'knowledge_get_context'))).toBeUndefined();
    now = 59_999;
    expect(codeOf(() => take('a', 'memory_get_context'))).toMatchObject({ bucket: 'read' });
    now = 60_000;
    expect(codeOf(() => take('a', 'knowledge_search'))).toBeUndefined();
    take('a', 'knowledge_create_snapshot');
    now = 60_000 + 3_599_999;
    expect(codeOf(() => take('a', 'knowledge_create_snapshot'))).toMatchObject({ bucket: 'snapshot' });
    now += 1;
    expect(codeOf(() => take('a', 'knowledge_create_snapshot'))).toBeUndefined();
  });
});
