import type { Rehearsal } from '../../authoring/rehearse.ts';
import { rehearse } from '../../authoring/rehearse.ts';
import type { Context } from '../../cli/context.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { loadFolder } from '../../integrations/load.ts';
import type { LoadedIntegration } from '../../integrations/types.ts';
import { isObject, type Json } from '../../lib/json.ts';
import { loadSpecs } from '../../runtimes/load.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import type { AbsPath } from '../../system/ports.ts';
import { launchOf, unpinnedPackage } from '../../trust/launch.ts';

export interface Validation {
  readonly kind: 'integration' | 'runtime';
  readonly id: string;
  readonly rehearsals: readonly Rehearsal[];
  readonly findings: readonly Finding[];
}

/** Path in the folder with what every coding tool should get; made from `data.golden` of an earlier run. */
const GOLDEN = 'golden.json';

/**
 * Schema, contained paths, secrets, pinned launches, output against `golden.json`, and the round trip for every coding
 * tool that tenon supports fully, or for those of --runtime.
 */
export async function validateIntegration(
  context: Context,
  folder: AbsPath,
  shown: string,
): Promise<Validation> {
  const { reader } = context.system;
  let loaded: LoadedIntegration;
  try {
    const real = reader.realpath(folder) ?? folder;
    const where = { ref: shown, source: sourceOf(context, real), folder: real, shown } as const;
    loaded = await loadFolder(reader, context.packageDir, where);
  } catch (error) {
    return { kind: 'integration', id: shown, rehearsals: [], findings: faultsOf(error, shown) };
  }
  const { manifest, files } = loaded;
  const specs = await specsFor(context);
  const rehearsals: Rehearsal[] = [];
  for (const spec of specs) {
    rehearsals.push(await rehearse(context, spec, { id: manifest.id, files, inputs: manifest.inputs }));
  }
  const findings = [
    ...unpinned(loaded, shown),
    ...rehearsals.flatMap((one) => trouble(one, shown)),
    ...goldenFindings(files.get(GOLDEN), rehearsals, shown),
  ];
  return { kind: 'integration', id: manifest.id, rehearsals, findings };
}

/** A folder of this package is checked as what it is: its id may be that of a bundled integration. */
const sourceOf = (context: Context, folder: AbsPath): 'bundled' | 'repository' =>
  folder.startsWith(context.system.reader.realpath(context.packageDir) ?? context.packageDir)
    ? 'bundled'
    : 'repository';

async function specsFor({ system, packageDir, options }: Context): Promise<readonly RuntimeSpec[]> {
  const specs = await loadSpecs(system.reader, packageDir);
  const wanted = options.runtimes.filter((id) => id !== 'all');
  return [...specs.values()].filter(({ id, support }) =>
    wanted.length > 0 ? wanted.includes(id) : support === 'tier1' || support === 'tier2',
  );
}

/** The faults that loading found, each as a finding. Anything else is thrown on. */
export function faultsOf(error: unknown, shown: string): Finding[] {
  if (!(error instanceof TenonError) || !/^(?:integration|secret)\//.test(error.code)) throw error;
  const first: Finding = {
    code: error.code,
    severity: 'error',
    subject: shown,
    message: error.message,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
  };
  return [first, ...error.findings].map((finding) => withPlace(finding));
}

/** `tools/x/integration.json:3:5: …` says where; the place goes into the data as well. */
function withPlace(finding: Finding): Finding {
  const match = /^(\S.*?\.json)(?::(\d+):(\d+))?(?::| )/.exec(finding.message);
  if (match?.[1] === undefined) return finding;
  const [, file, line, column] = match;
  const position = line === undefined ? {} : { line: Number(line), column: Number(column) };
  return { ...finding, data: { ...finding.data, file: file.replace(/^\.\//, ''), ...position } };
}

function unpinned({ manifest }: LoadedIntegration, shown: string): Finding[] {
  return manifest.artifacts.flatMap((artifact): Finding[] => {
    const name = unpinnedPackage(launchOf(artifact));
    if (name === undefined) return [];
    return [
      {
        code: 'trust/unpinned-launch',
        severity: 'warning',
        subject: `${shown}/integration.json`,
        message: `${artifact.name} fetches ${name} without a fixed version: what runs is what is newest then`,
        remedy: { text: 'Name an exact version, or an image by its digest' },
      },
    ];
  });
}

function trouble({ runtime, status, problem }: Rehearsal, shown: string): Finding[] {
  if (status === 'ok' || problem === undefined) return [];
  const isBroken = status === 'broken';
  return [
    {
      code: isBroken ? 'integration/not-reversible' : 'integration/not-for-runtime',
      severity: isBroken ? 'error' : 'info',
      subject: runtime,
      message: isBroken ? problem : `setup refuses it for ${runtime}: ${problem}`,
      ...(isBroken
        ? { remedy: { text: 'Please report it with the folder: tenon itself must not let this be' } }
        : {}),
      data: { folder: shown },
    },
  ];
}

function goldenFindings(
  bytes: Uint8Array | undefined,
  rehearsals: readonly Rehearsal[],
  shown: string,
): Finding[] {
  if (bytes === undefined) return [];
  const file = `${shown.replace(/^\.\//, '')}/${GOLDEN}`;
  const finding = (message: string, runtime: string): Finding => ({
    code: 'integration/golden-differs',
    severity: 'error',
    subject: runtime === '' ? file : `${runtime} in ${file}`,
    message,
    remedy: {
      text: 'Look at the difference; where it is wanted, save data.golden of --json as golden.json again',
    },
    data: { file },
  });
  const wanted = parse(bytes);
  if (wanted === undefined) return [finding('is no map of coding tools to files and hashes', '')];
  return rehearsals.flatMap(({ runtime, files }): Finding[] => {
    const known = wanted[runtime];
    if (!isObject(known)) return [];
    const paths = [...new Set([...Object.keys(known), ...Object.keys(files)])].sort();
    const other = paths.filter((path) => known[path] !== files[path]);
    return other.length === 0 ? [] : [finding(`${other.join(', ')} would not be as recorded`, runtime)];
  });
}

function parse(bytes: Uint8Array): { readonly [key: string]: Json } | undefined {
  try {
    const value: Json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
