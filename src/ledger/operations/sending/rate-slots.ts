import type { Connection } from '../../connection.ts';
import type { SlotsRequest } from '../../contracts/sending.ts';
import {
  findSlots,
  type FoundSlots,
  type RateRow,
  type TakenSlots,
  takeSlots,
} from '../../decide/rate-slots.ts';
import { loadStatements } from '../../statements.ts';

/** The slots of messages (decide/rate-slots.ts) in the rows of account and campaign. */
export type RateSlots = ReturnType<typeof rateSlots>;

/** Takes slots in the rows of account and campaign. */
export function rateSlots(database: Connection) {
  const sql = loadStatements(database, new URL('./rate-slots.sql', import.meta.url));

  /** Takes the slots `at` among the found ones. The caller writes the returned schedule position. */
  async function take(row: RateRow, found: FoundSlots, at: number[]): Promise<TakenSlots> {
    const taken = takeSlots(row, found, at);
    if (taken.calendar !== null) {
      const { origin, spacing, taken: slots } = taken.calendar;
      await sql('set_calendar').run(row.account, origin, spacing, slots);
    }
    return taken;
  }

  /** New slots for messages that missed their own: always `count` slots, however far ahead. */
  async function takeMore({ campaign, account, count, now, accountRate }: SlotsRequest): Promise<number[]> {
    const row = (await sql('rates').get(campaign, account)) as unknown as RateRow | undefined;
    if (row === undefined) throw new RangeError(`there is no campaign ${campaign} on account ${account}`);
    const found = findSlots(row, { now, count, until: Infinity, accountRate });
    const { nextSlot, slackMs } = await take(row, found, found.at);
    await sql('set_next_slot').run(campaign, nextSlot, slackMs);
    return found.at;
  }

  return { take, takeMore };
}
