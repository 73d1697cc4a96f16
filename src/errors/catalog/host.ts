import type { Codes } from './entry.ts';

export const HOST_CODES: Codes = {};
