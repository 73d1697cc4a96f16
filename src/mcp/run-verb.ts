import { isObject, type Json } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { type ChildResult, runChild } from '../system/child.ts';
import { type VerbRequest, wordsOf } from './catalogue.ts';

const MAX_OUTPUT = 1024 * 1024;
const MAX_RESPONSE = 128 * 1024;
/** Of stderr, and of a document that does not fit, this much is shown. */
const EXCERPT = 4000;

export interface VerbRunner {
  /** Absolute path of the program's entry point. */
  readonly program: string;
  readonly cwd: string;
  /** The one repository of this server; undefined where there is none. */
  readonly root: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Why a run has no plain answer. The call itself succeeded: the verb ran. */
export type VerbErrorKind = 'nonzero_exit' | 'json_parse' | 'timeout' | 'output_limit' | 'not_started';

export interface VerbResult {
  readonly argv: readonly string[];
  readonly exitCode: number | null;
  readonly document: Json | null;
  readonly error: { readonly kind: VerbErrorKind; readonly message: string } | null;
  readonly truncated?: { readonly bytes: number; readonly limit: number; readonly excerpt: string };
}

/**
 * Runs one verb of the allowlist as a process of its own: JSON, never asking, stdin closed, bounded in time, output and
 * response. Throws a {@link Refusal} before any process for what cannot be reached.
 */
export async function runVerb(
  runner: VerbRunner,
  request: VerbRequest,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<VerbResult> {
  const words = [...wordsOf(request), '--json', '--no-input'];
  const rooted = runner.root === undefined ? words : [...words, `--root=${runner.root}`];
  const result = await runChild(process.execPath, [runner.program, ...rooted], {
    cwd: runner.cwd,
    env: { ...runner.env, FORCE_COLOR: undefined, NO_COLOR: '1', TERM: 'dumb' },
    timeoutMs,
    maxBytes: MAX_OUTPUT,
    ...(signal === undefined ? {} : { signal }),
  });
  const argv = ['tenon', ...(runner.root === undefined ? words : [...words, '--root=<root>'])];
  return bound({ argv, exitCode: result.code ?? null, ...reading(result, timeoutMs) });
}

function reading(result: ChildResult, timeoutMs: number): Pick<VerbResult, 'document' | 'error'> {
  const failed = (kind: VerbErrorKind, message: string) => ({ document: null, error: { kind, message } });
  switch (result.problem) {
    case 'timeout':
      return failed('timeout', `the run was ended after ${timeoutMs / 1000} s`);
    case 'output-limit':
      return failed('output_limit', `the run was ended after ${MAX_OUTPUT} bytes of output`);
    case 'not-started':
    case 'ended':
      return failed('not_started', 'the run could not be made');
    case undefined:
      break;
  }
  let document: unknown;
  try {
    document = JSON.parse(result.stdout);
  } catch {
    const said = printable(result.stderr.slice(0, EXCERPT));
    return failed('json_parse', `the output is no JSON document (exit code ${result.code}); stderr: ${said}`);
  }
  if (result.code === 0) return { document: document as Json, error: null };
  const fault = isObject(document) && isObject(document['error']) ? document['error']['message'] : undefined;
  return {
    document: document as Json,
    error: {
      kind: 'nonzero_exit',
      message: typeof fault === 'string' ? fault : `the exit code is ${result.code}; see the findings`,
    },
  };
}

/** A document over the limit of a response is left out; its beginning and its size are told. */
function bound(result: VerbResult): VerbResult {
  const text = JSON.stringify(result);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_RESPONSE) return result;
  const excerpt = JSON.stringify(result.document).slice(0, EXCERPT);
  return { ...result, document: null, truncated: { bytes, limit: MAX_RESPONSE, excerpt } };
}
