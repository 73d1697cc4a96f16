import type { Context } from '../../cli/context.ts';
import { grantsAutoPropose } from '../../endpoint/live-checks.ts';
import { displayUrl } from '../../endpoint/url.ts';
import type { EndpointReport } from '../../endpoint/validate.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { expandEndpoints, expandLogin } from '../../integrations/expand.ts';
import type { Selection } from './selection.ts';

/**
 * Proposals without a question need a grant that only `knowledge_bootstrap` shows (guide, "Memory-save Contract"). A
 * server that needs no login is asked before the plan: without the grant, or without an answer that shows it, the save
 * mode is refused (`consent/not-granted`, exit 4). Where it cannot be asked, since a login is needed or nothing may be
 * contacted, a finding says so; no credential is sent here.
 */
export async function checkGrants(
  context: Context,
  selections: readonly Selection[],
  endpoints: readonly EndpointReport[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { loaded, inputs } of selections) {
    if (!inputs.some(({ name, value }) => name === 'SAVE_MODE' && value === 'auto-propose')) continue;
    if (expandLogin(loaded, inputs)?.readOnly === true) throw readOnly(loaded.manifest.title);
    for (const { url } of expandEndpoints(loaded, inputs).filter(({ kind }) => kind === 'mcp')) {
      const report = endpoints.find((one) => one.kind === 'mcp' && one.url === displayUrl(url));
      const { title } = loaded.manifest;
      if (report?.profile === 'local-dev') await ask(context, url, title);
      else findings.push(unchecked(displayUrl(url), title, report?.status === 'skip'));
    }
  }
  return findings;
}

const readOnly = (title: string): TenonError =>
  new TenonError(
    'consent/not-granted',
    `${title} cannot propose without a question and read alone at the same time; nothing was changed`,
    {
      exit: 4,
      remedy: { text: 'Run it again with --set SAVE_MODE=off, or with --set SCOPES=all' },
    },
  );

async function ask(context: Context, url: string, title: string): Promise<void> {
  const { options, system, reporter } = context;
  const { liveCheck } = await import('../../endpoint/session.ts');
  const report = await reporter.progress('Asking what the server grants', () =>
    liveCheck(url, { timeoutMs: options.timeoutMs, env: system.host.env }),
  );
  const { bootstrap } = report;
  if (bootstrap !== undefined && grantsAutoPropose(bootstrap)) return;
  const why =
    bootstrap === undefined
      ? `its answer does not show the grant (${report.message})`
      : `it offers ${bootstrap.saveModes.join(', ') || 'no mode'}`;
  throw new TenonError(
    'consent/not-granted',
    `${report.url} does not grant ${title} proposals without a question: ${why}; nothing was changed`,
    {
      exit: 4,
      remedy: { text: 'Run it again with --set SAVE_MODE=suggest, or have the server grant them' },
      data: { url: report.url, saveModes: [...(bootstrap?.saveModes ?? [])], requests: report.requests },
    },
  );
}

const unchecked = (subject: string, title: string, isSkipped: boolean): Finding => ({
  code: 'consent/grant-unchecked',
  severity: 'warning',
  subject,
  message: `whether the server grants ${title} proposals without a question was not checked: ${isSkipped ? 'it was not contacted' : 'it needs a login, and no credential is sent here'}`,
  remedy: { text: 'Ask the server', command: 'tenon doctor --live' },
});
