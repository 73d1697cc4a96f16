import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleanEnv } from '../helpers/clean-env.ts';
import { makeHome } from '../helpers/cli.ts';
import { git, scratch } from '../helpers/repo.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const workflows = readdirSync(join(ROOT, '.github', 'workflows'));

describe('the workflows, read by action-validator', () => {
  it.each(workflows)('%s fits the schema of workflows', (name) => {
    expect(validateWorkflow(read('.github', 'workflows', name)).errors).toEqual([]);
  });

  it('action.yml fits the schema of actions', () => {
    expect(validateAction(read('action.yml')).errors).toEqual([]);
  });

  it('is a reader that finds mistakes', () => {
    const wrong = read('.github', 'workflows', 'ci.yml').replace('runs-on:', 'run-on:');
    expect(validateWorkflow(wrong).errors).not.toEqual([]);
    expect(
      validateAction(read('action.yml').replace('using: composite', 'using: nothing')).errors,
    ).not.toEqual([]);
  });
});

describe('release.yml', () => {
  const text = read('.github', 'workflows', 'release.yml');
  const { on, jobs } = parse(text) as {
    on: object;
    jobs: Record<string, { permissions: Record<string, string>; steps: { run?: string }[] }>;
  };

  it('publishes tags alone, with provenance and no token', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    const publishing = Object.values(jobs).filter(({ steps }) =>
      steps.some(({ run }) => run?.includes('npm publish') === true),
    );
    expect(publishing).toHaveLength(1);
    expect(publishing[0]?.permissions['id-token']).toBe('write');
    expect(text).toMatch(/npm publish .*--provenance/);
    expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|secrets\./);
  });

  it('runs everything that must hold first', () => {
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ''));
    const publish = runs.findIndex((run) => run.includes('npm publish'));
    expect(runs.slice(0, publish)).toContain('bash .ci/run');
  });
});

describe('changesets', () => {
  it('make version and changelog of what was noted', () => {
    const copy = scratch();
    for (const name of ['package.json', 'package-lock.json', 'CHANGELOG.md', '.changeset']) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    git(copy, ['init', '-q', '-b', 'main']);
    git(copy, ['add', '-A']);
    git(copy, ['commit', '-q', '-m', 'Start']);
    mkdirSync(join(copy, '.changeset'), { recursive: true });
    writeFileSync(
      join(copy, '.changeset', 'one.md'),
      '---\n"tenon": minor\n---\n\nFits in what it did not.\n',
    );
    const before = (JSON.parse(read('package.json')) as { version: string }).version;
    const run = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules', '@changesets', 'cli', 'bin.js'), 'version'],
      { cwd: copy, env: cleanEnv(makeHome()), encoding: 'utf8', timeout: 120_000 },
    );
    expect(run.status, run.stdout + run.stderr).toBe(0);
    const [major, minor] = before.split('.').map(Number);
    const after = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { version: string };
    expect(after.version).toBe(`${major}.${(minor ?? 0) + 1}.0`);
    const log = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8');
    expect(log.indexOf('Fits in what it did not.')).toBeGreaterThan(log.indexOf(`## ${after.version}`));
    expect(existsSync(join(copy, '.changeset', 'one.md'))).toBe(false);
  }, 120_000);
});

describe('files that a forge reads', () => {
  it('CODEOWNERS names folders that there are', () => {
    const lines = read('.github', 'CODEOWNERS')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [pattern = '', ...owners] = line.split(/\s+/);
      expect(owners.length, line).toBeGreaterThan(0);
      for (const owner of owners) expect(owner, line).toMatch(/^(@[\w-]+(\/[\w.-]+)?|\S+@\S+\.\S+)$/);
      if (pattern !== '*') expect(existsSync(join(ROOT, pattern)), pattern).toBe(true);
    }
  });

  const forms = readdirSync(join(ROOT, '.github', 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');

  it.each(forms)('%s is an issue form', (name) => {
    const form = parse(read('.github', 'ISSUE_TEMPLATE', name)) as {
      name: string;
      description: string;
      body: {
        type: string;
        id?: string;
        attributes: { label?: string; value?: string; options?: unknown[] };
      }[];
    };
    expect(form.name).not.toBe('');
    expect(form.description).not.toBe('');
    const ids = form.body.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of form.body) {
      expect(['markdown', 'input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      if (type === 'markdown') expect(attributes.value).toBeTruthy();
      else expect(attributes.label).toBeTruthy();
      if (type === 'dropdown' || type === 'checkboxes') expect(attributes.options?.length).toBeGreaterThan(0);
    }
  });

  it('SECURITY.md says where to report and what is covered', () => {
    expect(read('SECURITY.md')).toMatch(/report/i);
    expect(read('SECURITY.md')).toMatch(/version/i);
  });
});
