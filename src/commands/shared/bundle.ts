import type { Context } from '../../cli/context.ts';
import type { Finding } from '../../errors/error.ts';
import { anonymousValue } from '../../lib/anonymous.ts';
import { sha256 } from '../../runtimes/load.ts';
import { pathsOf } from '../../system/paths.ts';
import { writeNewFile } from './new-file.ts';
import type { Workspace } from './workspace.ts';

/**
 * Writes what support needs into one new JSON file: versions, digests of the specs, checks, findings, what is set up,
 * the journal. No file contents; secrets, private paths and addresses are taken out. Throws `file/exists`, exit 4.
 */
export function saveBundle(
  context: Context,
  workspace: Workspace,
  path: string,
  report: { readonly data: object; readonly findings: readonly Finding[] },
): void {
  const { system, version } = context;
  const { host } = system;
  const abs = pathsOf(host.platform).resolve(host.cwd, path);
  const specs = [...workspace.specs].map(([id, spec]) => [
    id,
    sha256(new TextEncoder().encode(JSON.stringify(spec))),
  ]);
  const user = host.env['USER'] ?? host.env['USERNAME'] ?? host.env['LOGNAME'];
  const identity = { root: workspace.root, home: host.home, hostname: host.hostname, user };
  const bundle = {
    schema: 'tenon/bundle/v1',
    tenon: version,
    node: process.versions.node,
    platform: `${host.platform} ${host.arch}`,
    checkout: workspace.facts.kind,
    specs: Object.fromEntries(specs),
    journal: workspace.state.pending() === undefined ? 'nothing pending' : 'an apply was interrupted',
    owned: {
      files: workspace.ledgers.root.files.length,
      entries: workspace.ledgers.root.records.length,
      userEntries: workspace.ledgers.user.records.length,
    },
    setUp: workspace.enrolments.map(({ integration, version: of, scope, runtimes, without, inputs }) => ({
      integration,
      version: of,
      scope,
      runtimes,
      without,
      inputs: Object.keys(inputs),
    })),
    applied: workspace.state
      .history()
      .entries.map(({ time, command, digest }) => ({ time, command, digest })),
    doctor: report.data,
    findings: report.findings,
  };
  const text = `${JSON.stringify(anonymousValue(bundle, identity), null, 2)}\n`;
  writeNewFile(context, { abs, shown: path, text, mode: 0o600 });
}
