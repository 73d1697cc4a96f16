import type { Context } from '../cli/context.ts';
import { usageError } from '../cli/usage-error.ts';
import type { Finding } from '../errors/error.ts';
import { loadFormats } from '../formats/index.ts';
import { redactText } from '../lib/secrets.ts';
import { renderScan } from '../reporting/scan-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { requireKnownRuntimes } from '../runtimes/choose.ts';
import { loadSpecs } from '../runtimes/load.ts';
import { findRoot } from '../system/root.ts';
import { placesOf } from '../trust/places.ts';
import { type ScanEntry, takeInventory } from '../trust/scan.ts';

/**
 * `tenon trust scan`: everything in the repository that coding tools would run or obey, whoever wrote it, with one digest.
 * `expected` (`--check`) turns a difference into exit 1. It needs no state and grants nothing.
 */
export async function scan(context: Context, expected: string | undefined): Promise<Outcome> {
  const { system, options } = context;
  if (expected !== undefined && !/^sha256:[0-9a-f]{64}$/.test(expected)) {
    throw usageError(
      'usage/bad-value',
      '--check needs the whole digest of an inventory: sha256: and 64 hex digits.',
      'Copy it from tenon trust scan.',
    );
  }
  const repo = findRoot(system, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.root === undefined ? {} : { root: options.root }),
  });
  await loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']);
  const specs = await loadSpecs(system.reader, context.packageDir);
  requireKnownRuntimes(options.runtimes, specs);
  const { entries, digest, skipped } = takeInventory(system, repo, placesOf(specs.values()));
  const differs = expected !== undefined && expected !== digest;
  const findings = [...entries.flatMap(unpinned), ...(differs ? [difference(expected, digest)] : [])];
  return {
    command: 'trust',
    exit: differs || (options.strict && findings.length > 0) ? 1 : 0,
    data: {
      scan: {
        digest,
        entries: entries.map(entryData),
        skipped,
        ...(expected === undefined ? {} : { expected, differs }),
      },
    },
    findings,
    human: (theme) => renderScan({ entries, digest, skipped, findings, expected, differs }, theme),
  };
}

const entryData = (entry: ScanEntry) => ({
  ...entry,
  servers: entry.servers.map((server) => ({
    ...server,
    launch: server.launch.map(redactText),
    url: redactText(server.url),
  })),
});

const unpinned = ({ path, servers }: ScanEntry): Finding[] =>
  servers
    .filter((server) => server.unpinned !== '')
    .map((server) => ({
      code: 'trust/unpinned-launch',
      severity: 'warning',
      subject: `${path}#${server.pointer}`,
      message: `${server.name} fetches ${redactText(server.unpinned)} without a fixed version`,
      remedy: { text: 'Name an exact version' },
    }));

const difference = (expected: string, digest: string): Finding => ({
  code: 'trust/scan-differs',
  severity: 'error',
  subject: '.',
  message: `the inventory is ${digest}, not ${expected}`,
  remedy: { text: 'Review what was added or changed, then use the new digest', command: 'tenon trust scan' },
});
