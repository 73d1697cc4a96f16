import type { Codes } from './entry.ts';

/** What can be wrong between this machine and an endpoint. */
export const ENDPOINT_CODES: Codes = {
  'endpoint/unreachable': {
    title: 'the endpoint does not answer',
    explain:
      'No connection could be made. Start the server, or correct the URL with --set; --offline accepts it unchecked, and the plan then says so.',
    exit: 4,
  },
  'endpoint/refused': {
    title: 'nothing listens at the endpoint',
    explain: 'The machine answered that the port is closed. Start the server, or correct the port.',
    exit: 4,
  },
  'endpoint/timeout': {
    title: 'the endpoint took too long',
    explain: 'No complete answer came within the time limit. Try again, or raise it with --timeout MS.',
    exit: 4,
  },
  'endpoint/dns': {
    title: 'the name of the endpoint is not known',
    explain: 'The host name could not be resolved. Correct it, or check the network.',
    exit: 4,
  },
  'endpoint/tls': {
    title: 'the certificate of the endpoint is not accepted',
    explain:
      'The secure connection failed: the certificate is expired, for another name, or from an unknown authority. Correct the server; the check is never switched off.',
    exit: 4,
  },
  'endpoint/proxy': {
    title: 'the proxy did not let the request through',
    explain:
      'A proxy is set in the environment and refused or failed. Correct HTTPS_PROXY, or name the host in NO_PROXY.',
    exit: 4,
  },
  'endpoint/loopback-proxied': {
    title: 'a local address may be sent to the proxy',
    explain:
      'A proxy is set and NO_PROXY does not name this machine, so some coding tools would send local requests to the proxy. Add the address to NO_PROXY.',
  },
  'endpoint/redirect': {
    title: 'the endpoint sends elsewhere',
    explain:
      'Redirects are not followed, because the coding tool would send its token to the new address. Use the final URL.',
    exit: 4,
  },
  'endpoint/not-found': {
    title: 'there is nothing at this path',
    explain: 'The server is there and answers 404. Correct the path of the URL.',
    exit: 4,
  },
  'endpoint/server-error': {
    title: 'the endpoint reports an error of its own',
    explain: 'It answered with a status of 500 or more. See its log.',
    exit: 4,
  },
  'endpoint/too-large': {
    title: "the endpoint's answer is too large",
    explain:
      'An answer to a check is small; this one exceeded the limit and was not read further. Check the URL.',
    exit: 4,
  },
  'endpoint/not-http': {
    title: 'what answers is no HTTP server',
    explain: 'The port belongs to another protocol. Check the URL.',
    exit: 4,
  },
  'endpoint/not-health': {
    title: 'the answer is no health report',
    explain:
      'The server answers, but not with the JSON document of a VERA API. Check that the URL is that of the API.',
    exit: 4,
  },
  'endpoint/not-mcp': {
    title: 'what answers speaks no MCP',
    explain:
      'The server answered the initialize request with something else. Check that the URL ends in the path of the MCP server.',
    exit: 4,
  },
  'endpoint/not-proven': {
    title: 'the endpoint could not be shown to work',
    explain:
      'It answers, but a step of the check that needs a login was not possible. This is a warning, not a pass.',
  },
  'endpoint/not-checked': {
    title: 'the endpoint was not asked',
    explain: '--offline, or no right to ask: a check that was not made never counts as passed.',
  },
  'endpoint/health-refused': {
    title: 'the health check was refused',
    explain:
      "The API answered with 401 or 403 where it should be open. Check the URL and the server's settings.",
    exit: 4,
  },
  'endpoint/initialize-refused': {
    title: 'the MCP server refused to start a session',
    explain: 'It answered the initialize request with an error; the message repeats it. See its log.',
    exit: 4,
  },
  'endpoint/protocol-version': {
    title: 'the MCP server speaks another version of the protocol',
    explain: 'It offers a version that this program does not know. Update the server or tenon.',
    exit: 4,
  },
  'endpoint/login-needed': {
    title: 'the MCP server wants a login',
    explain:
      'That is as it should be for a protected server. The coding tool logs in itself; follow the next steps.',
  },
  'endpoint/auth-unknown': {
    title: 'how to log in is not told',
    explain:
      "The server wants a login but does not say where, so the coding tool cannot start one. See the server's documentation.",
    exit: 4,
  },
  'endpoint/no-mcp-auth': {
    title: 'the server offers no login for MCP',
    explain: 'Neither its metadata nor its answer names a way to authorise a coding tool.',
    exit: 4,
  },
  'endpoint/unauthenticated-remote': {
    title: 'a remote server lets everybody in',
    explain:
      'The MCP server is not on this machine and asks for no login, so everybody who can reach it can use it. Set up authentication, or confirm that this is meant.',
    exit: 4,
  },
  'endpoint/address-refused': {
    title: 'an address that is not contacted',
    explain:
      'The host resolves to an address that no endpoint should have (for example a link-local one). It was not asked.',
    exit: 4,
  },
  'endpoint/host-refused': {
    title: 'the server does not accept this host name',
    explain: 'It checks the Host header and refuses this one. Use the name that the server knows.',
    exit: 4,
  },
  'endpoint/url-invalid': {
    title: 'the text is no URL',
    explain: 'An endpoint is an absolute URL such as http://127.0.0.1:8765.',
    exit: 4,
  },
  'endpoint/url-scheme': {
    title: 'the URL is neither http nor https',
    explain: 'Only these two are contacted.',
    exit: 4,
  },
  'endpoint/url-insecure': {
    title: 'http to another machine',
    explain: 'Tokens would cross the network in the clear. Use https; plain http is for this machine alone.',
    exit: 4,
  },
  'endpoint/url-userinfo': {
    title: 'the URL holds a user name or password',
    explain: 'It would stand in a committed file. Give the token by reference: --token-env NAME.',
    exit: 4,
  },
  'endpoint/url-query': {
    title: 'the URL holds a query or fragment',
    explain: 'The definition does not allow it here, and a query often holds a key. Leave it out.',
    exit: 4,
  },
  'endpoint/url-path': {
    title: 'the URL has another path than it must',
    explain: 'The message names the ending that is needed.',
    exit: 4,
  },
  'endpoint/url-characters': {
    title: 'the URL holds characters that do not belong there',
    explain:
      'Blanks, control characters or backslashes can make two programs read two different addresses. Write it plainly.',
    exit: 4,
  },
  'endpoint/key-malformed': {
    title: 'the API key has another form',
    explain: 'A key of VERA looks like vera_<id>.<secret>. Copy it again.',
    exit: 4,
  },
  'endpoint/key-refused': {
    title: 'the API key was refused',
    explain: 'The server does not know it, or it was revoked. Make a new one there.',
    exit: 3,
  },
  'endpoint/scopes-refused': {
    title: 'the key may not grant what was asked',
    explain: 'It has fewer rights than the token would need. Use a key with these rights, or ask for fewer.',
    exit: 3,
  },
  'endpoint/token-failed': {
    title: 'no token could be got',
    explain: 'The exchange of the key failed; the message says how. Nothing was written.',
    exit: 4,
  },
  'endpoint/token-malformed': {
    title: 'the token has another form',
    explain: 'What the server gave is no token of the kind that it should be. Nothing was written.',
    exit: 4,
  },
  'endpoint/token-rejected': {
    title: 'the MCP server does not accept the token',
    explain:
      'The token was issued but does not work. It exists now; revoke it at the server if it is not needed.',
    exit: 4,
  },
  'endpoint/token-scope': {
    title: 'the token lacks a right',
    explain: 'It works but does not allow what the integration needs.',
    exit: 4,
  },
  'endpoint/token-unusable': {
    title: 'the token cannot be used as it is',
    explain: 'It has expired already, or its answer may be stored by others on the way.',
    exit: 4,
  },
  'endpoint/oauth-metadata': {
    title: 'the login data of the server cannot be read',
    explain: "The metadata document is missing or no valid JSON. See the server's documentation.",
    exit: 4,
  },
  'endpoint/oauth-servers': {
    title: 'no authorisation server is named',
    explain: 'The metadata of the MCP server names none, so no login can start.',
    exit: 4,
  },
  'endpoint/oauth-issuer': {
    title: 'the authorisation server gives another name',
    explain:
      'Its metadata names another issuer than the one that was asked, which is how attacks look. No login is started.',
    exit: 4,
  },
  'endpoint/oauth-endpoints': {
    title: 'a login address is missing',
    explain: 'The metadata of the authorisation server lacks an address that a login needs.',
    exit: 4,
  },
  'endpoint/oauth-insecure': {
    title: 'a login address is not secure',
    explain: 'It uses http on another machine. No login is started.',
    exit: 4,
  },
  'endpoint/oauth-origin': {
    title: 'a login address belongs to somebody else',
    explain: 'It is on another host than the server that names it. No login is started.',
    exit: 4,
  },
  'endpoint/oauth-pkce': {
    title: 'the authorisation server does not support PKCE',
    explain: 'Without it a login can be intercepted on this machine. The server must offer S256.',
    exit: 4,
  },
  'endpoint/oauth-resource': {
    title: 'the login data is for another server',
    explain: 'The metadata names another resource than the URL that was asked.',
    exit: 4,
  },
  'endpoint/header-invalid': {
    title: 'a header cannot be sent',
    explain:
      'A header value holds a line end or another character that HTTP does not allow, so nothing was sent. Check the variable that it comes from; a copied token often ends with a line end.',
    exit: 4,
  },
  'endpoint/tools-missing': {
    title: 'the MCP server does not show all tools',
    explain:
      'Tools of the coding profile are not in its list. The server may run with another tool profile, or be another server. Ask whoever runs it.',
  },
  'endpoint/tools-unknown': {
    title: 'the MCP server shows tools that the contract does not have',
    explain: 'It may be newer than this program. Nothing was called.',
  },
  'endpoint/tools-paged': {
    title: 'the list of tools is longer than was read',
    explain: 'Only its first page was compared, so that a check makes a fixed number of requests.',
  },
  'endpoint/tool-hints': {
    title: 'tools describe their effects otherwise than the contract',
    explain:
      'Coding tools ask for approval by these hints (reads only, destroys, may be repeated). A wrong one can let a write through unasked. Report it to whoever runs the server.',
  },
  'endpoint/hostile-text': {
    title: 'tools have hidden characters in name or description',
    explain:
      'Control or invisible characters can hide text from a person and show it to an agent. Look at the server before you use it.',
  },
  'endpoint/instructions': {
    title: "the server's instructions leave points out",
    explain:
      'The contract asks a server to tell agents how to treat what it returns. The message names the points that were not found.',
  },
  'endpoint/tool-refused': {
    title: 'the MCP server refused a request of the check',
    explain:
      'It answered with a structured error. The message names its code, and the remedy is what the contract says to do about it.',
    exit: 4,
  },
  'endpoint/bootstrap-unreadable': {
    title: 'the bootstrap answer cannot be read',
    explain: 'knowledge_bootstrap gave no structured answer, so principal, project and rights are not known.',
    exit: 4,
  },
  'endpoint/bootstrap-incomplete': {
    title: 'the bootstrap answer leaves facts out',
    explain: 'The message names the facts of the contract that the server does not report.',
  },
  'endpoint/contract-version': {
    title: 'the server serves another version of the contract',
    explain:
      'The integration was made for version 1. Update the server, or use the integration that fits it.',
    exit: 4,
  },
  'endpoint/project-ambiguous': {
    title: 'the repository belongs to several projects',
    explain: 'One is never chosen for you. Name it: --set PROJECT=<id>.',
  },
  'endpoint/project-unmapped': {
    title: 'the repository belongs to no project',
    explain:
      'The server maps its address to none that this login may read. Retrieval works in the personal scope only until it is mapped there.',
  },
};
