import type { Codes } from './entry.ts';

export const ENDPOINT_CODES: Codes = {};
