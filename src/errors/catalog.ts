import { CLIENT_CODES } from './catalog/clients.ts';
import { CONFIG_CODES } from './catalog/config.ts';
import { CREDENTIAL_CODES } from './catalog/credential.ts';
import { DOCTOR_CODES } from './catalog/doctor.ts';
import { ENDPOINT_CODES } from './catalog/endpoint.ts';
import type { CatalogEntry } from './catalog/entry.ts';
import { HARNESS_CODES } from './catalog/harness.ts';
import { HOST_CODES } from './catalog/host.ts';
import { INPUT_CODES } from './catalog/input.ts';
import { INTEGRATION_CODES } from './catalog/integration.ts';
import { OWNERSHIP_CODES } from './catalog/ownership.ts';
import { RUN_CODES } from './catalog/run.ts';

/** Every code that tenon can print, with its explanation. Codes are permanent: one is added, never renamed. */
export const CATALOG: Readonly<Record<string, CatalogEntry>> = {
  ...CONFIG_CODES,
  ...OWNERSHIP_CODES,
  ...INTEGRATION_CODES,
  ...ENDPOINT_CODES,
  ...HOST_CODES,
  ...RUN_CODES,
  ...DOCTOR_CODES,
  ...CREDENTIAL_CODES,
  ...CLIENT_CODES,
  ...HARNESS_CODES,
  ...INPUT_CODES,
};

/** The entry of a code, own codes only. */
export const catalogEntry = (code: string): CatalogEntry | undefined =>
  Object.hasOwn(CATALOG, code) ? CATALOG[code] : undefined;
