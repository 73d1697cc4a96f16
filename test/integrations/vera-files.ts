import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { expandIntegration } from '../../src/integrations/expand.ts';
import { resolveInputs } from '../../src/integrations/inputs.ts';
import { loadIntegration } from '../../src/integrations/load.ts';
import type { ExpandedArtifact } from '../../src/integrations/types.ts';
import { realReader } from '../../src/system/real-files.ts';
import { scratch } from './checkout.ts';

export const PACKAGE = join(import.meta.dirname, '..', '..');
export const HOOK = join(PACKAGE, 'templates', 'vera', 'hooks', 'vera-hook.cjs');

export const URLS = {
  VERA_API_URL: 'http://127.0.0.1:8765',
  VERA_MCP_URL: 'http://127.0.0.1:8765/mcp',
};

/** VERA as `setup` would expand it. */
export async function expandVera(
  flags: Record<string, string> = {},
  members: {
    without?: readonly string[];
    runtimes?: readonly string[];
    overrides?: Record<string, string>;
  } = {},
): Promise<ExpandedArtifact[]> {
  const loaded = await loadIntegration(realReader, PACKAGE, PACKAGE, 'vera');
  const inputs = await resolveInputs(loaded.manifest.inputs, {
    id: 'vera',
    mode: 'setup',
    flags: { ...URLS, ...flags },
    env: {},
    manifest: {},
    trusted: true,
  });
  return expandIntegration(loaded, inputs.values, {
    without: members.without ?? [],
    runtimes: members.runtimes ?? ['claude-code', 'codex', 'opencode'],
    overrides: members.overrides ?? {},
  });
}

/** Text of a file of the definition as it would be installed. */
export async function installedText(path: string, flags: Record<string, string> = {}): Promise<string> {
  const [one] = await expandVera(flags);
  return new TextDecoder().decode(one?.files.get(path));
}

type Identity = (remote: string) => string | undefined;

/** The identity rules of the command hook. */
export const hookIdentity = (): Identity =>
  (createRequire(import.meta.url)(HOOK) as { repositoryIdentity: Identity }).repositoryIdentity;

/** A module of the plugin's text, with further exports for tests; OpenCode's own rule is one export. */
export async function importPlugin(
  text: string,
  exported: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const source = exported.length === 0 ? text : `${text}\nexport { ${exported.join(', ')} };\n`;
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const file = join(scratch(), '.opencode', 'plugins', 'vera.mjs');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, outputText);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
}

/** The identity rules of the OpenCode plugin. */
export async function pluginIdentity(): Promise<Identity> {
  const module = await importPlugin(await installedText('plugins/vera.ts'), ['repositoryIdentity']);
  return module['repositoryIdentity'] as Identity;
}
