import type { DatabaseSync } from 'node:sqlite';
import type { MoneyMicro } from '../../domain/money.ts';
import type { ClaimRequest, ClaimStop } from '../sending.ts';
import { type Affordable, affordable, type Purse } from './affordable.ts';
import { type Guard, Guards } from './guards.ts';
import { type CrossingClaim, NO_MESSAGES } from './thread-codec.ts';
import type { HeldNetworks, Networks } from './networks.ts';
import { AHEAD_MS, noSlot } from './rate-grid.ts';
import { type Sql, loadStatements } from './statements.ts';
import { type FoundSlots, type RateRow, rateSlots, type RateSlots } from './rate-slots.ts';

/*
 * The claim: queued → sending, in one transaction under the write lock. Only messages that it answers may be sent. It takes
 * them in order of seq: one range of the batch, or two when the look wraps round.
 */

/** By segment a claim looks for so many slots a message; a longer one is paid for in the seconds that follow. */
const MOST_LOOKED_FOR = 4;

/** While messages of a campaign are under way, its budget is asked again after so long. */
const BUDGET_WAIT_MS = 200;

/** Messages looked at together while a network is held. */
const LEAST_PAGE = 100;

/** A message that is claimed, as the statement names it. `fields` is JSON. */
type ClaimedRow = [
  seq: number,
  mobile: string,
  fields: string,
  segments: number,
  attempt: number,
  tries: number,
  textHash: number | null,
];

/** The lease with its campaign and its account, as the transaction found them. */
interface LeaseRow extends RateRow, Purse {
  campaign: number;
  first_seq: number;
  last_seq: number;
  promotional: number;
  sender: string;
  /** The highest a segment that the account was seen to pay, by any worker. Nothing paid is none: null. */
  paid_price: MoneyMicro | null;
  /** A segment, as the launch was confirmed with; null: none was known, or one of nothing, which may have been a gift. */
  launch_price: MoneyMicro | null;
  /** JSON. */
  guard: string | null;
}

interface Context {
  sql: Sql;
  slots: RateSlots;
  guards: Guards;
  networks: Networks;
}

/** What the claim shares with other operations. */
export interface ClaimRecords {
  /** Throws while the disk is nearly full. */
  requireSpace: () => void;
  networks: Networks;
}

/** The claim (ledger/sending.ts): one transaction that marks, reserves and takes slots. */
export function claimOperations(database: DatabaseSync, { requireSpace, networks }: ClaimRecords) {
  const sql = loadStatements(database, new URL('./claim.sql', import.meta.url));
  sql('sendable').setReturnArrays(true);
  const slots = rateSlots(database);
  const guards = new Guards(database);
  return {
    claim(request: ClaimRequest): CrossingClaim {
      requireSpace();
      return claim({ sql, slots, guards, networks }, request);
    },
    takeSlots: slots.takeMore,
  };
}

function claim(context: Context, request: ClaimRequest): CrossingClaim {
  const { batch, epoch, worker, now, limit, windowClosesAt, accountRate } = request;
  const lease = context.sql('lease').get(batch, epoch, worker, now) as unknown as LeaseRow | undefined;
  if (lease === undefined) return nothing('lost');
  if (windowClosesAt !== null && now >= windowClosesAt) return nothing('window');
  const until = Math.min(now + AHEAD_MS, (windowClosesAt ?? Infinity) - 1);
  const rates = { now, until, accountRate };
  const rated = accountRate !== null || lease.rate !== null;
  const bySegment = rated && request.bySegment === true;
  const free = context.slots.find(lease, { ...rates, count: bySegment ? limit * MOST_LOOKED_FOR : limit });
  const look = choose(context, { lease, request, slots: free.at.length, bySegment });
  const wanted = look.slotsTaken;
  // What the last message has beyond the second ahead is still paid for: the next one comes so much later.
  const found =
    wanted > free.at.length ? context.slots.find(lease, { ...rates, count: wanted, until: Infinity }) : free;
  charge(context, look, found);
  return { messages: packed(look, found), rated, ...ending(look, found) };
}

/** The fields are JSON already, and cross as they lie in the ledger. */
function packed(look: Look, found: FoundSlots): string {
  const slots = slotsOf(look, found);
  const messages = look.rows.map(
    ([seq, mobile, fields, segments, attempt, tries], index) =>
      `[${seq},${JSON.stringify(mobile)},${fields},${segments},${attempt},${tries},${slots[index] ?? 0}]`,
  );
  return `[${messages.join(',')}]`;
}

/** The first slot of each message; those of its further segments follow and stay empty. */
function slotsOf({ rows, bySegment }: Look, { at }: FoundSlots): number[] {
  if (!bySegment) return at.slice(0, rows.length);
  let next = 0;
  return rows.map((row) => {
    const slot = at[next] ?? 0;
    next += row[3];
    return slot;
  });
}

function nothing(stop: ClaimStop): CrossingClaim {
  return { messages: NO_MESSAGES, stop, retryAt: null, rated: false };
}

function charge({ sql, slots }: Context, look: Look, found: FoundSlots): void {
  const { lease, request, purse, rows } = look;
  if (rows.length === 0) return;
  const { nextSlot, slackMs } = slots.take(lease, found, found.at.slice(0, look.slotsTaken));
  sql('charge_campaign').run(lease.campaign, purse.reserved, nextSlot, request.now, slackMs);
  sql('charge_account').run(lease.account, purse.reserved, rows.length);
}

/** Why no more came: money, all that was asked for, slots, or messages. */
function ending(look: Look, found: FoundSlots): Pick<CrossingClaim, 'stop' | 'retryAt'> {
  const { request, rows, stop } = look;
  if (stop === 'budget') return { stop, retryAt: budgetRetryAt(look) };
  if (stop !== null) return { stop, retryAt: null };
  if (rows.length === request.limit) return { stop: null, retryAt: null };
  if (look.slotsTaken < look.slots) return { stop: 'empty', retryAt: null };
  return noSlot({ nextAt: found.nextAt, now: request.now, windowClosesAt: request.windowClosesAt });
}

/** What is under way may cost less than what is held back for it. Null: the budget is used up. */
function budgetRetryAt({ lease, purse, request }: Look): number | null {
  return lease.campaign_reserved + purse.reserved > 0 ? request.now + BUDGET_WAIT_MS : null;
}

/** A look through a batch for messages that may be sent and can be paid. */
interface Look {
  lease: LeaseRow;
  request: ClaimRequest;
  /** What is held back a segment; null: no price is known. */
  priceMicro: MoneyMicro | null;
  /** Slots that are free within the second ahead. */
  slots: number;
  slotsTaken: number;
  /** A message takes one slot a segment. */
  bySegment: boolean;
  honoursOptOuts: boolean;
  guard: Guard | null;
  /** Null: no network is held. */
  held: HeldNetworks | null;
  purse: Affordable;
  rows: ClaimedRow[];
  /** Why no further message is taken; null while more are wanted. */
  stop: ClaimStop | null;
}

/** The whole batch once: from `fromSeq` to its end, then from its beginning. What is chosen is `sending` afterwards. */
function choose(context: Context, given: Pick<Look, 'lease' | 'request' | 'slots' | 'bySegment'>): Look {
  const { sql } = context;
  const { lease, request } = given;
  const priceMicro = highestOf(request.priceMicro, lease.paid_price) ?? lease.launch_price;
  const honoursOptOuts = lease.promotional === 1 && sql('anyone_opted_out').get() !== undefined;
  const { campaign, guard: rule } = lease;
  const guard = context.guards.of({ campaign, rule, now: request.now });
  // Most claims need not look: nothing of the account is in flight.
  const isUnderWay = () => lease.in_flight > 0 && sql('under_way').get(campaign) !== undefined;
  const { ceilingMicro } = request;
  const purse = affordable(lease, { priceMicro, ceilingMicro, isUnderWay });
  const look: Look = {
    ...given,
    priceMicro,
    slotsTaken: 0,
    honoursOptOuts,
    guard,
    held: context.networks.holding({ campaign, now: request.now }),
    purse,
    rows: [],
    stop: null,
  };
  const from = Math.min(Math.max(request.fromSeq, lease.first_seq), lease.last_seq + 1);
  lookThrough(context, look, { first: from, last: lease.last_seq });
  lookThrough(context, look, { first: lease.first_seq, last: from - 1 });
  return look;
}

function highestOf(ofWorker: MoneyMicro | null, ofLedger: MoneyMicro | null): MoneyMicro | null {
  return ofLedger === null ? ofWorker : Math.max(ofWorker ?? 0, ofLedger);
}

function lookThrough({ sql }: Context, look: Look, { first, last }: { first: number; last: number }): void {
  const { lease, request, rows } = look;
  const begin = rows.length;
  let from = first;
  while (look.stop === null && roomOf(look) > 0 && from <= last) {
    // What is held fills no place: looking further than the room there is saves many small looks.
    const room = look.held === null ? roomOf(look) : Math.max(roomOf(look), LEAST_PAGE);
    const page = sql('sendable').all(
      lease.campaign,
      from,
      last,
      request.now,
      room,
    ) as unknown as ClaimedRow[];
    take(sql, look, page);
    from = page.length < room ? last + 1 : (page.at(-1)?.[0] ?? last) + 1;
  }
  beginAttempts(sql, look, rows.slice(begin));
}

/** How many messages may still be taken, if each needs one slot. */
function roomOf({ slots, slotsTaken, request, rows, held }: Look): number {
  if (held?.full === true) return 0;
  return Math.min(slots - slotsTaken, request.limit - rows.length);
}

/** Those that opted out or are guarded are skipped for good; the first that cannot be paid ends the look. */
function take(sql: Context['sql'], look: Look, page: ClaimedRow[]): void {
  for (const row of page) {
    if (roomOf(look) <= 0) return;
    const reason = skipReason(sql, look, row);
    if (reason !== null) {
      sql('skip').run(look.lease.campaign, row[0], look.request.now, reason);
      continue;
    }
    const tried = look.held === null ? null : look.held.check({ seq: row[0], mobile: row[1] });
    if (tried === 'held') continue;
    look.stop = look.purse.pay(row[3]);
    if (look.stop !== null) return;
    look.rows.push(row);
    look.slotsTaken += look.bySegment ? row[3] : 1;
    if (tried !== null) look.held?.claimed(row[0], tried);
  }
}

function skipReason(sql: Context['sql'], look: Look, row: ClaimedRow): string | null {
  const mobile = row[1];
  if (look.honoursOptOuts && sql('opted_out').get(mobile, look.lease.sender) !== undefined)
    return 'opted out';
  return look.guard === null ? null : look.guard({ mobile, textHash: row[6] });
}

function beginAttempts(sql: Context['sql'], { lease, request, priceMicro }: Look, rows: ClaimedRow[]): void {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const { now, worker } = request;
  const { changes } = sql('begin_attempts').run(
    lease.campaign,
    first[0],
    last[0],
    now,
    worker,
    priceMicro ?? 0,
  );
  if (changes !== rows.length) throw new Error(`chose ${rows.length} messages but changed ${changes}`);
}
