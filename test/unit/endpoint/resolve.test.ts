import { createServer } from 'node:http';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { validateEndpoints } from '../../../src/endpoint/validate.ts';

/** The name service, outside of this program: what each lookup answers, in turn. */
const service = vi.hoisted(() => ({ answers: [] as string[][], asked: [] as string[] }));
vi.mock('node:dns/promises', () => ({
  lookup: async (host: string) => {
    service.asked.push(host);
    const addresses = service.answers[service.asked.length - 1];
    if (addresses === undefined) throw Object.assign(new Error('no more answers'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  },
}));

beforeEach(() => {
  service.answers = [];
  service.asked = [];
});

const check = async (url: string) => {
  const options = { timeoutMs: 1500, env: {}, offline: false };
  const [report] = await validateEndpoints([{ kind: 'health', url }], options);
  return report;
};

/** A healthy server on 127.0.0.1 that counts its requests. */
async function serve(): Promise<{ port: number; hosts: (string | undefined)[] }> {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, hosts };
}

describe('names are looked up once and every address is checked', () => {
  test('the checked address is called, with the name as host', async () => {
    const { port, hosts } = await serve();
    service.answers = [['127.0.0.1'], ['169.254.169.254']];
    expect(await check(`http://rebind.example:${port}/health`)).toMatchObject({ status: 'pass' });
    expect(service.asked).toEqual(['rebind.example']);
    expect(hosts).toEqual([`rebind.example:${port}`]);
  });

  test.each([
    [['169.254.169.254']],
    [['fd00:ec2::254']],
    [['fe80::1%eth0']],
    [['::ffff:169.254.169.254']],
    [['127.0.0.1', '169.254.169.254']],
    [['0.0.0.0']],
  ])('%j is refused, and nothing is called', async (addresses) => {
    const { port, hosts } = await serve();
    service.answers = [addresses];
    const report = await check(`http://inner.example:${port}/health`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/address-refused' });
    expect(hosts).toEqual([]);
  });

  test('a second address is tried when the first does not answer', async () => {
    const { port, hosts } = await serve();
    service.answers = [['::1', '127.0.0.1']];
    expect(await check(`http://both.example:${port}/health`)).toMatchObject({ status: 'pass' });
    expect(hosts).toHaveLength(1);
  });
});
