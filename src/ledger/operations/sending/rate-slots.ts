import type { Connection } from '../../connection.ts';
import { campaignSpacing, spacingMs } from '../../../domain/pace/rate.ts';
import type { SlotsRequest } from '../../contracts/sending.ts';
import {
  type Calendar,
  calendarAt,
  freeSlots,
  type Schedule,
  scheduleAfter,
  type Slots,
  takeFrom,
} from './rate-grid.ts';
import { SET_BACK_MS } from './clock-rollback.ts';
import { loadStatements } from '../../statements.ts';

/** The slots of rate-grid.ts are stored in the account and campaign rows. */
export type RateSlots = ReturnType<typeof rateSlots>;

/** The rates and the calendar of campaign and account, as the statements name them. */
export interface RateRow {
  account: string;
  /** The campaign's rate, messages a second. */
  rate: number | null;
  next_slot: number;
  /** The largest delay of the campaign's last slot behind its due time. */
  slot_slack: number;
  last_claim_at: number | null;
  slot_origin: number;
  slot_spacing: number;
  slots: Uint8Array;
}

/** The wanted number of slots, and the time that they may take. Times in milliseconds. */
export interface SlotsWanted {
  now: number;
  count: number;
  /** No slot is later than this. */
  until: number;
  /** The account's rate, messages a second; null: unlimited. */
  accountRate: number | null;
}

/** Free slots, with the rates that they obey. */
export interface FoundSlots extends Slots {
  /** The account's calendar; null: unlimited. */
  account: Calendar | null;
  /** Null: the campaign has no rate of its own. */
  schedule: Schedule | null;
}

/** The position of a campaign's schedule, as its row stores it. */
export interface NextDue {
  nextSlot: number;
  slackMs: number;
}

/** After a change of slack, the next slot comes a whole spacing after the last one. */
function scheduleOf(
  row: RateRow,
  rates: { account: number | null; campaign: number; now: number },
): Schedule {
  const spacing = campaignSpacing(rates.account, rates.campaign);
  const { next_slot: due, slot_slack: slackMs, last_claim_at: claimedAt } = row;
  // A claim from the future: the clock was ahead, and so is the due time.
  if ((claimedAt ?? 0) > rates.now + SET_BACK_MS) return { ...spacing, next: 0 };
  return { ...spacing, next: slackMs === spacing.slackMs ? due : due + slackMs };
}

/** Finds and takes slots in the rows of account and campaign. */
export function rateSlots(database: Connection) {
  const sql = loadStatements(database, new URL('./rate-slots.sql', import.meta.url));

  /** The first free slots; takes none. */
  function find(row: RateRow, { now, count, until, accountRate }: SlotsWanted): FoundSlots {
    const stored = { origin: row.slot_origin, spacing: row.slot_spacing, taken: row.slots };
    const account =
      accountRate === null ? null : calendarAt(stored, { spacing: spacingMs(accountRate), now });
    const schedule =
      row.rate === null ? null : scheduleOf(row, { account: accountRate, campaign: row.rate, now });
    const slots = freeSlots({ now, count, until, account, campaign: schedule });
    return { account, schedule, ...slots };
  }

  /** Takes the slots `at` among the found ones. The caller writes the returned schedule position. */
  async function take(row: RateRow, { account, schedule }: FoundSlots, at: number[]): Promise<NextDue> {
    if (account !== null) {
      const { origin, spacing, taken } = takeFrom(account, at);
      await sql('set_calendar').run(row.account, origin, spacing, taken);
    }
    if (schedule === null || at.length === 0) return { nextSlot: row.next_slot, slackMs: row.slot_slack };
    const { next, slackMs } = at.reduce(scheduleAfter, schedule);
    return { nextSlot: next, slackMs };
  }

  /** New slots for messages that missed their own: always `count` slots, however far ahead. */
  async function takeMore({ campaign, account, count, now, accountRate }: SlotsRequest): Promise<number[]> {
    const row = (await sql('rates').get(campaign, account)) as unknown as RateRow | undefined;
    if (row === undefined) throw new RangeError(`there is no campaign ${campaign} on account ${account}`);
    const found = find(row, { now, count, until: Infinity, accountRate });
    const { nextSlot, slackMs } = await take(row, found, found.at);
    await sql('set_next_slot').run(campaign, nextSlot, slackMs);
    return found.at;
  }

  return { find, take, takeMore };
}
