import { describe, expect, it } from 'vitest';
import { filesAwaiting, fillCredential, placeholderOf } from '../../../src/engine/credential.ts';
import { fingerprint, sha256 } from '../../../src/engine/fingerprint.ts';
import type { ApprovedPlan, FilePlan, Ledger } from '../../../src/engine/types.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (file: FilePlan | undefined): string => new TextDecoder().decode(file?.result);

function file(path: string, content: string): FilePlan {
  const result = bytes(content);
  return {
    path,
    abs: `/r/${path}`,
    real: `/r/${path}`,
    action: 'create',
    order: 'normal',
    base: undefined,
    baseHash: 'absent',
    result,
    resultHash: sha256(result),
    mode: 0o600,
    inPlace: false,
    makeDirs: [],
    removeDirs: [],
    ops: [],
    outside: false,
  };
}

function plan(...files: FilePlan[]): ApprovedPlan {
  const root: Ledger = {
    schemaVersion: 1,
    root: '/r',
    files: files.map(({ path, resultHash, result }) => ({
      path,
      createdFile: true,
      createdDirs: [],
      containers: [],
      before: { hash: 'absent', size: 0 },
      after: { hash: resultHash, size: result?.length ?? 0 },
      bom: false,
      eol: '\n',
    })),
    records: [],
    enrolments: [],
  };
  return {
    schemaVersion: 1,
    command: 'setup',
    root: '/r',
    files,
    ops: [],
    conflicts: [],
    findings: [],
    isEmpty: false,
    isApplicable: true,
    digest: sha256('plan'),
    ledgers: { root },
  } as unknown as ApprovedPlan;
}

const TOKEN = 'aaaa.bbbb.cc-c_c';

describe('a credential is put into an approved plan', () => {
  it('once, with hash and size of the ledger following, and the digest left alone', () => {
    const before = plan(file('a.json', '{"a":"Bearer <X_JWT>"}\n'), file('b', 'plain\n'));
    const after = fillCredential(before, 'X_JWT', TOKEN);
    expect(text(after.files[0])).toBe(`{"a":"Bearer ${TOKEN}"}\n`);
    expect(after.files[1]).toBe(before.files[1]);
    expect(after.digest).toBe(before.digest);
    expect(after.ledgers.root?.files[0]?.after).toEqual({
      hash: sha256(bytes(`{"a":"Bearer ${TOKEN}"}\n`)),
      size: text(after.files[0]).length,
    });
    expect(after.ledgers.root?.files[1]).toEqual(before.ledgers.root?.files[1]);
    expect(JSON.stringify({ ...after, files: [] })).not.toContain(TOKEN);
    expect(filesAwaiting(before, 'X_JWT').map(({ path }) => path)).toEqual(['a.json']);
    expect(filesAwaiting(after, 'X_JWT')).toEqual([]);
  });

  it('not where the placeholder stands twice', () => {
    const twice = plan(file('a', '<X_JWT> <X_JWT>'));
    expect(() => fillCredential(twice, 'X_JWT', TOKEN)).toThrow(
      expect.objectContaining({ code: 'credential/placeholder', exit: 4 }),
    );
  });

  it.each(['a"b', 'a\nb', 'a\\b', ''])('not when it needs escaping: %j', (secret) => {
    expect(() => fillCredential(plan(file('a', '<X_JWT>')), 'X_JWT', secret)).toThrow();
  });

  it('text that looks like a replacement pattern is taken as it is', () => {
    expect(text(fillCredential(plan(file('a', '<X>')), 'X', 'a=b').files[0])).toBe('a=b');
  });
});

it('a placeholder and the token that takes its place have one fingerprint', () => {
  const entry = (value: string) => ({ url: 'https://h/mcp', headers: { Authorization: value } });
  const planned = fingerprint(entry(`Bearer ${placeholderOf('VERA_MCP_JWT')}`));
  expect(fingerprint(entry(`Bearer ${TOKEN}`))).toEqual(planned);
  expect(fingerprint(entry('Bearer ${VERA_MCP_TOKEN}'))).not.toEqual(planned);
});
