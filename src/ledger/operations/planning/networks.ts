import { type Connection, getEach } from '../../connection.ts';
import { type HoldCause, PROBE_REPORTS_MS, TRIALS } from '../../../domain/pace/network-breaker.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/* The claim's view of networks. While a network is held, a number's network is read from its last message. */

/** The most held messages of one claim, because each costs a look-up and a write. */
const MOST_HELD_A_CLAIM = 1_000;

/** A held message is checked again after this time, in case the breaker never brings it back. */
export const MOST_AHEAD_MS = TRIALS.delivery.mostWaitMs + PROBE_REPORTS_MS;

/** A held network that a claim may still send probes to. */
interface ClaimHold {
  network: string;
  /** The number of messages that may still try it. */
  places: number;
}

/** The networks that one claim holds. */
export interface HeldNetworks {
  /** Holds the message if its network is held. Else returns the network that it would try; null: none. */
  check(message: { seq: number; mobile: string }): Promise<'held' | ClaimHold | null>;
  /** Notes the claim of a message that tries a network. */
  claimed(seq: number, hold: ClaimHold): Promise<void>;
  /** True when this claim has held enough messages. */
  readonly full: boolean;
}

/** Looks up the networks of numbers, and holds messages. */
export class Networks {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./networks.sql', import.meta.url));
  }

  /** The network of each number's last message, in their order; null: not known. */
  async ofEach(mobiles: readonly string[]): Promise<(string | null)[]> {
    const found = await getEach(
      this.#sql('network_of'),
      mobiles.map((mobile) => [mobile]),
    );
    return found.map((row) => (row?.['network'] ?? null) as string | null);
  }

  /** The network of each message's number; null: not known. */
  async ofMessages(messages: readonly { campaign: number; seq: number }[]): Promise<(string | null)[]> {
    const found = await getEach(
      this.#sql('mobile_of'),
      messages.map(({ campaign, seq }) => [campaign, seq]),
    );
    return await this.ofEach(found.map((row) => String(row?.['mobile'])));
  }

  /** The held networks of the campaign's claim; null: none. */
  async holding({ campaign, now }: { campaign: number; now: number }): Promise<HeldNetworks | null> {
    const holds = await this.#holdsOf(campaign);
    if (holds.size === 0) return null;
    let count = 0;
    return {
      get full() {
        return count >= MOST_HELD_A_CLAIM;
      },
      check: async ({ seq, mobile }) => {
        const [network = null] = await this.ofEach([mobile]);
        const hold = network === null ? undefined : holds.get(network);
        if (hold === undefined) return null;
        if (hold.places > 0) return hold;
        await this.#sql('note_held').run(campaign, hold.network, seq);
        await this.#sql('hold_message').run(campaign, seq, now + MOST_AHEAD_MS);
        count += 1;
        return 'held';
      },
      claimed: async (seq, hold) => {
        hold.places -= 1;
        await this.#sql('add_probe').run(campaign, hold.network, seq, now + PROBE_REPORTS_MS);
      },
    };
  }

  async #holdsOf(campaign: number): Promise<Map<string, ClaimHold>> {
    type Row = { network: string; cause: HoldCause; probing: number; taken: number };
    const rows = (await this.#sql('holds_of_claim').all(campaign)) as unknown as Row[];
    return new Map(
      rows.map(({ network, cause, probing, taken }) => {
        const places = probing === 1 ? TRIALS[cause].probes - taken : 0;
        return [network, { network, places }];
      }),
    );
  }
}
