import type { Scope } from '../engine/types.ts';
import type { ErrorCode } from '../errors/error.ts';
import { type Json, setOwn } from '../lib/json.ts';
import { placeholdersOf, type Values } from './dialect.ts';
import { bearerReference, hasReference, type Inline, renderInline, soleReference } from './references.ts';
import type { Of } from './render-types.ts';
import type { RuntimeSpec, TemplateValue } from './schema.ts';
import { showText } from './show.ts';

type Mcp = NonNullable<RuntimeSpec['mcp']>;
type Server = Of<'mcp-server'>['artifact'];

/** Something of a server that a runtime cannot express. `withhold`: without it the server would be another one. */
export interface ValueProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly withhold: boolean;
}

export interface McpValues {
  readonly values: Values;
  readonly problems: readonly ValueProblem[];
}

/**
 * The values of a server for one runtime's entry template (`dialect.ts`). References are put into the runtime's own
 * syntax, into members of their own where the template has such members, or are a problem.
 */
export function mcpValues(server: Server, mcp: Mcp, template: TemplateValue, scope: Scope): McpValues {
  const problems: ValueProblem[] = [];
  const uses = placeholdersOf(template);
  const reference = mcp.reference?.scopes.includes(scope) ? mcp.reference : undefined;
  const inline: Inline = { reference, expands: mcp.expands };
  const text = (value: string, what: string): string => {
    const rendered = renderInline(value, inline);
    if ('text' in rendered) return rendered.text;
    problems.push(refused(rendered.problem, rendered.at, what));
    return value;
  };
  const seconds = server.timeoutSeconds;
  if (seconds !== undefined && !uses.has('timeoutSeconds') && !uses.has('timeoutMs')) {
    const message = 'its entries have no time limit, so the one of the server is not written';
    problems.push({ code: 'render/field-ignored', message, withhold: false });
  }
  const values: Record<string, Json | undefined> = {
    server: server.server,
    timeoutSeconds: seconds,
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    url: server.http === undefined ? undefined : text(server.http.url, 'the URL'),
    ...headers(server.http?.headers ?? {}, uses, text, problems),
    ...launch(server, uses, text, problems),
  };
  return { values, problems };
}

type Render = (value: string, what: string) => string;

function headers(
  all: Readonly<Record<string, string>>,
  uses: ReadonlySet<string>,
  text: Render,
  problems: ValueProblem[],
): Record<string, Json | undefined> {
  const inlined: Record<string, Json> = {};
  const literal: Record<string, Json> = {};
  const fromEnv: Record<string, Json> = {};
  let bearer: string | undefined;
  for (const [name, value] of Object.entries(all)) {
    const what = `the header ${name}`;
    const bearerEnv = uses.has('bearerEnv') ? bearerReference(name, value) : undefined;
    const sole = uses.has('headersEnv') ? soleReference(value) : undefined;
    if (bearerEnv !== undefined) bearer = bearerEnv;
    else if (sole !== undefined) setOwn(fromEnv, name, sole);
    else if (uses.has('headers')) setOwn(inlined, name, text(value, what));
    else if (!uses.has('headersLiteral')) problems.push(noField(what));
    else if (hasReference(value)) problems.push(refused('no-reference', value, what));
    else setOwn(literal, name, text(value, what));
  }
  return {
    headers: filled(inlined),
    headersLiteral: filled(literal),
    headersEnv: filled(fromEnv),
    bearerEnv: bearer,
  };
}

function launch(
  server: Server,
  uses: ReadonlySet<string>,
  text: Render,
  problems: ValueProblem[],
): Record<string, Json | undefined> {
  const { stdio } = server;
  const env: Record<string, Json> = {};
  const passed: string[] = [];
  for (const [name, value] of Object.entries(stdio?.env ?? {})) {
    if (uses.has('envVars') && soleReference(value) === name) passed.push(name);
    else if (uses.has('env')) setOwn(env, name, text(value, `the variable ${name}`));
    else problems.push(noField(`the variable ${name}`));
  }
  const command = stdio === undefined ? undefined : text(stdio.command, 'the command');
  const args = (stdio?.args ?? []).map((arg) => text(arg, 'an argument'));
  return {
    command,
    args: args.length === 0 ? undefined : args,
    commandLine: command === undefined ? undefined : [command, ...args],
    env: filled(env),
    envVars: passed.length === 0 ? undefined : passed,
  };
}

const filled = (value: Record<string, Json>): Json | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

function refused(problem: 'no-reference' | 'literal-expands', at: string, what: string): ValueProblem {
  return problem === 'no-reference'
    ? {
        code: 'render/no-reference',
        message: `it has no way to refer to an environment variable in ${what}`,
        withhold: true,
      }
    : {
        code: 'render/literal-expands',
        message: `it would expand ${showText(at)} in ${what}, which is meant literally`,
        withhold: true,
      };
}

const noField = (what: string): ValueProblem => ({
  code: 'render/no-field',
  message: `its entries have no place for ${what}`,
  withhold: true,
});
