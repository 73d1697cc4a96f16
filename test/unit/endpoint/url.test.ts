import { describe, expect, test } from 'vitest';
import { checkUrl, displayUrl, sameEndpoint } from '../../../src/endpoint/url.ts';

const strict = { pathEndsWith: '/mcp', allowQuery: false, allowInsecure: false };
const loose = { allowQuery: true, allowInsecure: true };
const codeOf = (text: string, rules: Parameters<typeof checkUrl>[1] = strict): string => {
  const checked = checkUrl(text, rules);
  return checked.ok ? 'ok' : checked.code;
};

describe('checkUrl', () => {
  test.each([
    'https://vera.example.com/mcp',
    'https://vera.example.com:8443/base/mcp',
    'http://127.0.0.1:8765/mcp',
    'http://127.9.9.9:8765/mcp',
    'http://localhost:8765/mcp',
    'http://[::1]:8765/mcp',
    'http://[0:0:0:0:0:0:0:1]:8765/mcp',
    'https://localhost/mcp',
    'https://h.example/mcp/',
    'HTTPS://H.example/mcp',
    'https://10.1.2.3/mcp',
  ])('takes %s and gives the text back unchanged', (text) => {
    expect(checkUrl(text, strict)).toMatchObject({ ok: true, text });
  });

  test.each([
    ['', 'endpoint/url-invalid'],
    ['vera.example.com/mcp', 'endpoint/url-invalid'],
    ['/mcp', 'endpoint/url-invalid'],
    ['https:/h.example/mcp', 'endpoint/url-invalid'],
    ['https:///mcp', 'endpoint/url-invalid'],
    ['https://h.example:99999/mcp', 'endpoint/url-invalid'],
    ['http://127.0.0.1:0/mcp', 'endpoint/url-invalid'],
    [`https://h.example/${'a'.repeat(3000)}/mcp`, 'endpoint/url-invalid'],
    ['ftp://h.example/mcp', 'endpoint/url-scheme'],
    ['file:///etc/mcp', 'endpoint/url-scheme'],
    ['javascript://h.example/mcp', 'endpoint/url-scheme'],
    ['http://vera.example.com/mcp', 'endpoint/url-insecure'],
    ['http://10.0.0.1/mcp', 'endpoint/url-insecure'],
    ['http://localhost.example.com/mcp', 'endpoint/url-insecure'],
    ['http://127.0.0.1.example.com/mcp', 'endpoint/url-insecure'],
    ['http://[2001:db8::2]/mcp', 'endpoint/url-insecure'],
    ['https://user@h.example/mcp', 'endpoint/url-userinfo'],
    ['https://user:secret@h.example/mcp', 'endpoint/url-userinfo'],
    ['https://@h.example/mcp', 'endpoint/url-userinfo'],
    ['https://h.example/mcp?', 'endpoint/url-query'],
    ['https://h.example/mcp?a=b', 'endpoint/url-query'],
    ['https://h.example/mcp#', 'endpoint/url-query'],
    ['https://h.example/sse', 'endpoint/url-path'],
    ['https://h.example/', 'endpoint/url-path'],
    ['https://h.example/foomcp', 'endpoint/url-path'],
    ['https://h.example/MCP', 'endpoint/url-path'],
    [' https://h.example/mcp', 'endpoint/url-characters'],
    ['https://h.example/mcp\n', 'endpoint/url-characters'],
    ['https://h.example\\mcp', 'endpoint/url-characters'],
    ['https://h.exa\u202emple/mcp', 'endpoint/url-characters'],
    ['https://exämple.com/mcp', 'endpoint/url-characters'],
    ['https://127.1/mcp', 'endpoint/url-characters'],
    ['http://0x7f.0.0.1/mcp', 'endpoint/url-characters'],
    ['http://2130706433/mcp', 'endpoint/url-characters'],
    ['http://%6cocalhost/mcp', 'endpoint/url-characters'],
    ['https://169.254.169.254/mcp', 'endpoint/address-refused'],
    ['https://[fe80::1]/mcp', 'endpoint/address-refused'],
    ['https://[fd00:ec2::254]/mcp', 'endpoint/address-refused'],
    ['https://[::ffff:169.254.169.254]/mcp', 'endpoint/address-refused'],
    ['https://0.0.0.0/mcp', 'endpoint/address-refused'],
    ['https://metadata.google.internal/mcp', 'endpoint/address-refused'],
  ])('refuses %j with %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test('loose rules allow a query and http, but never userinfo or a metadata address', () => {
    expect(codeOf('http://10.0.0.1/x?key=1', loose)).toBe('ok');
    expect(codeOf('http://u:p@10.0.0.1/x', loose)).toBe('endpoint/url-userinfo');
    expect(codeOf('http://169.254.169.254/x', loose)).toBe('endpoint/address-refused');
  });

  test('a message shows neither credentials nor query values', () => {
    for (const text of [
      'https://alice:hunter2@h.example/mcp',
      'https://h.example/mcp?token=hunter2',
      'https://alice:hun/ter2@h.example/mcp',
      'ftp://alice:hunter2@h.example/mcp',
      'alice:hunter2@h.example/mcp',
    ]) {
      const checked = checkUrl(text, strict);
      expect(checked.ok ? '' : checked.message).not.toMatch(/hunter2|ter2|alice/);
    }
  });
});

describe('sameEndpoint', () => {
  test.each([
    ['http://localhost:8765/mcp', 'http://127.0.0.1:8765/mcp/'],
    ['http://[::1]:8765/mcp', 'http://localhost:8765/mcp'],
    ['https://h.example/mcp', 'https://H.EXAMPLE:443/mcp/'],
    ['http://h.example', 'http://h.example:80/'],
  ])('%s = %s', (a, b) => {
    expect(sameEndpoint(a, b)).toBe(true);
    expect(sameEndpoint(b, a)).toBe(true);
  });

  test.each([
    ['http://localhost:8765/mcp', 'http://localhost:8766/mcp'],
    ['http://localhost/mcp', 'https://localhost/mcp'],
    ['https://h.example/mcp', 'https://h.example/MCP'],
    ['https://h.example/mcp?a=1', 'https://h.example/mcp?a=2'],
    ['http://127.0.0.2/mcp', 'http://127.0.0.1/mcp'],
    ['${URL}', 'http://localhost/mcp'],
  ])('%s ≠ %s', (a, b) => {
    expect(sameEndpoint(a, b)).toBe(false);
  });

  test('texts that are no URL equal only themselves', () => {
    expect(sameEndpoint('${URL}', '${URL}')).toBe(true);
  });
});

describe('displayUrl', () => {
  test.each([
    ['https://h.example/mcp', 'https://h.example/mcp'],
    ['https://u:p@h.example/mcp', 'https://h.example/mcp'],
    ['https://h.example/mcp?key=abc&b', 'https://h.example/mcp?key=[REDACTED]&[REDACTED]'],
    ['https://h.example/mcp#access_token=abc', 'https://h.example/mcp#[REDACTED]'],
    ['https://h.example/@scope/mcp', 'https://h.example/@scope/mcp'],
    ['https://u:p/q@h.example/mcp', 'https://[REDACTED]@h.example/mcp'],
    ['u:p@h.example', '[REDACTED]@h.example'],
    ['https://h.example/\u001b[31m', 'https://h.example/\\e[31m'],
    ['not a url', 'not a url'],
  ])('%s -> %s', (text, shown) => {
    expect(displayUrl(text)).toBe(shown);
  });
});
