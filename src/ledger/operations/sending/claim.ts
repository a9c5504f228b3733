import type { Connection } from '../../connection.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { ClaimRequest, ClaimStop, GuardQuery } from '../../contracts/sending.ts';
import { affordable, asksUnderWay, type Purse, type Reservation } from './affordable.ts';
import type { Counters } from '../keeping/counters.ts';
import { type Guard, Guards } from './guards.ts';
import { type CrossingClaim, NO_MESSAGES } from '../../thread/thread-codec.ts';
import type { HeldNetworks, Networks } from '../planning/networks.ts';
import { AHEAD_MS, noSlot } from './rate-grid.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { type FoundSlots, type RateRow, rateSlots, type RateSlots } from './rate-slots.ts';
import { mapInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

/*
 * The claim: queued → sending, in one transaction under the write lock. The worker may send only messages
 * that a claim returns. A claim reads the batch in seq order: from `fromSeq` to the end, then from the
 * beginning.
 */

/** A per-segment claim first finds this many slots per message; a longer message also takes later slots. */
const SLOTS_PER_MESSAGE = 4;

/** The worker claims again after this time, because messages in flight may free budget. */
const BUDGET_WAIT_MS = 200;

/** The least number of messages that a claim reads at once while a network is held. */
const LEAST_PAGE = 100;

/** A claimed message, in the order of the statement's columns. `fields` is JSON. */
type ClaimedRow = [
  seq: number,
  mobile: string,
  fields: string,
  segments: number,
  attempt: number,
  tries: number,
  textHash: number | null,
];

/** The lease with its campaign and its account, as this transaction reads them. */
interface LeaseRow extends RateRow, Purse {
  campaign: number;
  first_seq: number;
  last_seq: number;
  promotional: number;
  sender: string;
  /** The highest price per segment seen on this account; null: none above zero. */
  paid_price: MoneyMicro | null;
  /** The price per segment confirmed at launch; null: unknown or zero, because zero may be temporary. */
  launch_price: MoneyMicro | null;
  /** JSON. */
  guard: string | null;
}

interface Context {
  sql: Sql;
  slots: RateSlots;
  guards: Guards;
  networks: Networks;
  counters: Counters;
}

/** The records that the claim shares with other operations. */
export interface ClaimRecords {
  /** Throws while the disk is nearly full. */
  requireSpace: () => void;
  networks: Networks;
  counters: Counters;
}

type GuardedBefore = GuardQuery & { messages: Parameters<Guard>[0][] };

/** The claim (ledger/sending.ts): one transaction that marks, reserves and takes slots. */
export function claimOperations(database: Connection, { requireSpace, networks, counters }: ClaimRecords) {
  const sql = loadStatements(database, new URL('./claim.sql', import.meta.url));
  sql('sendable').setReturnArrays(true);
  const slots = rateSlots(database);
  const guards = new Guards(database);
  return {
    claim: operation({ gate: 'leads to messages', patienceMs: 5_000 }, async (request: ClaimRequest) => {
      requireSpace();
      return await claim({ sql, slots, guards, networks, counters }, request);
    }),
    takeSlots: operation({ gate: 'needs this schema' }, slots.takeMore),
    guardedBefore: operation({ durable: false }, async ({ messages, ...query }: GuardedBefore) => {
      const guard = await guards.ofFiles(query);
      return await mapInOrder(messages, async (message) => (await guard?.(message)) ?? null);
    }),
  };
}

async function claim(context: Context, request: ClaimRequest): Promise<CrossingClaim> {
  const { batch, epoch, worker, now, limit, windowClosesAt, accountRate } = request;
  const lease = (await context.sql('lease').get(batch, epoch, worker, now)) as unknown as
    | LeaseRow
    | undefined;
  if (lease === undefined) return nothing('lost');
  if (windowClosesAt !== null && now >= windowClosesAt) return nothing('window');
  const until = Math.min(now + AHEAD_MS, (windowClosesAt ?? Infinity) - 1);
  const rates = { now, until, accountRate };
  const rated = accountRate !== null || lease.rate !== null;
  const bySegment = rated && request.bySegment === true;
  const free = context.slots.find(lease, { ...rates, count: bySegment ? limit * SLOTS_PER_MESSAGE : limit });
  const scan = await scanBatch(context, { lease, request, slots: free.at.length, bySegment });
  const wanted = scan.slotsTaken;
  // The last message's extra segments take slots beyond the next second, so the next message leaves later.
  const found =
    wanted > free.at.length ? context.slots.find(lease, { ...rates, count: wanted, until: Infinity }) : free;
  await reserveMoneyAndSlots(context, scan, found);
  return { messages: packed(scan, found), rated, ...stopReason(scan, found) };
}

/** The fields are JSON in the ledger, so they cross to the other thread unchanged. */
function packed(scan: BatchScan, found: FoundSlots): string {
  const slots = slotsOf(scan, found);
  const messages = scan.rows.map(
    ([seq, mobile, fields, segments, attempt, tries], index) =>
      `[${seq},${JSON.stringify(mobile)},${fields},${segments},${attempt},${tries},${slots[index] ?? 0}]`,
  );
  return `[${messages.join(',')}]`;
}

/** The first slot of each message; the slots of its further segments follow and stay empty. */
function slotsOf({ rows, bySegment }: BatchScan, { at }: FoundSlots): number[] {
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

async function reserveMoneyAndSlots(
  { sql, slots }: Context,
  scan: BatchScan,
  found: FoundSlots,
): Promise<void> {
  const { lease, request, reservation, rows } = scan;
  if (rows.length === 0) return;
  const { nextSlot, slackMs } = await slots.take(lease, found, found.at.slice(0, scan.slotsTaken));
  await sql('reserve_in_campaign').run(lease.campaign, reservation.reserved, nextSlot, request.now, slackMs);
  await sql('reserve_in_account').run(lease.account, reservation.reserved, rows.length);
  await sql('count_claim').run(request.worker, request.claimNumber);
}

/** The reason why the claim returned no more messages. */
function stopReason(scan: BatchScan, found: FoundSlots): Pick<CrossingClaim, 'stop' | 'retryAt'> {
  const { request, rows, stop } = scan;
  if (stop === 'budget') return { stop, retryAt: budgetRetryAt(scan) };
  if (stop !== null) return { stop, retryAt: null };
  if (rows.length === request.limit) return { stop: null, retryAt: null };
  if (scan.slotsTaken < scan.slots) return { stop: 'empty', retryAt: null };
  return noSlot({ nextAt: found.nextAt, now: request.now, windowClosesAt: request.windowClosesAt });
}

/** Messages in flight may cost less than reserved, so the claim is repeated. Null: no budget is left. */
function budgetRetryAt({ lease, reservation, request }: BatchScan): number | null {
  return lease.campaign_reserved + reservation.reserved > 0 ? request.now + BUDGET_WAIT_MS : null;
}

/** A search through a batch for messages that may be sent and can be paid. */
interface BatchScan {
  lease: LeaseRow;
  request: ClaimRequest;
  /** The reserved price per segment; null: no price is known. */
  priceMicro: MoneyMicro | null;
  /** The free slots within the next second. */
  slots: number;
  slotsTaken: number;
  /** A message takes one slot per segment. */
  bySegment: boolean;
  honoursOptOuts: boolean;
  guard: Guard | null;
  /** Null: no network is held. */
  held: HeldNetworks | null;
  reservation: Reservation;
  rows: ClaimedRow[];
  /** The reason why the scan ended; null: it goes on. */
  stop: ClaimStop | null;
}

/** Scans the batch once, from `fromSeq` to its end, then from its start. Chosen messages are `sending`. */
async function scanBatch(
  context: Context,
  given: Pick<BatchScan, 'lease' | 'request' | 'slots' | 'bySegment'>,
): Promise<BatchScan> {
  const { sql } = context;
  const { lease, request } = given;
  const priceMicro = highestOf(request.priceMicro, lease.paid_price) ?? lease.launch_price;
  const honoursOptOuts = lease.promotional === 1 && (await sql('anyone_opted_out').get()) !== undefined;
  const { campaign, guard: rule } = lease;
  const guard = await context.guards.of({ campaign, rule, now: request.now });
  // Most claims skip this query, because no message of the account is in flight.
  const asks = asksUnderWay(lease) && lease.in_flight > 0;
  const isUnderWay = asks && (await sql('under_way').get(campaign)) !== undefined;
  const { ceilingMicro } = request;
  const reservation = affordable(lease, { priceMicro, ceilingMicro, isUnderWay });
  const scan: BatchScan = {
    ...given,
    priceMicro,
    slotsTaken: 0,
    honoursOptOuts,
    guard,
    held: await context.networks.holding({ campaign, now: request.now }),
    reservation,
    rows: [],
    stop: null,
  };
  const from = Math.min(Math.max(request.fromSeq, lease.first_seq), lease.last_seq + 1);
  await scanRange(context, scan, { first: from, last: lease.last_seq });
  await scanRange(context, scan, { first: lease.first_seq, last: from - 1 });
  return scan;
}

function highestOf(ofWorker: MoneyMicro | null, ofLedger: MoneyMicro | null): MoneyMicro | null {
  return ofLedger === null ? ofWorker : Math.max(ofWorker ?? 0, ofLedger);
}

async function scanRange(
  { sql, counters }: Context,
  scan: BatchScan,
  { first, last }: { first: number; last: number },
): Promise<void> {
  const { lease, request, rows } = scan;
  const begin = rows.length;
  let from = first;
  while (scan.stop === null && roomOf(scan) > 0 && from <= last) {
    // Held messages use no room, so one large page saves many small queries.
    const room = scan.held === null ? roomOf(scan) : Math.max(roomOf(scan), LEAST_PAGE);
    const page = (await sql('sendable').all(
      lease.campaign,
      from,
      last,
      request.now,
      room,
    )) as unknown as ClaimedRow[];
    await take(sql, scan, page);
    from = page.length < room ? last + 1 : (page.at(-1)?.[0] ?? last) + 1;
  }
  const begun = rows.slice(begin);
  await beginAttempts(sql, scan, begun);
  const segments = begun.map((row) => row[3]);
  if (begun.length > 0) counters.begun(lease.campaign, segments);
}

/** The number of messages that may still be taken, if each needs one slot. */
function roomOf({ slots, slotsTaken, request, rows, held }: BatchScan): number {
  if (held?.full === true) return 0;
  return Math.min(slots - slotsTaken, request.limit - rows.length);
}

/** Opted-out and guarded messages become `skipped`; the first message without money ends the scan. */
async function take(sql: Context['sql'], scan: BatchScan, page: ClaimedRow[]): Promise<void> {
  for (const row of page) {
    if (roomOf(scan) <= 0) return;
    const reason = await skipReason(sql, scan, row);
    if (reason !== null) {
      await sql('skip').run(scan.lease.campaign, row[0], scan.request.now, reason);
      continue;
    }
    const tried = scan.held === null ? null : await scan.held.check({ seq: row[0], mobile: row[1] });
    if (tried === 'held') continue;
    scan.stop = scan.reservation.add(row[3]);
    if (scan.stop !== null) return;
    scan.rows.push(row);
    scan.slotsTaken += scan.bySegment ? row[3] : 1;
    if (tried !== null) await scan.held?.claimed(row[0], tried);
  }
}

async function skipReason(sql: Context['sql'], scan: BatchScan, row: ClaimedRow): Promise<string | null> {
  const mobile = row[1];
  const { campaign, sender } = scan.lease;
  if (scan.honoursOptOuts && (await sql('opted_out').get(mobile, sender)) !== undefined) return 'opted out';
  if (scan.honoursOptOuts && (await sql('opted_out_elsewhere').get(campaign, row[0], sender)) !== undefined)
    return 'opted out';
  return scan.guard === null ? null : await scan.guard({ mobile, textHash: row[6] });
}

async function beginAttempts(
  sql: Context['sql'],
  { lease, request, priceMicro }: BatchScan,
  rows: ClaimedRow[],
): Promise<void> {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const { now, worker } = request;
  const { changes } = await sql('begin_attempts').run(
    lease.campaign,
    first[0],
    last[0],
    now,
    worker,
    priceMicro ?? 0,
  );
  if (changes !== rows.length)
    throw new Error(`the claim selected ${rows.length} messages, but the update changed ${changes}`);
}
