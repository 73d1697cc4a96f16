import type { Enrolment, Fingerprint } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import { INSTANCE_NAME } from '../../lib/instance-name.ts';
import { isObject, type Json } from '../../lib/json.ts';
import { printable } from '../../lib/printable.ts';

/** What `plan --out` saves: selections and digest, no content (contract, section 3). */
export interface PlanFile {
  readonly schema: 'tenon/planfile/v1';
  readonly command: 'setup' | 'sync';
  readonly selections: readonly Pick<
    Enrolment,
    'integration' | 'of' | 'scope' | 'runtimes' | 'inputs' | 'overrides' | 'without'
  >[];
  readonly resolve: Readonly<Record<string, 'keep' | 'replace' | 'follow'>>;
  readonly force: readonly string[];
  readonly digest: Fingerprint;
}

export const planFileText = (file: PlanFile): string => `${JSON.stringify(file, null, 2)}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isTextMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);

/**
 * Reads a saved plan. It may come from anybody, so its shape is checked strictly; what it wants is recomputed and must
 * meet its digest. Throws `plan/unreadable`, exit 2.
 */
export function parsePlanFile(text: string, shown: string): PlanFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(shown, error instanceof Error ? error.message : 'no JSON');
  }
  const problem = problemOf(value);
  if (problem !== undefined) throw unreadable(shown, problem);
  return value as PlanFile;
}

function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is no object';
  const known = ['schema', 'command', 'selections', 'resolve', 'force', 'digest'];
  const extra = Object.keys(value).find((key) => !known.includes(key));
  if (extra !== undefined) return `unknown member ${extra}`;
  if (value['schema'] !== 'tenon/planfile/v1') return 'schema is not tenon/planfile/v1';
  if (value['command'] !== 'setup' && value['command'] !== 'sync') return 'command is neither setup nor sync';
  if (!isText(value['digest']) || !/^sha256:[0-9a-f]{64}$/.test(value['digest']))
    return 'digest is no SHA-256';
  if (!isTexts(value['force'])) return 'force is no list of addresses';
  const resolve = value['resolve'];
  if (
    !isObject(resolve) ||
    !Object.values(resolve).every((one) => ['keep', 'replace', 'follow'].includes(String(one)))
  ) {
    return 'resolve is no map of addresses to answers';
  }
  const selections = value['selections'];
  if (!Array.isArray(selections) || !selections.every(isSelection)) return 'selections are damaged';
  return undefined;
}

function isSelection(value: Json): boolean {
  return (
    isObject(value) &&
    Object.keys(value).every((key) =>
      ['integration', 'of', 'scope', 'runtimes', 'inputs', 'overrides', 'without'].includes(key),
    ) &&
    isText(value['integration']) &&
    (value['of'] === undefined || (isText(value['of']) && INSTANCE_NAME.test(value['integration']))) &&
    ['project', 'local', 'user'].includes(String(value['scope'])) &&
    isTexts(value['runtimes']) &&
    isTextMap(value['inputs']) &&
    isObject(value['overrides']) &&
    isTexts(value['without'])
  );
}

function unreadable(shown: string, why: string): TenonError {
  return new TenonError('plan/unreadable', `${printable(shown)} is no plan of tenon: ${printable(why)}`, {
    exit: 2,
    remedy: { text: 'Name a file that plan --out wrote, or make it again' },
  });
}
