import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export { scratch } from '../../helpers/repo.ts';

/** Writes files (posix path -> text, or a value that becomes JSON) below a folder. */
export function write(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const isBytes = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, isBytes ? content : JSON.stringify(content, undefined, 2));
  }
}

/** A small valid manifest; members given replace its own. */
export const manifest = (members: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  schemaVersion: 1,
  id: 'glossary',
  version: '2.0.1',
  title: 'Glossary',
  summary: 'Terms of the house',
  artifacts: [
    { kind: 'mcp-server', name: 'server', server: 'glossary', http: { url: 'https://g.example/mcp' } },
  ],
  ...members,
});
