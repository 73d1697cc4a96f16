import type { Edit, Fault, Result } from './format.ts';

/** Short forms for the results of the formats. */
export const good = <T>(value: T): Result<T> => ({ ok: true, value });

export const bad = (
  code: Fault['code'],
  message: string,
  more: Omit<Fault, 'code' | 'message'> = {},
): { readonly ok: false; readonly fault: Fault } => ({ ok: false, fault: { code, message, ...more } });

/** An edit of a format that has no containers. */
export const edited = (text: string, trace: Edit['trace'] = {}): Result<Edit> =>
  good({ text, trace, containers: [] });
