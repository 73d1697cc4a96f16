// node scripts/sbom.mjs [FILE]   The bill of materials of what is shipped, as CycloneDX 1.6 JSON (ECMA-424), on standard
// output or to a file. The same tree gives the same bytes: no time and no random number stands in it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';
import { ROOT } from './project.mjs';

/** A package URL: https://github.com/package-url/purl-spec, type npm. */
const purl = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

function component({ name, version, license, integrity }) {
  const [algorithm, digest] = integrity?.split('-') ?? [];
  const isExpression = /[ ()]/.test(license);
  return {
    type: 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    licenses: [isExpression ? { expression: license } : { license: { id: license } }],
    purl: purl(name, version),
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
  };
}

const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const components = (await bundledPackages()).map(component);
const subject = {
  type: 'application',
  'bom-ref': purl(own.name, own.version),
  name: own.name,
  version: own.version,
  description: own.description,
  licenses: [{ license: { id: own.license } }],
  purl: purl(own.name, own.version),
};
const content = {
  metadata: { component: subject },
  components,
  dependencies: [
    { ref: subject['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) },
    ...components.map((one) => ({ ref: one['bom-ref'] })),
  ],
};
/** RFC 9562, version 8: made from the content, so that equal contents have equal numbers. */
const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
const serial = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${serial}`,
  version: 1,
  ...content,
};
const text = `${JSON.stringify(bom, undefined, 2)}\n`;
const file = process.argv[2];
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
