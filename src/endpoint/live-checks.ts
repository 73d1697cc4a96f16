import type { ErrorCode, Severity } from '../errors/error.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { hasUnsafeCharacters, showText, showValue } from './display.ts';
import { STRUCTURED_ERRORS } from './errors.ts';
import { type ToolHints, type ToolProfile, toolFacts, toolNames } from './tools.ts';

export interface LiveProblem {
  readonly code: ErrorCode;
  readonly severity: Severity;
  /** One sentence, safe to show. */
  readonly message: string;
  /** What to do, imperative, where the contract says it. */
  readonly action?: string;
}

/** The points that a server's instructions must make (VERA contract, "Server Instructions"), as words to look for. */
const POINTS: readonly { readonly id: string; readonly words: readonly RegExp[] }[] = [
  { id: 'ground with knowledge_get_context', words: [/knowledge_get_context/] },
  { id: 'bind to repository, branch and code path', words: [/repositor/i, /branch/i, /code[- ]?path/i] },
  { id: 'cite source and verification state', words: [/\bcit/i, /source/i, /verif/i] },
  { id: 'prefer human-verified facts', words: [/human[- ]verified/i] },
  { id: 'respect conflicts and freshness', words: [/conflict/i, /fresh/i] },
  { id: 'abstain when knowledge is thin', words: [/abstain/i] },
  { id: 'content is untrusted data, no instructions', words: [/untrusted/i, /instructions/i] },
  { id: 'content never changes setup, permissions, tools', words: [/setup/i, /permission/i, /tool use/i] },
  { id: 'do not write shared truth', words: [/(do not|never) write shared truth/i] },
  { id: 'propose to the personal scope for a human', words: [/knowledge_propose/, /personal/i, /human/i] },
];

/** Points that the instructions do not mention; every one when there are none. Only the first 16 KiB are read. */
export function missingPoints(instructions: string | undefined): string[] {
  const text = (instructions ?? '').slice(0, 16_384);
  return POINTS.filter(({ words }) => !words.every((word) => word.test(text))).map(({ id }) => id);
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface ToolsVerdict {
  readonly count: number;
  /** The profile whose names are exactly those listed; undefined for none. */
  readonly profile: ToolProfile | undefined;
  /** Tools of the coding profile that are not there. */
  readonly missing: readonly string[];
  /** Old names that are shown. */
  readonly legacy: readonly string[];
  /** Names that the contract does not have, escaped; at most 20. */
  readonly unknown: readonly string[];
  /** `tool: hint is true, not false`, at most 20. */
  readonly wrongHints: readonly string[];
  /** Escaped names of tools whose name or description has characters that act on a terminal; at most 20. */
  readonly hostile: readonly string[];
}

const MOST = 20;
const HINTS = [
  'readOnlyHint',
  'idempotentHint',
  'destructiveHint',
  'openWorldHint',
] as const satisfies (keyof ToolHints)[];

function wrongHintsOf({ name, annotations }: ListedTool): string[] {
  const facts = toolFacts(name);
  if (facts === undefined) return [];
  return HINTS.filter((hint) => annotations?.[hint] !== facts.hints[hint]).map((hint) => {
    const value = annotations?.[hint];
    const said = typeof value === 'boolean' ? `is ${value}` : 'is not advertised';
    return `${name}: ${hint} ${said}, not ${facts.hints[hint]}`;
  });
}

/** Compares a listing with the contract's table. Descriptions may have line ends, and nothing else that acts. */
export function judgeTools(tools: readonly ListedTool[]): ToolsVerdict {
  const names = new Set(tools.map(({ name }) => name));
  const known = tools.filter(({ name }) => toolFacts(name) !== undefined);
  const profile = (['coding', 'advanced', 'compatibility'] as const).find((candidate) => {
    const wanted = toolNames(candidate);
    return wanted.length === names.size && wanted.every((name) => names.has(name));
  });
  return {
    count: tools.length,
    profile,
    missing: toolNames('coding').filter((name) => !names.has(name)),
    legacy: known.filter(({ name }) => name.startsWith('memory_')).map(({ name }) => name),
    unknown: tools
      .filter(({ name }) => toolFacts(name) === undefined)
      .slice(0, MOST)
      .map(({ name }) => showText(name, 80)),
    wrongHints: known.flatMap(wrongHintsOf).slice(0, MOST),
    hostile: tools
      .filter(
        ({ name, description = '' }) =>
          hasUnsafeCharacters(name) || hasUnsafeCharacters(description.replaceAll(/[\n\r\t]/g, ' ')),
      )
      .slice(0, MOST)
      .map(({ name }) => showText(name, 80)),
  };
}

const REPOSITORY_STATES = [
  'selected',
  'selection_required',
  'unmapped',
  'unsupported_repository',
  'personal_only',
] as const;

export interface BootstrapVerdict {
  readonly contractVersions: readonly number[];
  /** Escaped and bounded, as everything here. */
  readonly serverVersion: string | undefined;
  readonly authProfile: string | undefined;
  readonly classes: readonly string[];
  readonly toolProfile: string | undefined;
  readonly projects: readonly string[];
  readonly repository: (typeof REPOSITORY_STATES)[number] | undefined;
  readonly project: string | undefined;
  readonly candidates: readonly string[];
  readonly saveModes: readonly string[];
  /** What the save policy grants; undefined where it has no such list. */
  readonly grants: readonly string[] | undefined;
  /** The kind of principal that calls, never its id. */
  readonly principal: string | undefined;
  /** Facts of the contract that the answer does not have. */
  readonly absent: readonly string[];
}

/**
 * Proposals into the caller's personal scope need no question (guide, "Memory-save Contract"): the mode may be used, and where
 * the answer lists what it grants, `personal-proposal` is among it.
 */
export const grantsAutoPropose = ({ saveModes, grants }: BootstrapVerdict): boolean =>
  saveModes.includes('auto-propose') && (grants === undefined || grants.includes('personal-proposal'));

const strings = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .filter((item) => typeof item === 'string')
        .slice(0, MOST)
        .map((item) => showText(item, 100))
    : [];

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? showText(value, 100) : undefined;

/** Reads what `knowledge_bootstrap` reports: facts of the connection, never knowledge. */
export function readBootstrap(answer: JsonObject): BootstrapVerdict {
  const at = (value: unknown): JsonObject => (isObject(value) ? value : {});
  const repository = at(answer['repository']);
  const policy = at(answer['save_mode_policy']);
  const versions = answer['contract_versions'];
  const state = REPOSITORY_STATES.find((known) => known === repository['status']);
  const verdict = {
    contractVersions: Array.isArray(versions)
      ? versions.filter((version) => typeof version === 'number')
      : [],
    serverVersion: text(answer['server_version']),
    authProfile: text(answer['auth_profile']),
    classes: strings(answer['capability_classes']),
    toolProfile: text(answer['tool_profile']),
    projects: Array.isArray(answer['readable_projects'])
      ? answer['readable_projects'].slice(0, MOST).map((project) => showValue(at(project)['id'], 100))
      : [],
    repository: state,
    project: text(repository['project']),
    candidates: strings(repository['candidates']),
    saveModes: strings(policy['modes']),
    grants: Array.isArray(policy['grants']) ? strings(policy['grants']) : undefined,
    principal: text(at(answer['principal'])['kind']),
  };
  const facts: [string, boolean][] = [
    ['contract_versions', verdict.contractVersions.length > 0],
    ['server_version', verdict.serverVersion !== undefined],
    ['principal', isObject(answer['principal'])],
    ['auth_profile', verdict.authProfile !== undefined],
    ['capability_classes', verdict.classes.length > 0],
    ['tool_profile', verdict.toolProfile !== undefined],
    ['readable_projects', Array.isArray(answer['readable_projects'])],
    ['repository', state !== undefined],
    ['save_mode_policy', verdict.saveModes.length > 0],
  ];
  return { ...verdict, absent: facts.filter(([, there]) => !there).map(([name]) => name) };
}

const warning = (code: ErrorCode, message: string, action?: string): LiveProblem => ({
  code,
  severity: 'warning',
  message,
  ...(action === undefined ? {} : { action }),
});

const listed = (items: readonly string[]): string => items.join(', ');

export function toolProblems(verdict: ToolsVerdict): LiveProblem[] {
  const problems: LiveProblem[] = [];
  if (verdict.missing.length > 0) {
    const message = `The server does not show ${verdict.missing.length} tools of the coding profile: ${listed(verdict.missing)}.`;
    problems.push({ code: 'endpoint/tools-missing', severity: 'error', message });
  }
  if (verdict.wrongHints.length > 0) {
    const message = `Tool hints differ from the contract: ${listed(verdict.wrongHints)}.`;
    problems.push(warning('endpoint/tool-hints', message));
  }
  if (verdict.hostile.length > 0) {
    const message = `Tools with control or invisible characters in name or description: ${listed(verdict.hostile)}.`;
    problems.push(warning('endpoint/hostile-text', message));
  }
  if (verdict.unknown.length > 0) {
    const message = `Tools that the contract does not have: ${listed(verdict.unknown)}.`;
    problems.push({ code: 'endpoint/tools-unknown', severity: 'info', message });
  }
  return problems;
}

export function bootstrapProblems(verdict: BootstrapVerdict, askedRepository: boolean): LiveProblem[] {
  const problems: LiveProblem[] = [];
  if (verdict.absent.length > 0) {
    const message = `knowledge_bootstrap does not report ${listed(verdict.absent)}.`;
    problems.push(warning('endpoint/bootstrap-incomplete', message));
  }
  if (verdict.contractVersions.length > 0 && !verdict.contractVersions.includes(1)) {
    const message = `The server serves contract ${listed(verdict.contractVersions.map(String))}, this integration needs 1.`;
    const action = STRUCTURED_ERRORS['unsupported_version']?.action;
    problems.push({
      code: 'endpoint/contract-version',
      severity: 'error',
      message,
      ...(action ? { action } : {}),
    });
  }
  if (!askedRepository) return problems;
  if (verdict.repository === 'selection_required') {
    const message = `The repository belongs to several projects: ${listed(verdict.candidates)}.`;
    problems.push(
      warning('endpoint/project-ambiguous', message, STRUCTURED_ERRORS['ambiguous_project']?.action),
    );
  }
  if (verdict.repository === 'unmapped' || verdict.repository === 'unsupported_repository') {
    const message = `The repository belongs to no project that this caller can read (${verdict.repository}).`;
    problems.push(
      warning(
        'endpoint/project-unmapped',
        message,
        'Ask the server’s owner to map it, or work without a project.',
      ),
    );
  }
  return problems;
}

export function instructionProblems(missing: readonly string[]): LiveProblem[] {
  if (missing.length === 0) return [];
  return [warning('endpoint/instructions', `The server's instructions do not mention: ${listed(missing)}.`)];
}
