import type { Connection } from '../../connection.ts';
import type { SlotsRequest } from '../../contracts/sending.ts';
import {
  findSlots,
  type FoundSlots,
  type RateRow,
  type TakenSlots,
  takeSlots,
} from '../../decide/rate-grid.ts';
import { loadStatements } from '../../statements.ts';

/** The slots of messages (decide/rate-grid.ts) in the rows of account and campaign. */
export type RateSlots = ReturnType<typeof rateSlots>;

/** Takes slots in the rows of account and campaign. */
export function rateSlots(database: Connection) {
  const sql = loadStatements(database, new URL('./rate-slots.sql', import.meta.url));

  /** Takes the slots `at` among the found ones. The caller writes the returned schedule position. */
  async function take(row: RateRow, found: FoundSlots, at: number[]): Promise<TakenSlots> {
    const slots = takeSlots(row, found, at);
    if (slots.calendar !== null) {
      const { origin, spacing, taken } = slots.calendar;
      await sql('set_calendar').run(row.account, origin, spacing, taken);
    }
    return slots;
  }

  /** New slots for messages that missed their own: always `count` slots, however far ahead. */
  async function takeMore({ campaign, account, ...wanted }: SlotsRequest): Promise<number[]> {
    const row = await sql<RateRow>('rates').get(campaign, account);
    if (row === undefined) throw new RangeError(`there is no campaign ${campaign} on account ${account}`);
    const found = findSlots(row, { ...wanted, until: Infinity });
    const { nextSlot, slackMs } = await take(row, found, found.at);
    await sql('set_next_slot').run(campaign, nextSlot, slackMs);
    return found.at;
  }

  return { take, takeMore };
}
