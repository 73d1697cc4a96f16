import fs from 'node:fs';
import path from 'node:path';
import { PACKAGE } from './cli.ts';
import { scratch, writeTree } from './repo.ts';

/** A copy of the built package with further integrations and specs, as if they had been shipped. */
export function packageWith(files: Readonly<Record<string, string>>): string {
  const folder = scratch('tenon-package-');
  for (const name of ['bin', 'dist', 'specs', 'templates', 'schema', 'package.json']) {
    const from = path.join(PACKAGE, name);
    if (fs.existsSync(from)) fs.cpSync(from, path.join(folder, name), { recursive: true });
  }
  writeTree(folder, files);
  return folder;
}

/** An integration with a skill, a block, a hook script, a rule and an ignored line, and no endpoint. */
export const GUIDE: Readonly<Record<string, string>> = {
  'templates/guide/integration.json': `${JSON.stringify(
    {
      schemaVersion: 1,
      id: 'guide',
      version: '1.0.0',
      title: 'Guide',
      summary: 'Everything that is no server.',
      artifacts: [
        { kind: 'skill', name: 'skill', skill: 'house-rules', folder: 'skills/house-rules' },
        { kind: 'block', name: 'block', block: 'guide', source: 'blocks/guide.md' },
        {
          kind: 'hook',
          name: 'start',
          event: 'session-start',
          script: 'hooks/guide.cjs',
          interpreter: 'node',
          args: ['start'],
          timeoutSeconds: 5,
        },
        { kind: 'ignore-line', name: 'ignore', file: '.gitignore', line: '/.guide-cache/' },
      ],
    },
    null,
    2,
  )}\n`,
  'templates/guide/skills/house-rules/SKILL.md':
    '---\nname: house-rules\ndescription: How this house works.\n---\n\n# House rules\n\nKnock first.\n',
  'templates/guide/blocks/guide.md': '## Guide\n\nAsk the guide before you leave the path.\n',
  'templates/guide/hooks/guide.cjs': "process.stdout.write('');\n",
};
