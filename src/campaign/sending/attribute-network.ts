import type { ClaimedMessage } from '../../ledger/sending.ts';
import type { SendResult } from '../../provider/provider.ts';
import type { Env } from '../env.ts';

/** True for an answer that may be the fault of the number's network, and not of the service or of the message. */
export function mayBlameNetwork(result: SendResult): boolean {
  if (result.outcome === 'refused') return result.refusal === 'network';
  return result.outcome === 'unknown' && result.kind !== 'unreadable' && result.kind !== 'unlisted_code';
}

/** The network of a message that failed: as the claim found it, else as the ledger knows it. Empty: nobody knows. */
export async function blamedNetwork(
  { ledger }: Pick<Env, 'ledger'>,
  { mobile, network: known }: ClaimedMessage,
): Promise<readonly string[]> {
  // A ledger that does not answer hides whose fault it is, and nothing else.
  const network = known === undefined ? await ledger.networkOf(mobile).catch(() => null) : known;
  return network === null ? NO_NETWORKS : [network];
}

/** The networks of a message that went through: the one that the answer names, and the one that was tried. */
export function networksOf({ network: tried }: ClaimedMessage, result: SendResult): readonly string[] {
  if (result.outcome !== 'accepted') return NO_NETWORKS;
  const named = result.network;
  if (tried === undefined || tried === null || tried === named) return named === null ? NO_NETWORKS : [named];
  return named === null ? [tried] : [tried, named];
}

const NO_NETWORKS: readonly string[] = [];
