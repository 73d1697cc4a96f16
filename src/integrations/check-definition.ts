import type { JsonPath } from '../lib/json.ts';
import { isReference, isSecretName, isSecretValue } from '../lib/secrets.ts';
import { isRefusedPath } from '../runtimes/refused-paths.ts';
import { caseCollisions, relativeProblem } from '../system/paths.ts';
import { filePlaceholders, placeholdersOf } from './placeholders.ts';
import type { Artifact, Integration } from './schema.ts';

/** What is wrong with a definition: where in integration.json, and a full sentence without full stop. */
export interface DefinitionProblem {
  readonly code: 'integration/invalid' | 'integration/unknown-placeholder' | 'secret/literal';
  readonly path: JsonPath;
  readonly message: string;
}

type Add = (path: JsonPath, message: string, code?: DefinitionProblem['code']) => void;
type Files = ReadonlyMap<string, Uint8Array>;

/**
 * What the schema cannot say: names that clash, files that are missing or leave the folder, placeholders and conditions
 * of no input, launches without a server, literal secrets. All problems, in the order of the file.
 */
export function checkDefinition(manifest: Integration, files: Files): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const add: Add = (path, message, code = 'integration/invalid') => problems.push({ code, path, message });
  checkInputs(manifest, add);
  manifest.artifacts.forEach((artifact, index) => {
    checkArtifact(manifest, artifact, ['artifacts', String(index)], files, add);
  });
  checkNames(manifest, add);
  if (manifest.defaults !== undefined) checkFile(manifest.defaults, ['defaults'], files, add);
  if (manifest.harnesses !== undefined) checkFile(manifest.harnesses, ['harnesses'], files, add);
  manifest.expand.forEach((path, index) => {
    const place = ['expand', String(index)];
    const bytes = checkFile(path, place, files, add);
    if (bytes !== undefined) checkExpandable(manifest, path, bytes, place, add);
  });
  manifest.endpoints.forEach((endpoint, index) => {
    checkText(manifest, endpoint.url, ['endpoints', String(index), 'url'], add);
  });
  (manifest.discloses ?? []).forEach(({ text, when }, index) => {
    const place = ['discloses', String(index)];
    checkText(manifest, text, [...place, 'text'], add);
    checkConditions(manifest, when, place, add);
  });
  manifest.nextSteps.forEach((step, index) => {
    checkText(manifest, step, ['nextSteps', String(index)], add);
  });
  for (const names of caseCollisions([...files.keys()])) {
    add([], `the files ${names.join(' and ')} are one file where case is ignored`);
  }
  const targets = manifest.artifacts.flatMap((one) => (one.kind === 'file' ? [one.path] : []));
  for (const names of caseCollisions(targets)) {
    add(
      ['artifacts'],
      `the files ${names.join(' and ')} are one file where case is ignored or letters are composed`,
    );
  }
  return problems;
}

function checkInputs(manifest: Integration, add: Add): void {
  const seen = new Set<string>();
  manifest.inputs.forEach((input, index) => {
    const path = ['inputs', String(index)];
    if (seen.has(input.name)) add([...path, 'name'], `the input ${input.name} is declared twice`);
    seen.add(input.name);
    if (input.type === 'choice' && input.choices === undefined) {
      add(path, `the choice ${input.name} lists no choices`);
    }
    const allowed = input.type === 'boolean' ? ['true', 'false'] : input.choices;
    if (input.default !== undefined && allowed !== undefined && !allowed.includes(input.default)) {
      add([...path, 'default'], `the default of ${input.name} is none of ${allowed.join(', ')}`);
    }
    for (const { value } of input.evidence ?? []) {
      if (value !== undefined && input.choices !== undefined && !input.choices.includes(value))
        add([...path, 'evidence'], `the evidence for ${input.name} is none of ${input.choices.join(', ')}`);
    }
    for (const { file } of [...(input.evidence ?? []), ...(input.needs ?? [])]) {
      const problem = relativeProblem(file);
      if (problem !== undefined) add([...path, 'evidence'], `the path ${problem}`);
    }
    if (isSecretName(input.name)) {
      add(
        [...path, 'name'],
        `the input ${input.name} asks for a credential; refer to an environment variable by \${env:NAME} instead`,
        'secret/literal',
      );
    }
  });
}

function checkNames(manifest: Integration, add: Add): void {
  const seen = new Map<string, Artifact>();
  manifest.artifacts.forEach((artifact, index) => {
    const known = seen.get(artifact.name);
    if (known !== undefined && (known.when === undefined || artifact.when === undefined)) {
      add(
        ['artifacts', String(index), 'name'],
        `the name "${artifact.name}" is used twice without conditions`,
      );
    }
    seen.set(artifact.name, artifact);
  });
}

function checkConditions(manifest: Integration, when: Artifact['when'], path: JsonPath, add: Add): void {
  for (const { input } of [when ?? []].flat()) {
    if (input !== undefined && !manifest.inputs.some((one) => one.name === input)) {
      add([...path, 'when'], `the condition names ${input}, which is no declared input`);
    }
  }
}

function checkArtifact(
  manifest: Integration,
  artifact: Artifact,
  path: JsonPath,
  files: Files,
  add: Add,
): void {
  checkConditions(manifest, artifact.when, path, add);
  for (const [place, text] of textsOf(artifact, path)) checkText(manifest, text, place, add);
  switch (artifact.kind) {
    case 'mcp-server':
      if ((artifact.http === undefined) === (artifact.stdio === undefined)) {
        add(path, 'a server has either `http` or `stdio`');
      }
      checkArguments(artifact.stdio?.args ?? [], [...path, 'stdio', 'args'], add);
      if (artifact.proof !== undefined && artifact.tools?.[artifact.proof.tool]?.readOnly !== true) {
        add(
          [...path, 'proof'],
          `the proof calls ${artifact.proof.tool}, which \`tools\` does not say to be read-only`,
        );
      }
      break;
    case 'skill':
      if (relativeProblem(artifact.folder) !== undefined) {
        add([...path, 'folder'], `the folder ${relativeProblem(artifact.folder)}`);
      } else if (!files.has(`${artifact.folder}/SKILL.md`)) {
        add([...path, 'folder'], `the file ${artifact.folder}/SKILL.md is missing`);
      }
      break;
    case 'hook':
      if (artifact.script === undefined && artifact.plugin === undefined) {
        add(path, 'a hook has a `script`, a `plugin` or both');
      }
      checkArguments(artifact.args, [...path, 'args'], add);
      if (artifact.script !== undefined) checkFile(artifact.script, [...path, 'script'], files, add);
      if (artifact.plugin !== undefined) checkFile(artifact.plugin, [...path, 'plugin'], files, add);
      if (
        artifact.event === 'before-tool' &&
        (artifact.server === undefined || artifact.tools === undefined)
      ) {
        add(path, 'a before-tool hook names its `server` and `tools`');
      }
      break;
    case 'block':
      checkFile(artifact.source, [...path, 'source'], files, add);
      break;
    case 'file': {
      checkFile(artifact.source, [...path, 'source'], files, add);
      const problem = relativeProblem(artifact.path);
      if (problem !== undefined) add([...path, 'path'], `the path ${problem}`);
      else if (isRefusedPath(artifact.path)) {
        add([...path, 'path'], `${artifact.path} lies where no integration may write`);
      }
      break;
    }
    case 'permission':
    case 'setting':
    case 'ignore-line':
      break;
  }
}

/** Every text of an artifact with its place; conditions and paths of files hold no placeholders. */
function textsOf(artifact: Artifact, path: JsonPath): [JsonPath, string][] {
  const texts: [JsonPath, string][] = [];
  const walk = (value: unknown, place: JsonPath): void => {
    if (typeof value === 'string') texts.push([place, value]);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!Array.isArray(value)) texts.push([place, key]);
        walk(member, [...place, key]);
      }
    }
  };
  for (const [key, value] of Object.entries(artifact)) if (key !== 'when') walk(value, [...path, key]);
  return texts;
}

function checkText(manifest: Integration, text: string, path: JsonPath, add: Add): void {
  for (const name of placeholdersOf(text)) checkPlaceholder(manifest, name, path, add);
  const name = path.at(-1) ?? '';
  const isValueOfMap = ['headers', 'env'].includes(path.at(-2) ?? '');
  const isLiteral = !isReference(text) && placeholdersOf(text).length === 0;
  if ((isValueOfMap && isSecretName(name) && isLiteral && text !== '') || isSecretValue(text)) {
    add(path, LITERAL, 'secret/literal');
  }
}

const LITERAL = `a literal credential stands here; write \${env:NAME} and keep the value out`;

/** `--token` and the word behind it. */
function checkArguments(words: readonly string[], path: JsonPath, add: Add): void {
  words.forEach((word, index) => {
    const option = words[index - 1];
    if (option === undefined || !/^--?[A-Za-z][\w-]*$/.test(option) || !isSecretName(option)) return;
    const isLiteral = !isReference(word) && placeholdersOf(word).length === 0 && !isSecretValue(word);
    if (isLiteral && word !== '' && !word.startsWith('-'))
      add([...path, String(index)], LITERAL, 'secret/literal');
  });
}

function checkPlaceholder(manifest: Integration, name: string, path: JsonPath, add: Add): void {
  if (manifest.inputs.some((input) => input.name === name)) return;
  add(path, `the placeholder {${name}} belongs to no declared input`, 'integration/unknown-placeholder');
}

function checkFile(file: string, path: JsonPath, files: Files, add: Add): Uint8Array | undefined {
  const problem = relativeProblem(file);
  if (problem !== undefined) add(path, `the path ${problem}`);
  else if (!files.has(file)) add(path, `the file ${file} is missing`);
  else return files.get(file);
  return undefined;
}

function checkExpandable(
  manifest: Integration,
  file: string,
  bytes: Uint8Array,
  path: JsonPath,
  add: Add,
): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    add(path, `the file ${file} is not UTF-8`);
    return;
  }
  for (const name of filePlaceholders(file, text)) checkPlaceholder(manifest, name, path, add);
}
