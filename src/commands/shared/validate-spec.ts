import { type Definition, rehearse } from '../../authoring/rehearse.ts';
import type { Context } from '../../cli/context.ts';
import type { Finding } from '../../errors/error.ts';
import { locateMember, locateSyntaxError } from '../../integrations/locate.ts';
import { printable } from '../../lib/printable.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import { pathsOf } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';
import type { Validation } from './validate-integration.ts';

const MAX_BYTES = 1024 * 1024;

/** Checks one spec file, each problem with line and column of its field, and rehearses a server with it. */
export async function validateSpec(context: Context, path: AbsPath, shown: string): Promise<Validation> {
  const { reader, host } = context.system;
  const name = pathsOf(host.platform).basename(path);
  const id = name.replace(/\.json$/, '');
  const failed = (findings: readonly Finding[]): Validation => ({
    kind: 'runtime',
    id,
    rehearsals: [],
    findings,
  });
  const text = decode(reader.readFile(path, MAX_BYTES));
  if (text === undefined) return failed([problem(shown, 'it is no UTF-8 text')]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = await locateSyntaxError(text);
    return failed([problem(shown, 'this is not valid JSON; comments are not allowed', at)]);
  }
  const { checkSpec } = await import('../../runtimes/check.ts');
  const checked = checkSpec(value, `specs/${name}`);
  if (checked.spec === undefined) {
    return failed(await Promise.all(checked.problems.map((one) => located(shown, text, one))));
  }
  const rehearsals =
    checked.spec.mcp === undefined ? [] : [await rehearse(context, checked.spec, probe(checked.spec))];
  const findings = rehearsals
    .filter(({ status }) => status !== 'ok')
    .map((one) => problem(shown, one.problem ?? 'a server cannot be set up with it'));
  return { kind: 'runtime', id: checked.spec.id, rehearsals, findings };
}

function decode(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** `files.mcp.create: not one of paths` -> where that member stands. */
async function located(shown: string, text: string, message: string): Promise<Finding> {
  const field = /^([^\s:]+): /.exec(message)?.[1];
  if (field === undefined || field.startsWith('(')) return problem(shown, message);
  return problem(shown, message, await locateMember(text, field.split('.')));
}

function problem(
  shown: string,
  message: string,
  at?: { readonly line: number; readonly column: number },
): Finding {
  const place = at === undefined ? shown : `${shown}:${at.line}:${at.column}`;
  return {
    code: 'runtime/spec-invalid',
    severity: 'error',
    subject: shown,
    message: `${place}: ${printable(message)}`,
    remedy: { text: 'Correct the spec; schema/runtime-spec.json describes every member' },
    data: {
      file: shown.replace(/^\.\//, ''),
      ...(at === undefined ? {} : { line: at.line, column: at.column }),
    },
  };
}

/** The smallest integration there is: one server, by URL where the coding tool takes that. */
function probe(spec: RuntimeSpec): Definition {
  const launch =
    spec.mcp?.http === undefined
      ? { stdio: { command: 'probe-mcp', args: [] } }
      : { http: { url: 'https://example.com/mcp' } };
  const manifest = {
    schemaVersion: 1,
    id: 'probe',
    version: '1.0.0',
    title: 'Probe',
    summary: 'One server.',
    artifacts: [{ kind: 'mcp-server', name: 'server', server: 'probe', ...launch }],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  return { id: 'probe', files: new Map([['integration.json', bytes]]), inputs: [] };
}
