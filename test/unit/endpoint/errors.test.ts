import { describe, expect, test } from 'vitest';
import { mapStructuredError, STRUCTURED_ERRORS } from '../../../src/endpoint/errors.ts';

describe('mapStructuredError', () => {
  test('knows the nine codes with their integers (V54)', () => {
    expect(
      Object.fromEntries(Object.entries(STRUCTURED_ERRORS).map(([code, { integer }]) => [code, integer])),
    ).toEqual({
      unauthenticated: -32001,
      unauthorized: -32002,
      invalid_input: -32602,
      quota_exceeded: -32003,
      ambiguous_project: -32004,
      project_out_of_scope: -32005,
      expired_context_pack: -32006,
      unsupported_version: -32007,
      internal_error: -32603,
    });
  });

  test.each([
    ['required_scope', 'memory:propose'],
    ['field', 'query'],
    ['bucket', 'read'],
  ])('shows %s', (key, value) => {
    expect(mapStructuredError({ code: 'unauthorized', [key]: value })).toMatchObject({
      code: 'unauthorized',
      detail: `${key} ${value}`,
      message: `The server answers unauthorized (${key} ${value}).`,
    });
  });

  test('shows all three where they are given, each escaped and bounded, and nothing else', () => {
    const long = `\u001b[2J${'x'.repeat(300)}`;
    const { message } = mapStructuredError({
      code: 'quota_exceeded',
      required_scope: 'memory:read',
      field: long,
      bucket: 'context',
      principal: 'hunter2',
    });
    expect(message).toMatch(
      /^The server answers quota_exceeded \(required_scope memory:read, field \\e\[2Jx+…, bucket context\)\.$/,
    );
    expect(message.length).toBeLessThan(200);
    expect(message).not.toContain('hunter2');
  });

  test('an unknown code is shown as the code alone, escaped and bounded', () => {
    const mapped = mapStructuredError({
      code: `new\u001b[31m${'x'.repeat(500)}`,
      message: 'hunter2',
      hint: 'hunter2',
    });
    expect(mapped.action).toBeUndefined();
    expect(mapped.message).toMatch(/^The server answers new\\e\[31mx+…\.$/);
    expect(mapped.message.length).toBeLessThan(120);
    expect(mapped.message).not.toContain('hunter2');
  });

  test.each([undefined, null, 'text', 7, [], { code: 5 }, { code: null }])('%j has no code', (data) => {
    expect(mapStructuredError(data, -32000)).toEqual({
      code: undefined,
      action: undefined,
      detail: undefined,
      message: 'The server answers an error without a code (-32000).',
    });
  });

  test('names of the prototype are no codes', () => {
    for (const code of ['__proto__', 'constructor', 'toString']) {
      expect(mapStructuredError({ code }).action).toBeUndefined();
    }
  });
});
