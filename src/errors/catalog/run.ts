import type { Codes } from './entry.ts';

export const RUN_CODES: Codes = {};
