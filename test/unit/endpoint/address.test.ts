import { describe, expect, test } from 'vitest';
import { isAddress, isLoopback, refusedAddress } from '../../../src/endpoint/address.ts';

describe('addresses', () => {
  test.each([
    '169.254.1.1',
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'febf:ffff::',
    '[fe80::1]',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '0.0.0.0',
    '::',
    'metadata.google.internal',
    'Metadata.Google.Internal.',
  ])('%s is never called', (host) => {
    expect(refusedAddress(host)).toEqual(expect.any(String));
  });

  test.each([
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '192.168.1.1',
    'fd00::1',
    'fec0::1',
    '2606:4700::1111',
    'h.example',
    '8.8.8.8',
    '169.253.0.1',
  ])('%s may be called', (host) => {
    expect(refusedAddress(host)).toBeUndefined();
  });

  test.each([
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.255.0.3',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
  ])('%s is loopback', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each([
    'localhost.',
    'a.localhost',
    '128.0.0.1',
    '::2',
    '1::1',
    '::1:0:1',
    '::ffff:10.0.0.1',
    '127.1',
    '',
    'h.example',
    // Forms that carry 127.0.0.1 and are sent to a gateway, or nowhere: compatible, NAT64, 6to4, translated (SIIT).
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '2002:7f00:1::',
    '::ffff:0:127.0.0.1',
  ])('%j is not loopback', (host) => {
    expect(isLoopback(host)).toBe(false);
  });

  test('names and malformed addresses are no addresses', () => {
    expect(['1.2.3.4', '::1', '[2001:db8::1]'].every(isAddress)).toBe(true);
    expect(['1.2.3', '256.1.1.1', 'a', '', ':::', 'a:b'].some(isAddress)).toBe(false);
  });
});
