import type { Context } from '../../cli/context.ts';
import { startDeadline } from '../../endpoint/deadline.ts';
import { exchangeToken, isTokenShaped, probeToken, type TokenProblem } from '../../endpoint/token.ts';
import { displayUrl } from '../../endpoint/url.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import type { ExpandedLogin } from '../../integrations/expand.ts';

export interface Entered {
  /** Secret: goes into the plan's bytes and nowhere else. */
  readonly token: string;
  readonly findings: readonly Finding[];
}

/**
 * Asks a person for an API key, exchanges it at the API, or asks for a token itself; then tries the token at the MCP server
 * (V17 to V21). The key goes to the API only, the token to the MCP server only. Throws with exit 3 (declined) or 4.
 */
export async function enterCredential(
  context: Context,
  login: ExpandedLogin,
  existing: boolean,
): Promise<Entered> {
  const issued = existing ? await enterToken(context) : await issueToken(context, login);
  const tried = await within(context, 'Trying the token', (options) =>
    probeToken(login.mcp, issued.token, options),
  );
  if (!tried.ok) {
    const left = existing ? '' : ' A token was issued and is stored nowhere; revoke it at the server.';
    throw refused(tried, left);
  }
  return issued;
}

async function enterToken(context: Context): Promise<Entered> {
  const token = (await secret(context, 'MCP token (not shown)')).trim();
  if (!isTokenShaped(token)) {
    throw new TenonError('endpoint/token-malformed', 'This is no JWT of three base64url parts.', { exit: 4 });
  }
  return { token, findings: [] };
}

async function issueToken(context: Context, login: ExpandedLogin): Promise<Entered> {
  // Reading alone where no writes are wanted (V14); chosen before the plan, whose rules follow it.
  const { read, write } = login.spec.scopes;
  const scopes = login.readOnly ? read : write;
  const key = (
    await secret(context, `API key for ${displayUrl(login.api)} (not shown, sent there only)`)
  ).trim();
  const issued = await within(context, 'Asking for a token', (options) =>
    exchangeToken(login.api, key, { ...options, scopes }),
  );
  if (!issued.ok) throw refused(issued, '');
  const findings: Finding[] =
    issued.expiresIn === null
      ? [
          {
            code: 'credential/no-expiry',
            severity: 'info',
            subject: displayUrl(login.api),
            message: 'the token does not expire, as the server intends; it works until it is revoked there',
            remedy: { text: 'Replace it from time to time with --rotate' },
          },
        ]
      : [];
  return { token: issued.token, findings };
}

async function secret(context: Context, message: string): Promise<string> {
  const answer = await context.prompter.password(message);
  if (answer === undefined || answer.trim() === '') throw declined();
  return answer;
}

type NetworkOptions = Parameters<typeof probeToken>[2];

async function within<T>(
  context: Context,
  label: string,
  work: (options: NetworkOptions) => Promise<T>,
): Promise<T> {
  const { options, system, reporter } = context;
  const deadline = startDeadline(options.timeoutMs);
  try {
    return await reporter.progress(label, () => work({ deadline, network: { env: system.host.env } }));
  } finally {
    deadline.end();
  }
}

const refused = ({ code, message }: TokenProblem, left: string): TenonError =>
  new TenonError(code, `${message}${left}`, {
    exit: 4,
    remedy: { text: 'Check key, scopes and server, then run the command again' },
  });

const declined = (): TenonError =>
  new TenonError('approval/declined', 'the credential was not entered', { exit: 3 });
