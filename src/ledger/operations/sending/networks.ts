import { changeEach, type Connection, getEach, runEach } from '../../connection.ts';
import { type HoldCause, PROBE_REPORTS_MS, TRIALS } from '../../../domain/pace/network-breaker.ts';
import type { ClaimHold, Selection } from '../../decide/selection.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/* The claim's view of networks. While a network is held, a number's network is read from its last message. */

/** A held message is checked again after this time, in case the breaker never brings it back. */
export const MOST_AHEAD_MS = TRIALS.delivery.mostWaitMs + PROBE_REPORTS_MS;

/** Looks up the networks of numbers, and holds messages. */
export class Networks {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./networks.sql', import.meta.url));
  }

  /** The network of each number's last message, in their order; null: not known. */
  async ofEach(mobiles: readonly string[]): Promise<(string | null)[]> {
    const found = await getEach(this.#sql('network_of'), mobiles, (mobile) => [mobile]);
    return found.map((row) => (row?.['network'] ?? null) as string | null);
  }

  /** The network of each message's number; null: not known. */
  async ofMessages(messages: readonly { campaign: number; seq: number }[]): Promise<(string | null)[]> {
    const found = await getEach(this.#sql('mobile_of'), messages, ({ campaign, seq }) => [campaign, seq]);
    return await this.ofEach(found.map((row) => String(row?.['mobile'])));
  }

  /** The networks that the campaign's claim holds, by name. */
  async holdsOf(campaign: number): Promise<Map<string, ClaimHold>> {
    type Found = { network: string; cause: HoldCause; probing: number; taken: number; probes: string };
    const rows = await this.#sql<Found>('holds_of_claim').all(campaign);
    return new Map(
      rows.map(({ network, cause, probing, taken, probes }) => {
        const places = probing === 1 ? TRIALS[cause].probes - taken : 0;
        return [network, { network, places, probes: JSON.parse(probes) as number[] }];
      }),
    );
  }

  /** Writes what a claim decided about held networks: the messages that wait for them, and those that try them. */
  async write(campaign: number, { held, tried }: Pick<Selection, 'held' | 'tried'>, now: number) {
    await runEach(this.#sql('note_held'), held, ({ network, seq }) => [campaign, network, seq]);
    await changeEach(this.#sql('hold_message'), held, ({ seq }) => [campaign, seq, now + MOST_AHEAD_MS]);
    await changeEach(this.#sql('set_probes'), [...tried], ({ network, probes }) => {
      return [campaign, network, JSON.stringify(probes), now + PROBE_REPORTS_MS];
    });
  }
}
