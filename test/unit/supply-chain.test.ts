import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeAll, describe, expect, it } from 'vitest';

interface Bom {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: unknown;
  }[];
}

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the bill of materials', () => {
  const make = (): string => execFileSync(process.execPath, ['scripts/sbom.mjs'], { encoding: 'utf8' });
  let text = '';
  beforeAll(() => {
    text = make();
  }, 60_000);

  it('is CycloneDX 1.6 to its own validator', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(text)).toBeNull();
    expect(await validator.validate(text.replace('"library"', '"no such type"'))).not.toBeNull();
  });

  it('names the packages of the notices, each with the hash of the lock file', () => {
    const { components } = JSON.parse(text) as Bom;
    const noticed = [...read('THIRD-PARTY-NOTICES.md').matchAll(/^## (\S+) (\S+)$/gm)];
    expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual(
      noticed.map(([, name, version]) => `${name} ${version}`),
    );
    expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
    expect(components.length).toBeGreaterThan(5);
  });

  it('is the same for the same tree', () => {
    expect(make()).toBe(text);
  });
});

describe('the lock file', () => {
  it('gives every package a SHA-512 and lets nothing but the registry in', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
    };
    const entries = Object.entries(packages).filter(([path]) => path !== '');
    expect(entries.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
    expect(
      entries.filter(([, { resolved, link }]) => link === true || /^(?:git|file|http:)/.test(resolved ?? '')),
    ).toEqual([]);
  });

  it('pins every package that the project asks for', () => {
    const { devDependencies, dependencies } = JSON.parse(read('package.json')) as Record<string, unknown>;
    const versions = Object.entries(devDependencies as Record<string, string>);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
    expect(dependencies).toBeUndefined();
  });
});
