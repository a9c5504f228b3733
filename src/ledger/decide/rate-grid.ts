import { type CampaignSpacing, campaignSpacing, SLOT_ROUNDING, spacingMs } from '../../domain/pace/rate.ts';
import { CLAIM_AHEAD_MS } from '../../domain/protocol-times.ts';

/*
 * The rate as slots in time. An account's slots lie on a grid, one every `spacingMs`, and each belongs to one
 * message. So no second holds more than `rate` dispatches of all workers. A slow campaign takes the first
 * free slot after its due time, and leaves the slots between to others. No slot is more than a second ahead.
 */

/** A claim may take slots this far ahead. */
export const AHEAD_MS = 1_000;
/** After a claim without a slot, the worker returns when this much of the next second is free again. */
const REFILL_MS = 500;
/** Slots further ahead may come from a clock that ran ahead and was set back. */
const IMPOSSIBLE_MS = 600_000;
/** The slots of an account from now on: a grid, and its taken slots. */
export interface Calendar {
  /** Wall-clock milliseconds of slot 0, and between two slots. */
  origin: number;
  spacing: number;
  /** Slot k is taken when byte k is 1; slots past the end are free. */
  taken: Uint8Array;
}

/** The calendar as of `now`: passed slots are dropped, and a new rate begins a grid after the last slot. */
export function calendarAt(stored: Calendar, { spacing, now }: { spacing: number; now: number }): Calendar {
  const last = stored.origin + stored.taken.lastIndexOf(1) * stored.spacing;
  // When segments count, the last slot may be far ahead; but a grid starts when its last slot was taken.
  if (stored.spacing === 0 || stored.origin > now + IMPOSSIBLE_MS)
    return { origin: now, spacing, taken: new Uint8Array() };
  if (stored.spacing !== spacing) {
    const origin = Math.max(now, last + Math.max(stored.spacing, spacing));
    return { origin, spacing, taken: new Uint8Array() };
  }
  const passed = Math.max(0, Math.ceil((now - stored.origin) / spacing));
  return { origin: stored.origin + passed * spacing, spacing, taken: stored.taken.subarray(passed) };
}

/** The wanted number of slots, and their rates. Times in milliseconds. */
export interface SlotRequest {
  now: number;
  count: number;
  /** No slot is later than this. */
  until: number;
  /** Null: the account is unlimited. */
  account: Calendar | null;
  /** Null: the campaign has no rate of its own. */
  campaign: Schedule | null;
}

/** A campaign's own rate: no slot before `next`. */
export interface Schedule extends CampaignSpacing {
  next: number;
}

/** The schedule after a slot. A delay beyond the slack is not made up for. */
export function scheduleAfter(schedule: Schedule, slot: number): Schedule {
  const { next, spacingMs, slackMs } = schedule;
  return { ...schedule, next: Math.max(next, slot - slackMs) + spacingMs };
}

/** Slots that were found. */
export interface Slots {
  /** Wall-clock milliseconds, in order. */
  at: number[];
  /** The next slot after the last of `at`. */
  nextAt: number;
}

/** The first free slots, without taking them. */
export function freeSlots({ now, count, until, account, campaign }: SlotRequest): Slots {
  const at: number[] = [];
  const rounding = roundingFor(campaign);
  let schedule = campaign;
  let index = 0;
  for (;;) {
    let slot = Math.max(now, schedule?.next ?? 0);
    if (account !== null) {
      index = nextFree(
        account,
        Math.max(index, Math.ceil((slot - account.origin) / account.spacing - rounding)),
      );
      slot = Math.max(slot, account.origin + index * account.spacing);
      index += 1;
    }
    if (at.length >= count || slot > until) return { at, nextAt: slot };
    at.push(slot);
    if (schedule !== null) schedule = scheduleAfter(schedule, slot);
  }
}

/** A campaign with slack gains nothing from an early slot, and needs the room for late dispatches. */
function roundingFor(schedule: Schedule | null): number {
  return schedule === null || schedule.slackMs === 0 ? SLOT_ROUNDING : 0;
}

/** The calendar with these slots taken. Slots are addressed by their time, as `freeSlots` gave them. */
export function takeFrom(calendar: Calendar, at: number[]): Calendar {
  const last = at.at(-1);
  if (last === undefined) return calendar;
  const size = Math.round((last - calendar.origin) / calendar.spacing) + 1;
  const taken = new Uint8Array(Math.max(size, calendar.taken.lastIndexOf(1) + 1));
  taken.set(calendar.taken.subarray(0, taken.length));
  for (const slot of at) taken[Math.round((slot - calendar.origin) / calendar.spacing)] = 1;
  return { ...calendar, taken };
}

/**
 * The time of the next claim, because there is no slot now. It comes when the next second has room, or when
 * the window closes before the next slot. Only the end itself gives `window`. An earlier pause would be
 * resumed at once, because the hours are still open.
 */
export function noSlot(found: { nextAt: number; now: number; windowClosesAt: number | null }) {
  const { nextAt, now, windowClosesAt } = found;
  const again = windowClosesAt !== null && nextAt >= windowClosesAt ? windowClosesAt : nextAt - REFILL_MS;
  return { stop: 'rate', retryAt: Math.ceil(Math.max(now + 1, again)) } as const;
}

function nextFree(calendar: Calendar, from: number): number {
  let index = Math.max(0, from);
  while (calendar.taken[index] === 1) index += 1;
  return index;
}

/** The rates of a campaign and its account, and their slots so far, as the statements name them. */
export interface RateRow extends Calendar {
  account: string;
  /** The campaign's rate, messages a second; null: it has none of its own. */
  rate: number | null;
  nextSlot: number;
  /** The largest delay of the campaign's last slot behind its due time. */
  slackMs: number;
  lastClaimAt: number | null;
}

/** Free slots, with the calendar and the schedule that they obey; null: none limits them. */
export type FoundSlots = Slots & Pick<SlotRequest, 'account' | 'campaign'>;

/** What rows store once slots are taken; `calendar` null: that of the account is unchanged. */
export interface TakenSlots {
  calendar: Calendar | null;
  nextSlot: number;
  slackMs: number;
}

/** The first free slots; takes none. `accountRate`: messages a second; null: unlimited. */
export function findSlots(
  row: RateRow,
  { accountRate, ...wanted }: Pick<SlotRequest, 'now' | 'count' | 'until'> & { accountRate: number | null },
): FoundSlots {
  const { now } = wanted;
  const account = accountRate === null ? null : calendarAt(row, { spacing: spacingMs(accountRate), now });
  const campaign = row.rate === null ? null : scheduleOf(row, campaignSpacing(accountRate, row.rate), now);
  return { account, campaign, ...freeSlots({ ...wanted, account, campaign }) };
}

/** The rows with the slots `at`, among the found ones, taken. */
export function takeSlots(row: RateRow, { account, campaign }: FoundSlots, at: number[]): TakenSlots {
  const calendar = account === null ? null : takeFrom(account, at);
  if (campaign === null || at.length === 0) return { calendar, nextSlot: row.nextSlot, slackMs: row.slackMs };
  const { next, slackMs } = at.reduce(scheduleAfter, campaign);
  return { calendar, nextSlot: next, slackMs };
}

/** After a change of slack, the next slot comes a whole spacing after the last one. */
function scheduleOf(row: RateRow, spacing: CampaignSpacing, now: number): Schedule {
  const { nextSlot: due, slackMs, lastClaimAt } = row;
  // The clock was ahead, and so is the due time.
  if (isFromFuture(lastClaimAt, now)) return { ...spacing, next: 0 };
  return { ...spacing, next: slackMs === spacing.slackMs ? due : due + slackMs };
}

/**
 * The time of a campaign's last claim, once it is claimed from at `now`. A machine that slept, or waited for the lock,
 * asks with an older time than others that claimed before it. Guards, and the launch of a reminder, would not see what
 * those sent if it went back. After a clock was set back it must, or each claim would begin the campaign's rate anew.
 */
export function lastClaim({ lastClaimAt }: Pick<RateRow, 'lastClaimAt'>, now: number): number {
  return isFromFuture(lastClaimAt, now) ? now : Math.max(lastClaimAt ?? now, now);
}

function isFromFuture(lastClaimAt: number | null, now: number): boolean {
  return (lastClaimAt ?? 0) > now + CLAIM_AHEAD_MS;
}
