import { showText, showValue } from '../endpoint/display.ts';
import type { Finding } from '../errors/error.ts';
import type { Harnesses } from '../integrations/harnesses.ts';
import { isObject } from '../lib/json.ts';
import { redactText } from '../lib/secrets.ts';
import type { Facts } from './facts.ts';
import { harnessesIn, isSetUpHere } from './harness.ts';
import { found, type Probe, type Result, skipped } from './probe.ts';

/** Rows of an answer that are shown. */
const MAX_ROWS = 64;

/**
 * `--live`: the tier of each agent as the service tells it (K10). Tier and reason are shown unchanged, escaped and bounded;
 * an enabled agent that is degraded or unsupported is an error, one that is not certified a warning. Asked only at an
 * address that this host wrote and nobody edited since, with the key that its entry refers to.
 */
export const harnessSupportProbe: Probe = {
  id: 'harness/support',
  title: 'Agents, as their service tells',
  async run(facts) {
    if (!facts.options.live) return [];
    const results: Result[] = [];
    for (const { ref, harnesses } of await harnessesIn(facts)) results.push(await ask(ref, harnesses, facts));
    return results;
  },
};

async function ask(ref: string, { service, support }: Harnesses, facts: Facts): Promise<Result> {
  if (facts.options.offline) return skipped('not asked: --offline', ref);
  if (!isSetUpHere(facts, ref) || service === undefined) {
    return skipped('not asked: this host did not set it up, or its entry was edited since', ref);
  }
  const key = support.variable === undefined ? '' : (facts.base.env[support.variable] ?? '');
  if (support.variable !== undefined && key === '') {
    return skipped(`not asked: ${support.variable} is not set here`, ref);
  }
  const { callHttp } = await import('../endpoint/http.ts');
  const { startDeadline } = await import('../endpoint/deadline.ts');
  const { displayUrl } = await import('../endpoint/url.ts');
  const url = new URL(`${service.replace(/\/+$/, '')}${support.path}`);
  const shown = displayUrl(url.href);
  const deadline = startDeadline(facts.options.timeoutMs);
  const result = await callHttp({
    method: 'GET',
    url,
    headers: { accept: 'application/json', ...(key === '' ? {} : { [support.header]: key }) },
    deadline,
    network: { env: facts.base.env },
  });
  deadline.end();
  const failed = (message: string): Result =>
    found([{ code: 'harness/support-unknown', severity: 'warning', subject: ref, message }], '', ref);
  if (!result.ok) return failed(result.failure.message);
  const { status, body } = result.answer;
  if (status === 401 || status === 403) {
    const with_ = support.variable === undefined ? 'without a key' : `with the key in ${support.variable}`;
    return failed(`${shown} refuses to tell (${status}) ${with_}`);
  }
  const rows = status === 200 ? rowsOf(body) : undefined;
  if (rows === undefined) return failed(`${shown} answers ${status}, not with a list of agents`);
  const findings = rows.slice(0, MAX_ROWS).map((row) => findingOf(row));
  const more = rows.length > MAX_ROWS ? `, ${rows.length - MAX_ROWS} more are not shown` : '';
  const enabled = rows.filter(({ enabled: on }) => on === true).length;
  return found(findings, `${rows.length} agents, ${enabled} enabled${more}`, ref);
}

type Row = Readonly<Record<string, unknown>>;

/** The list itself, or in the envelope `{ success, data }`; undefined for anything else. */
function rowsOf(body: string): readonly Row[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const list = isObject(value) && value['success'] === true ? value['data'] : value;
  return Array.isArray(list) && list.every((row) => isObject(row)) ? (list as Row[]) : undefined;
}

function findingOf(row: Row): Finding {
  const agent = showValue(row['agentType'], 60);
  const tier = showValue(row['supportTier'], 40);
  const reason =
    typeof row['reason'] === 'string' ? showText(redactText(row['reason']), 400) : 'no reason is given';
  const isEnabled = row['enabled'] === true;
  const advice = Array.isArray(row['remediation']) ? row['remediation'][0] : undefined;
  return {
    code: 'harness/tier',
    severity: !isEnabled ? 'info' : severityOf(tier),
    subject: agent,
    message: `${agent} is ${tier}: ${reason}${isEnabled ? '' : ' (not enabled)'}`,
    ...(typeof advice === 'string' ? { remedy: { text: showText(redactText(advice), 300) } } : {}),
    data: { tier, reason, enabled: isEnabled, failureClass: showValue(row['failureClass'] ?? 'none', 60) },
  };
}

function severityOf(tier: string): Finding['severity'] {
  if (tier === 'certified') return 'info';
  return tier === 'degraded' || tier === 'unsupported' ? 'error' : 'warning';
}
