import type { Codes } from './entry.ts';

/** Programs that a service starts for its tasks: what doctor says of them. */
export const HARNESS_CODES: Codes = {
  'harness/not-installed': {
    title: 'a program that the service starts is not here',
    explain:
      'A profile that a fresh installation of the service has switched on needs this program, and PATH does not lead to it outside of the repository. Install it where the service runs, or switch the profile off there.',
  },
  'harness/keys-missing': {
    title: 'no variable lets the program log in',
    explain:
      'The profile takes its credentials from these environment variables alone; a login that the program itself reports does not count. Set one of the sets where the service is started. Only names are looked at, values are never shown.',
  },
  'harness/version': {
    title: 'the program is not the version that the profile needs',
    explain:
      'The profile is pinned to one version, because its behaviour is not documented as stable. Evidence of another version or build does not count. Install the version in the message, or wait for a profile that takes yours.',
  },
  'harness/diagnostic': {
    title: 'what the program says of itself',
    explain:
      'The answer of a command that changes nothing, for instance its own login status. It helps to find a cause and decides nothing: the variables of the profile do.',
  },
  'harness/gateway-policy': {
    title: 'the gateway does not let a needed tool through',
    explain:
      "The gateway's own configuration lists the tools that may be called, and one that starts tasks is not among them. Add it there and restart the gateway.",
  },
  'harness/gateway-unreachable': {
    title: 'the gateway does not answer',
    explain:
      'Nothing answered at the address of the gateway. Start it, or correct the variable that holds its address. No tool was called and no credential was sent.',
  },
  'harness/tier': {
    title: 'the tier of an agent, as its service tells it',
    explain:
      'Tier and reason are shown as the service gives them. An enabled agent that is degraded or unsupported cannot be given tasks; one that is configured has no current evidence.',
  },
  'harness/cli': {
    title: 'what the command line of the service says',
    explain:
      "The service's own check of itself, run with --clients and without a credential. Its failures are warnings here when it calls itself not ok; the rest are notes. The words are its own.",
  },
  'harness/support-unknown': {
    title: 'the service does not tell the tiers of its agents',
    explain:
      'The question for the tiers was refused or answered with something else. Check the address, and the key that the entry refers to.',
  },
};
