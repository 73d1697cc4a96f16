import type { Codes } from './entry.ts';

export const OWNERSHIP_CODES: Codes = {};
