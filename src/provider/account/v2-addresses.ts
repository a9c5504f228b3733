import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';

/** Addresses that no service has, and at which clouds keep their secrets. Private networks are a person's own affair. */
const NOBODYS = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['224.0.0.0', 3],
] as const)
  NOBODYS.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of [
  ['::', 128],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['ff00::', 8],
] as const)
  NOBODYS.addSubnet(address, bits, 'ipv6');

/** Whether an IP address is one that no service has. */
export function isNobodys(address: string): boolean {
  return NOBODYS.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** How names are looked up: `lookup` of node:dns, or a stand-in. */
export type LookUpAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * Looks a name up at the moment of connecting and leaves nobody's addresses out, so that a name cannot lead elsewhere than
 * an address could.
 */
export function guardedLookup(lookUp: LookUpAll): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      const good = error === null ? found.filter(({ address }) => !isNobodys(address)) : [];
      const [first] = good;
      if (first === undefined) callback(error ?? leadsNowhere(), '', 0);
      else if (options.all === true) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}

function leadsNowhere(): NodeJS.ErrnoException {
  const words = 'the name leads to an address that no service has';
  return Object.assign(new Error(words), { code: 'TUMA_ADDRESS' });
}
