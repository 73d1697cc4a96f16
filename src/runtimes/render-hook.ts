import { posix } from 'node:path';
import type { Finding } from '../errors/error.ts';
import type { Json } from '../lib/json.ts';
import { fillTemplate, fillText } from './dialect.ts';
import { joinPosix, resolvePath } from './paths.ts';
import { chooseFile } from './places.ts';
import {
  type Draft,
  type Drafts,
  type Of,
  plainRules,
  qualify,
  type RenderInput,
  rulesOf,
  runtimesFor,
  textOf,
  withheld,
} from './render-types.ts';
import type { RuntimeSpec } from './schema.ts';

type Hooks = NonNullable<RuntimeSpec['hooks']>;
type HookPlace = Hooks['places'][number];
type Hook = Of<'hook'>;

/** A name that means the same in a POSIX shell's double quotes, in PowerShell's single quotes and on every file system. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/u;

/**
 * A hook: its script and the item that calls it, or a plugin file. Left out with a warning where the runtime has no such
 * event, cannot act on it, or the interpreter is missing (requirement R-08, D-06, V30).
 */
export function renderHook(one: Hook, input: RenderInput): Drafts {
  const drafts: Draft[] = [];
  const findings: Finding[] = [];
  for (const spec of runtimesFor(one, input.specs)) {
    const rendered = hookFor(one, spec, input);
    drafts.push(...rendered.drafts);
    findings.push(...rendered.findings);
  }
  return { drafts, findings };
}

function hookFor(one: Hook, spec: RuntimeSpec, input: RenderInput): Drafts {
  const { artifact } = one;
  const gate = qualify(one, spec, spec.hooks, 'hooks');
  const hooks = spec.hooks;
  if (!gate.ok || hooks === undefined) return { drafts: [], findings: gate.findings };
  const left = (code: Finding['code'], reason: string, remedy?: string): Drafts => ({
    drafts: [],
    findings: [withheld(one, spec.id, code, reason, remedy)],
  });
  const event = hooks.events[artifact.event];
  if (event === undefined) return left('hook/event-missing', `it has no event ${artifact.event}`);
  if (artifact.event === 'before-tool' && !hooks.canAsk) {
    return left('hook/cannot-ask', 'a hook before a tool cannot make it ask');
  }
  const isForSome = artifact.server !== undefined || artifact.tools !== undefined;
  if (isForSome && hooks.form === 'command' && event.matcher === undefined) {
    return left('hook/no-matcher', 'its hooks run before every tool, not only before those of this hook');
  }
  const place = hooks.places.find(({ scope }) => scope === input.scope);
  if (place === undefined) return left('render/scope-unsupported', `it has no hooks of scope ${input.scope}`);
  const source = hooks.form === 'plugin' ? artifact.plugin : artifact.script;
  if (source === undefined) {
    return left(
      'hook/form',
      hooks.form === 'plugin' ? 'it takes plugins, not scripts' : 'it takes scripts, not plugins',
    );
  }
  const name = posix.basename(source);
  if (!PLAIN.test(name))
    return left('hook/unsafe-name', `the file name ${JSON.stringify(name)} is not plain`);
  const text = textOf(one.files.get(source) ?? new Uint8Array([0]));
  if (text === undefined) return left('render/not-text', `${source} is missing or no UTF-8 text`);
  const needsInterpreter = hooks.form === 'command';
  if (needsInterpreter && !input.interpreterPresent(artifact.interpreter)) {
    const reason = `${artifact.interpreter} is not on PATH`;
    return left(
      'hook/interpreter-missing',
      reason,
      `install ${artifact.interpreter}, then run the command again`,
    );
  }
  const folder = resolvePath(place.folder, input);
  if (folder.problem?.severity === 'error')
    return { drafts: [], findings: [...gate.findings, folder.problem] };
  const script = joinPosix(folder.display, name);
  const file: Draft = {
    owner: one.owner,
    runtimes: [spec.id],
    scope: input.scope,
    target: { path: script, format: 'whole', place: { kind: 'file' } },
    value: text,
    class: 'executes',
    rules: plainRules,
    switches: [],
    summary: hooks.form === 'plugin' ? `plugin ${name}` : `script of the ${artifact.event} hook`,
    order: 'early',
  };
  if (hooks.form === 'plugin') return { drafts: [file], findings: gate.findings };
  const item = itemFor(one, spec, hooks, place, script, input);
  return {
    drafts: item.draft === undefined ? [] : [file, item.draft],
    findings: [...gate.findings, ...item.findings],
  };
}

function itemFor(
  one: Hook,
  spec: RuntimeSpec,
  hooks: Hooks,
  place: HookPlace,
  script: string,
  input: RenderInput,
): { readonly draft?: Draft; readonly findings: readonly Finding[] } {
  const { artifact } = one;
  const file = place.file === undefined ? undefined : spec.files[place.file];
  const event = hooks.events[artifact.event];
  if (file === undefined || event === undefined || hooks.item === undefined || place.command === undefined) {
    throw new Error(`the hooks of ${spec.id} are incomplete`);
  }
  const at = (place.at ?? []).map((part) => fillText(part, { event: event.name }));
  const choice = chooseFile(file, at, input);
  if ('problem' in choice) return { findings: [choice.problem] };
  const line = { script, file: posix.basename(script), interpreter: artifact.interpreter };
  const windows = artifact.args.every((arg) => PLAIN.test(arg)) ? place.commandWindows : undefined;
  const value = fillTemplate(hooks.item, {
    event: event.name,
    command: fillText(place.command, {
      ...line,
      args: artifact.args.map((arg) => ` ${quote(arg)}`).join(''),
    }),
    commandWindows:
      windows === undefined
        ? undefined
        : fillText(windows, { ...line, args: artifact.args.map((arg) => ` ${arg}`).join('') }),
    matcher: matcherOf(one, spec, event.matcher),
    timeout: hooks.timeoutUnit === 'ms' ? artifact.timeoutSeconds * 1000 : artifact.timeoutSeconds,
  });
  return {
    findings: choice.findings,
    draft: {
      owner: one.owner,
      runtimes: [spec.id],
      scope: input.scope,
      target: {
        path: choice.path.display,
        format: file.format,
        place: { kind: 'item', path: at, value: value as Json, tag: script },
      },
      value: value as Json,
      class: 'executes',
      rules: rulesOf(file),
      switches: [],
      summary: `runs ${artifact.interpreter} ${script} at ${event.name}`,
      order: 'normal',
    },
  };
}

/** The tools that a hook is for, as the runtime spells them: a regular expression that matches whole names. */
function matcherOf(one: Hook, spec: RuntimeSpec, template: string | undefined): string | undefined {
  if (template === undefined) return undefined;
  const { server, tools } = one.artifact;
  if (server === undefined || spec.mcp === undefined)
    return template.includes('{tools}') ? undefined : template;
  const { toolName } = spec.mcp;
  const names = tools?.map((tool) => escapeRegExp(fillText(toolName, { server, tool })));
  const anyTool = escapeRegExp(fillText(toolName, { server, tool: '\u0000' })).replace('\u0000', '.*');
  return fillText(template, { tools: (names ?? [anyTool]).join('|') });
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

/** One word of a POSIX shell (XCU 2.2.2). */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
