import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { guardedLookup, isNobodys } from '../../../src/provider/account/v2-addresses.ts';

const at = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** What a guarded look-up calls back with, when the name leads to these addresses. */
function found(addresses: string[], options: { all?: boolean } = {}): Promise<unknown[]> {
  const guarded = guardedLookup((_, __, callback) => callback(null, at(...addresses)));
  return called(guarded, options);
}

function called(
  look: LookupFunction,
  options: { all?: boolean } = {},
  name = 'sms.example.com',
): Promise<unknown[]> {
  return new Promise((resolve) => {
    look(name, options, (...result: unknown[]) => resolve(result));
  });
}

describe('an address', () => {
  test.each([
    '169.254.169.254',
    '0.0.0.0',
    '100.100.100.200',
    '239.1.1.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'ff02::1',
    '::ffff:169.254.1.1',
    'fd00:ec2::254',
    '0.255.255.255',
    '169.254.255.255',
    'febf::1',
    'ffff::1',
  ])('%s is nobody’s', (address) => {
    expect(isNobodys(address)).toBe(true);
  });
  test.each([
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '192.168.1.1',
    '41.90.1.1',
    '100.64.0.1',
    '2606:4700::1',
    'fd00::1',
    '1.1.1.1',
    '169.255.0.1',
    '100.100.100.201',
    '223.255.255.255',
    'fec0::1',
    'fd00:ec2::255',
    'fe00::1',
  ])('%s may be somebody’s', (address) => {
    expect(isNobodys(address)).toBe(false);
  });
});

describe('a name that is looked up when a connection is made', () => {
  test('leads only to addresses that may be somebody’s', async () => {
    expect(await found(['169.254.169.254', '41.90.1.1', 'fe80::1'])).toEqual([null, '41.90.1.1', 4]);
    expect(await found(['169.254.169.254', '41.90.1.1', '::1'], { all: true })).toEqual([
      null,
      at('41.90.1.1', '::1'),
    ]);
  });

  test('is an error when it leads to no other, or to none', async () => {
    for (const addresses of [['169.254.169.254'], ['fe80::1', '::ffff:169.254.169.254'], []])
      for (const all of [true, false])
        expect((await found(addresses, { all }))[0]).toMatchObject({ code: 'TUMA_ADDRESS' });
    const failing = guardedLookup((_, __, callback) =>
      // As node:dns does it: there are no addresses at all then.
      callback(Object.assign(new Error(), { code: 'ENOTFOUND' }), undefined as never),
    );
    expect((await called(failing))[0]).toMatchObject({ code: 'ENOTFOUND' });
  });

  test('is looked up by the system', async () => {
    const [error, address] = await called(guardedLookup(lookup), {}, 'localhost');
    expect(error).toBeNull();
    expect(address).toMatch(/^(127\.0\.0\.1|::1)$/);
  });
});
