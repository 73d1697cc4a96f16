import { showText } from './display.ts';

/** One structured error of the VERA contract (V54): its JSON-RPC integer and what to do about it. */
export interface StructuredError {
  readonly integer: number;
  readonly action: string;
}

/** Keyed by `data.code`, the only thing to branch on. */
export const STRUCTURED_ERRORS: Readonly<Record<string, StructuredError>> = {
  unauthenticated: { integer: -32001, action: 'Log in to the server again, then retry.' },
  unauthorized: {
    integer: -32002,
    action: 'Ask for a credential with the missing scope, or go on without this tool.',
  },
  invalid_input: { integer: -32602, action: 'Correct the named argument; the same request will fail again.' },
  quota_exceeded: { integer: -32003, action: 'Wait, then retry.' },
  ambiguous_project: { integer: -32004, action: 'Choose one project and name it in the request.' },
  project_out_of_scope: {
    integer: -32005,
    action: 'Stop: this credential may not use the project. Take no other.',
  },
  expired_context_pack: { integer: -32006, action: 'Assemble the context again.' },
  unsupported_version: { integer: -32007, action: 'Use a contract version that the server offers, or stop.' },
  internal_error: { integer: -32603, action: 'Retry only what is safe to repeat, then report the failure.' },
};

/** A server's structured error as tenon shows it. The server's own message is never passed on. */
export interface MappedError {
  /** `data.code`, escaped and bounded; undefined when the server gave none. */
  readonly code: string | undefined;
  readonly action: string | undefined;
  /** `required_scope`, `field` and `bucket` with their values, where they were given; escaped and bounded. */
  readonly detail: string | undefined;
  /** One sentence made of the above. */
  readonly message: string;
}

/** Members of `data` that may be shown. */
const DETAILS = ['required_scope', 'field', 'bucket'] as const;

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

/**
 * Maps the `data` of a JSON-RPC error to the contract's action (E-07). An unknown code is shown as the code alone; free
 * text of the server is not shown, it may repeat what was sent to it.
 */
export function mapStructuredError(data: unknown, integer?: number): MappedError {
  const raw = own(data, 'code');
  const code = typeof raw === 'string' ? showText(raw, 64) : undefined;
  const known =
    typeof raw === 'string' && Object.hasOwn(STRUCTURED_ERRORS, raw) ? STRUCTURED_ERRORS[raw] : undefined;
  const given = DETAILS.flatMap((key) => {
    const value = own(data, key);
    return typeof value === 'string' ? [`${key} ${showText(value, 64)}`] : [];
  });
  const detail = given.length === 0 ? undefined : given.join(', ');
  const name = code ?? `an error without a code${integer === undefined ? '' : ` (${integer})`}`;
  const where = detail === undefined ? '' : ` (${detail})`;
  const action = known?.action;
  return { code, action, detail, message: `The server answers ${name}${where}.` };
}
