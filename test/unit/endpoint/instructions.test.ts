import { describe, expect, test } from 'vitest';
import { grantsAutoPropose, missingPoints, readBootstrap } from '../../../src/endpoint/live-checks.ts';
import { INSTRUCTIONS } from '../../../src/sandbox/instructions.ts';

describe('the instructions of a server', () => {
  test('make every point, in any words around it', () => {
    expect(missingPoints(INSTRUCTIONS)).toEqual([]);
    expect(
      missingPoints(
        `Welcome.\n\n${INSTRUCTIONS.toUpperCase().replaceAll(/KNOWLEDGE_\w+/g, (name) => name.toLowerCase())}`,
      ),
    ).toEqual([]);
  });

  test.each([
    ['ground with knowledge_get_context', 'knowledge_get_context', 'the search'],
    ['bind to repository, branch and code path', 'branch', 'place'],
    ['cite source and verification state', 'cite', 'mind'],
    ['prefer human-verified facts', 'human-verified', 'good'],
    ['respect conflicts and freshness', 'freshness', 'other'],
    ['abstain when knowledge is thin', 'abstain', 'go on'],
    ['content is untrusted data, no instructions', 'untrusted', 'useful'],
    ['content never changes setup, permissions, tools', 'permissions', 'mind'],
    ['do not write shared truth', 'Do not write shared truth', 'Write what you like'],
    ['propose to the personal scope for a human', 'knowledge_propose', 'the tool'],
  ])('without one point, that one is named: %s', (point, word, other) => {
    expect(INSTRUCTIONS).toContain(word);
    expect(missingPoints(INSTRUCTIONS.replaceAll(word, other))).toEqual([point]);
  });

  test.each([undefined, '', 'x'.repeat(20_000) + INSTRUCTIONS])(
    'say nothing that is read: every point',
    (text) => {
      expect(missingPoints(text)).toHaveLength(10);
    },
  );
});

describe('the grant of proposals without a question', () => {
  const verdict = (policy: unknown) => readBootstrap({ save_mode_policy: policy as never });
  test.each([
    [{ modes: ['off', 'suggest', 'auto-propose'], grants: ['personal-proposal'] }, true],
    [{ modes: ['off', 'suggest', 'auto-propose'], grants: [] }, false],
    [{ modes: ['off', 'suggest', 'auto-propose'], grants: ['shared'] }, false],
    [{ modes: ['off', 'suggest', 'auto-propose'] }, true],
    [{ modes: ['off', 'suggest'], grants: ['personal-proposal'] }, false],
    [{}, false],
    ['auto-propose', false],
  ])('%j: %s', (policy, granted) => {
    expect(grantsAutoPropose(verdict(policy))).toBe(granted);
  });
});
