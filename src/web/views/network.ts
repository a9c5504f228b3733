import { printableLine } from '../../domain/text/printable.ts';
import { networkName, type NetworkNames } from '../../reports/network-words.ts';
import type { Frame } from '../frame.ts';

/** `Safaricom`; `Network 1` where the profile has no name for its number. */
export function networkWords({ words }: Pick<Frame, 'words'>, network: string, names: NetworkNames): string {
  const name = printableLine(networkName(network, names));
  return /^\d+$/.test(name) ? words.common.networkNumber(name) : name;
}
