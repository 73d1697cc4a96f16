import { STRUCTURED_ERRORS } from '../endpoint/errors.ts';

/** The nine `data.code` values of the contract (V54). */
export type GuardCode =
  | 'unauthenticated'
  | 'unauthorized'
  | 'invalid_input'
  | 'quota_exceeded'
  | 'ambiguous_project'
  | 'project_out_of_scope'
  | 'expired_context_pack'
  | 'unsupported_version'
  | 'internal_error';

const MESSAGES: Readonly<Record<GuardCode, string>> = {
  unauthenticated: 'no valid credential was presented',
  unauthorized: 'this tool needs another scope',
  invalid_input: 'an argument is out of bounds',
  quota_exceeded: 'the quota of this bucket is used up',
  ambiguous_project: 'several projects match; name one',
  project_out_of_scope: 'the project is outside the scopes of the caller',
  expired_context_pack: 'the context pack does not exist any more',
  unsupported_version: 'this contract version is not served',
  internal_error: 'the tool failed',
};

/** Thrown by a tool; the SDK sends `code`, `message` and `data` as the top-level JSON-RPC error. */
export class GuardError extends Error {
  readonly code: number;
  readonly data: { readonly code: GuardCode; readonly [key: string]: string };

  constructor(code: GuardCode, detail: Readonly<Record<string, string>> = {}) {
    super(MESSAGES[code]);
    this.name = 'GuardError';
    this.code = STRUCTURED_ERRORS[code]?.integer ?? -32603;
    this.data = { code, ...detail };
  }
}
