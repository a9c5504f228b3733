import { campaignSpacing, spacingMs } from '../../domain/pace/rate.ts';
import { SET_BACK_MS } from '../../domain/protocol-times.ts';
import {
  type Calendar,
  calendarAt,
  freeSlots,
  type Schedule,
  scheduleAfter,
  type Slots,
  takeFrom,
} from './rate-grid.ts';

/** The slots of rate-grid.ts as account and campaign rows store them: found and taken, without writing. */

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

/** What rows store once slots are taken. */
export interface TakenSlots {
  /** Null: the account is unlimited, and its calendar unchanged. */
  calendar: Calendar | null;
  /** The position of the campaign's schedule. */
  nextSlot: number;
  slackMs: number;
}

/** The first free slots; takes none. */
export function findSlots(row: RateRow, { now, count, until, accountRate }: SlotsWanted): FoundSlots {
  const stored = { origin: row.slot_origin, spacing: row.slot_spacing, taken: row.slots };
  const account = accountRate === null ? null : calendarAt(stored, { spacing: spacingMs(accountRate), now });
  const schedule =
    row.rate === null ? null : scheduleOf(row, { account: accountRate, campaign: row.rate, now });
  const slots = freeSlots({ now, count, until, account, campaign: schedule });
  return { account, schedule, ...slots };
}

/** The rows with the slots `at`, among the found ones, taken. */
export function takeSlots(row: RateRow, { account, schedule }: FoundSlots, at: number[]): TakenSlots {
  const calendar = account === null ? null : takeFrom(account, at);
  if (schedule === null || at.length === 0)
    return { calendar, nextSlot: row.next_slot, slackMs: row.slot_slack };
  const { next, slackMs } = at.reduce(scheduleAfter, schedule);
  return { calendar, nextSlot: next, slackMs };
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
