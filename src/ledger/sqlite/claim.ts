import type { DatabaseSync } from 'node:sqlite';
import type { CampaignKind } from '../../domain/campaign.ts';
import type { ClaimRequest, ClaimStop } from '../sending.ts';
import { type Affordable, affordable } from './affordable.ts';
import { AHEAD_MS, calendarAt, freeSlots, retryAtOf, type Slots, spacingMs, takeFrom } from './slots.ts';
import { prepareStatements } from './statements.ts';

/**
 * The claim: queued → sending. All of it is one transaction under the write lock, and only what it answers may be sent.
 * Messages are taken in order of seq, so what is chosen is one range of the batch, or two when the look wraps round.
 */

/** A message as it crosses to the caller: an array of plain values is the cheapest thing to clone. `fields` is JSON. */
export type ClaimedRow = [
  seq: number,
  mobile: string,
  fields: string,
  segments: number,
  attempt: number,
  tries: number,
];

export interface ClaimResult {
  rows: ClaimedRow[];
  /** One a row. */
  slots: number[];
  stop: ClaimStop | null;
  retryAt: number | null;
}

export interface SlotsRequest {
  campaign: number;
  account: string;
  count: number;
  now: number;
  accountRate: number | null;
}

interface RateRow {
  rate: number | null;
  next_slot: number;
  slot_origin: number;
  slot_spacing: number;
  slots: Uint8Array;
}

export interface LeaseRow extends RateRow {
  campaign: number;
  first_seq: number;
  last_seq: number;
  kind: CampaignKind;
  budget: number | null;
  campaign_spent: number;
  campaign_reserved: number;
  client_id: string;
  spent: number;
  reserved: number;
  in_flight: number;
}

/** What a claim has chosen so far. */
interface Choice {
  rows: ClaimedRow[];
  reserved: number;
  /** Why no further message is taken; null while more are wanted. */
  stop: ClaimStop | null;
}

const NOTHING = { rows: [], slots: [], retryAt: null };

export function claimOperations(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./claim.sql', import.meta.url), [
    'lease',
    'sendable',
    'opted_out',
    'anyone_opted_out',
    'skip',
    'begin_attempts',
    'charge_campaign',
    'charge_account',
    'set_calendar',
    'set_next_slot',
    'rates',
    'earliest_queued',
  ]);
  sql.sendable.setReturnArrays(true);

  function slotsOf(
    row: RateRow,
    request: { now: number; count: number; until: number; rate: number | null },
  ) {
    const { now, count, until, rate } = request;
    const stored = { origin: row.slot_origin, spacing: row.slot_spacing, taken: row.slots };
    const account = rate === null ? null : calendarAt(stored, { spacing: spacingMs(rate), now });
    const campaign = row.rate === null ? null : { next: row.next_slot, spacing: spacingMs(row.rate) };
    return { account, campaign, free: freeSlots({ now, count, until, account, campaign }) };
  }

  /** Takes `at` out of the calendars. Answers the campaign's next slot. */
  function takeSlots(row: RateRow & { client_id: string }, found: ReturnType<typeof slotsOf>, at: number[]) {
    if (found.account !== null) {
      const { origin, spacing, taken } = takeFrom(found.account, at);
      sql.set_calendar.run(row.client_id, origin, spacing, taken);
    }
    const last = at.at(-1);
    return last === undefined || found.campaign === null ? row.next_slot : last + found.campaign.spacing;
  }

  /** Takes affordable messages from [first, last] until the choice is full; those that opted out are skipped for good. */
  function chooseFrom(range: { first: number; last: number }, lease: LeaseRow, look: Look): void {
    const { request, wanted, purse, choice } = look;
    let from = range.first;
    const begin = choice.rows.length;
    while (choice.stop === null && choice.rows.length < wanted && from <= range.last) {
      const room = wanted - choice.rows.length;
      const page = sql.sendable.all(
        lease.campaign,
        from,
        range.last,
        request.now,
        room,
      ) as unknown as ClaimedRow[];
      for (const row of page) {
        if (look.honoursOptOuts && sql.opted_out.get(row[1]) !== undefined) {
          sql.skip.run(lease.campaign, row[0], request.now);
        } else if (!purse.pays(row[3])) {
          choice.stop = purse.short;
          break;
        } else {
          choice.rows.push(row);
        }
      }
      if (page.length < room) break;
      from = (page.at(-1)?.[0] ?? range.last) + 1;
    }
    beginAttempts(choice.rows.slice(begin), lease, request);
  }

  function beginAttempts(rows: ClaimedRow[], lease: LeaseRow, request: ClaimRequest): void {
    const first = rows[0];
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return;
    const { now, worker, priceMicro } = request;
    const { changes } = sql.begin_attempts.run(
      lease.campaign,
      first[0],
      last[0],
      now,
      worker,
      priceMicro ?? 0,
    );
    if (changes !== rows.length) throw new Error(`chose ${rows.length} messages but changed ${changes}`);
  }

  interface Look {
    request: ClaimRequest;
    wanted: number;
    purse: Affordable;
    honoursOptOuts: boolean;
    choice: Choice;
  }

  function choose(lease: LeaseRow, request: ClaimRequest, wanted: number): Choice & { purse: Affordable } {
    const choice: Choice = { rows: [], reserved: 0, stop: null };
    const purse = affordable(lease, request);
    const honoursOptOuts = lease.kind === 'promotional' && sql.anyone_opted_out.get() !== undefined;
    const look: Look = { request, wanted: Math.min(wanted, purse.most), purse, honoursOptOuts, choice };
    const from = Math.min(Math.max(request.fromSeq, lease.first_seq), lease.last_seq + 1);
    chooseFrom({ first: from, last: lease.last_seq }, lease, look);
    chooseFrom({ first: lease.first_seq, last: from - 1 }, lease, look);
    return { ...choice, purse };
  }

  return {
    claim(request: ClaimRequest): ClaimResult {
      const { batch, epoch, worker, now, limit, windowClosesAt } = request;
      const lease = sql.lease.get(batch, epoch, worker, now) as unknown as LeaseRow | undefined;
      if (lease === undefined) return { ...NOTHING, stop: 'lost' };
      if (windowClosesAt !== null && now >= windowClosesAt) return { ...NOTHING, stop: 'window' };
      const until = Math.min(now + AHEAD_MS, (windowClosesAt ?? Infinity) - 1);
      const found = slotsOf(lease, { now, count: limit, until, rate: request.accountRate });
      const { at, nextAt } = found.free;
      if (at.length === 0) return { ...NOTHING, ...noSlot({ nextAt, until, now, windowClosesAt }) };

      const { rows, stop, purse } = choose(lease, request, at.length);
      const slots = at.slice(0, rows.length);
      if (rows.length > 0) {
        sql.charge_campaign.run(lease.campaign, purse.reserved, takeSlots(lease, found, slots), now);
        sql.charge_account.run(lease.client_id, purse.reserved, rows.length);
      }
      if (stop !== null) return { rows, slots, stop, retryAt: null };
      if (rows.length === limit) return { rows, slots, stop: null, retryAt: null };
      if (rows.length === purse.most) return { rows, slots, stop: purse.mostBecause, retryAt: null };
      if (rows.length === at.length)
        return { rows, slots, ...noSlot({ nextAt, until, now, windowClosesAt }) };
      return {
        rows,
        slots,
        stop: 'empty',
        retryAt: sql.earliest_queued.get(lease.campaign, lease.first_seq, lease.last_seq)?.['due'] as
          | number
          | null,
      };
    },

    takeSlots({ campaign, account, count, now, accountRate }: SlotsRequest): number[] {
      const row = sql.rates.get(campaign, account) as unknown as RateRow | undefined;
      if (row === undefined) throw new RangeError(`there is no campaign ${campaign} on account ${account}`);
      const found = slotsOf(row, { now, count, until: Infinity, rate: accountRate });
      const { at } = found.free;
      sql.set_next_slot.run(campaign, takeSlots({ ...row, client_id: account }, found, at));
      return at;
    },
  };
}

interface NoSlot {
  nextAt: Slots['nextAt'];
  until: number;
  now: number;
  windowClosesAt: number | null;
}

/** Slots ran out: either the second ahead is full, or the window closes before the next one. */
function noSlot({ nextAt, now, windowClosesAt }: NoSlot): { stop: ClaimStop; retryAt: number | null } {
  if (windowClosesAt !== null && nextAt >= windowClosesAt) return { stop: 'window', retryAt: null };
  return { stop: 'rate', retryAt: retryAtOf(nextAt, now) };
}
