import { blocksProbe } from './blocks.ts';
import { clientListsProbe } from './client-lists.ts';
import { clientReadsProbe } from './client-reads.ts';
import { configProbe } from './config.ts';
import { consentProbe } from './consent.ts';
import { duplicatesProbe } from './duplicates.ts';
import { endpointsProbe } from './endpoints.ts';
import { environmentProbe } from './environment.ts';
import { foreignProbe } from './foreign-content.ts';
import { gitProbe } from './git-files.ts';
import { harnessProbe } from './harness.ts';
import { harnessSupportProbe } from './harness-support.ts';
import { hookGatesProbe } from './hook-gates.ts';
import { hookParseProbe, hookTargetsProbe } from './hook-scripts.ts';
import { hostProbe } from './host.ts';
import { liveProbe } from './live.ts';
import { loadedProbe } from './loaded.ts';
import { nestedProbe } from './nested.ts';
import { definitionsProbe, manifestProbe, ownershipProbe, trustProbe } from './ownership.ts';
import { permissionsProbe } from './permissions.ts';
import type { Probe } from './probe.ts';
import { referencesProbe } from './references.ts';
import { privateFilesProbe, secretsProbe } from './secrets.ts';
import { serviceCliProbe } from './service-cli.ts';
import { shadowingProbe } from './shadowing.ts';
import { sharedHooksProbe } from './shared-hooks.ts';
import { journalProbe, stateProbe } from './state.ts';
import { stdioServersProbe } from './stdio-servers.ts';
import { tiersProbe } from './tiers.ts';
import { versionsProbe } from './versions.ts';

/** Every probe of doctor, in the order of the report. Their ids are documented and permanent. */
export const PROBES: readonly Probe[] = [
  journalProbe,
  stateProbe,
  manifestProbe,
  environmentProbe,
  configProbe,
  clientReadsProbe,
  foreignProbe,
  duplicatesProbe,
  nestedProbe,
  ownershipProbe,
  trustProbe,
  definitionsProbe,
  loadedProbe,
  hookTargetsProbe,
  hookParseProbe,
  sharedHooksProbe,
  permissionsProbe,
  consentProbe,
  blocksProbe,
  shadowingProbe,
  hostProbe,
  hookGatesProbe,
  referencesProbe,
  secretsProbe,
  privateFilesProbe,
  gitProbe,
  endpointsProbe,
  liveProbe,
  harnessProbe,
  harnessSupportProbe,
  serviceCliProbe,
  versionsProbe,
  clientListsProbe,
  stdioServersProbe,
  tiersProbe,
];
