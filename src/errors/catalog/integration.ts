import type { Codes } from './entry.ts';

export const INTEGRATION_CODES: Codes = {};
