import type { DatabaseSync } from 'node:sqlite';
import type { NetworkHold } from '../sending.ts';
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
  /** True when this claim has held enough. */
  readonly full: boolean;
}

/** Looks up numbers' networks, and holds messages. */
export class Networks {
  readonly #sql: Statements<typeof STATEMENTS>;

  constructor(database: DatabaseSync) {
    this.#sql = prepareStatements(database, new URL('./networks.sql', import.meta.url), STATEMENTS);
  }

  /** The network of the number's last message; null: not known. */
  of(mobile: string): string | null {
    return (this.#sql.network_of.get(mobile)?.['network'] ?? null) as string | null;
  }

  /** Null: nothing is held. */
  holding(holds: readonly NetworkHold[] | undefined): HeldNetworks | null {
    if (holds === undefined || holds.length === 0) return null;
    const byNetwork = new Map(holds.map((hold) => [hold.network, { ...hold }]));
    let count = 0;
    return {
      get full() {
        return count >= MOST_HELD_A_CLAIM;
      },
      check: ({ campaign, seq, mobile }) => {
        const network = this.of(mobile);
        const hold = network === null ? undefined : byNetwork.get(network);
        if (hold === undefined) return { held: false, network };
        if (hold.probe) {
          hold.probe = false;
          return { held: false, network };
        }
        this.#sql.hold.run(campaign, seq, hold.until);
        count += 1;
        return { held: true, network };
      },
    };
  }
}
