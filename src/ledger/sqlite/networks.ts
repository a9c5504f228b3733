import type { DatabaseSync } from 'node:sqlite';
import type { NetworkHold } from '../sending.ts';
import type { CampaignHold, NetworkHolds } from './network-holds.ts';
import { prepareStatements, type Statements } from './statements.ts';

/*
 * Networks: which one a number is at is known from its own last message. Nothing is asked while all of them are well:
 * a look-up for every message would be dear.
 */

const STATEMENTS = ['network_of', 'hold'] as const;

/** A claim looks at so many held messages at most: each is a look-up and a write. */
const MOST_HELD_A_CLAIM = 1_000;

/** A message as it is held against the networks. */
export interface Destined {
  campaign: number;
  seq: number;
  mobile: string;
}

/** The networks that one claim holds back. */
export interface HeldNetworks {
  /** Holds the message when its network is held. Answers whether it was, and the network where it is known. */
  check(message: Destined): { held: boolean; network: string | null };
  /** A message that was not held is claimed: where its network is just tried, it is one of those that try. */
  claimed(message: { seq: number; network: string | null }): void;
  /** True when this claim has held enough. */
  readonly full: boolean;
}

/** Looks up numbers' networks, and holds messages. */
export class Networks {
  readonly #sql: Statements<typeof STATEMENTS>;

  readonly #holds: Pick<NetworkHolds, 'ofClaim'>;

  constructor(database: DatabaseSync, holds: Pick<NetworkHolds, 'ofClaim'>) {
    this.#holds = holds;
    this.#sql = prepareStatements(database, new URL('./networks.sql', import.meta.url), STATEMENTS);
  }

  /** The network of the number's last message; null: not known. */
  of(mobile: string): string | null {
    return (this.#sql.network_of.get(mobile)?.['network'] ?? null) as string | null;
  }

  /** What a claim holds: for its worker, which saw networks fail, and for its campaign. Null: nothing is held. */
  holding(
    { campaign, now }: { campaign: number; now: number },
    holds: readonly NetworkHold[] = [],
  ): HeldNetworks | null {
    const ofCampaign = new Map(this.#holds.ofClaim(campaign, now).map((hold) => [hold.network, hold]));
    if (holds.length === 0 && ofCampaign.size === 0) return null;
    const byNetwork = new Map(holds.map((hold) => [hold.network, { ...hold }]));
    let count = 0;
    return {
      get full() {
        return count >= MOST_HELD_A_CLAIM;
      },
      check: ({ campaign, seq, mobile }) => {
        const network = this.of(mobile);
        if (network === null) return { held: false, network };
        const until = heldUntil(byNetwork.get(network), ofCampaign.get(network), seq);
        if (until === null) return { held: false, network };
        this.#sql.hold.run(campaign, seq, until);
        count += 1;
        return { held: true, network };
      },
      claimed: ({ seq, network }) => {
        if (network === null) return;
        ofCampaign.get(network)?.lend(seq);
        const ofWorker = byNetwork.get(network);
        if (ofWorker !== undefined) ofWorker.probe = false;
      },
    };
  }
}

/** When the message is looked at again; null: it may go. */
function heldUntil(
  ofWorker: NetworkHold | undefined,
  ofCampaign: CampaignHold | undefined,
  seq: number,
): number | null {
  if (ofWorker !== undefined && !ofWorker.probe) return ofWorker.until;
  return ofCampaign !== undefined && ofCampaign.places <= 0 ? ofCampaign.keep(seq) : null;
}
