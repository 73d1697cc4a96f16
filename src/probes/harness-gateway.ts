import { displayUrl } from '../endpoint/url.ts';
import type { Finding } from '../errors/error.ts';
import type { Harness } from '../integrations/harnesses.ts';
import { getIn } from '../lib/json.ts';
import { resolvePath } from '../runtimes/paths.ts';
import type { Facts } from './facts.ts';
import { harnessFinding } from './harness-finding.ts';

type Gateway = NonNullable<Harness['gateway']>;
interface Told {
  readonly findings: readonly Finding[];
  readonly said: readonly string[];
}

/**
 * A harness behind a gateway: which tools its configuration on this machine lets through, and, where the network may be
 * asked, whether anything answers at its address. No tool is called and no credential is sent, so a policy that lies
 * elsewhere stays unknown.
 */
export async function gatewayFindings(profile: Harness, gateway: Gateway, facts: Facts): Promise<Told> {
  const policy = policyOf(profile, gateway, facts);
  const reach = await reachOf(profile, gateway, facts);
  return { findings: [...policy.findings, ...reach.findings], said: [...policy.said, ...reach.said] };
}

function policyOf(profile: Harness, gateway: Gateway, facts: Facts): Told {
  const place = resolvePath(gateway.file, facts.base);
  const document = facts.documents.get(place, 'json');
  const where = `${document.path} at ${gateway.at.join('.')}`;
  if (document.state === 'absent')
    return { findings: [], said: [`its policy is not known: ${document.path} is not here`] };
  if (document.state !== 'parsed' || document.value === undefined)
    return { findings: [], said: [`its policy is not known: ${document.path} could not be read`] };
  const list = getIn(document.value, gateway.at);
  const allowed = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  const lacks = gateway.needs.filter((tool) => !allowed.includes(tool));
  const findings = lacks.map((tool) =>
    harnessFinding(
      profile,
      'harness/gateway-policy',
      `${tool} is not allowed in ${where}, so no task can be started`,
    ),
  );
  const partly = gateway.wants.filter(({ tool }) => !allowed.includes(tool));
  const notes = partly.map(({ tool, for: what }) => `${tool} is not allowed there, which ${what} needs`);
  return {
    findings,
    said: [...(lacks.length === 0 ? [`${gateway.needs.join(', ')} allowed`] : []), ...notes],
  };
}

async function reachOf(profile: Harness, gateway: Gateway, facts: Facts): Promise<Told> {
  const { base, options } = facts;
  const text = base.env[gateway.url.variable] ?? '';
  const url = text === '' ? gateway.url.default : text;
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
    const finding = harnessFinding(
      profile,
      'harness/gateway-unreachable',
      `${gateway.url.variable} is no http(s) URL`,
    );
    return { findings: [finding], said: [] };
  }
  const shown = displayUrl(url);
  if (options.offline || !(options.online || options.live))
    return { findings: [], said: [`${shown} was not asked; --online asks whether it answers`] };
  const { callHttp } = await import('../endpoint/http.ts');
  const { startDeadline } = await import('../endpoint/deadline.ts');
  const deadline = startDeadline(options.timeoutMs);
  const result = await callHttp({
    method: 'GET',
    url: new URL('/', url),
    headers: {},
    deadline,
    network: { env: base.env },
    wantsBody: () => false,
  });
  deadline.end();
  // A redirect or a refusal is an answer as well.
  if (result.ok || result.failure.httpStatus !== undefined)
    return { findings: [], said: [`${shown} answers; whether it starts tasks is not shown by that`] };
  return {
    findings: [harnessFinding(profile, 'harness/gateway-unreachable', result.failure.message)],
    said: [],
  };
}
