import { changeEach, type Connection, getEach } from '../../connection.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { GuardRule } from '../../../domain/guards.ts';
import type { ClaimRequest, ClaimStop, GuardQuery } from '../../contracts/sending.ts';
import { affordable, asksUnderWay, type Purse, type Reservation } from '../../decide/affordable.ts';
import { AHEAD_MS, noSlot } from '../../decide/rate-grid.ts';
import { findSlots, type FoundSlots, type RateRow } from '../../decide/rate-slots.ts';
import { type PageFacts, Selection, type WaitingRow } from '../../decide/selection.ts';
import type { Counters } from '../keeping/counters.ts';
import { claimGuards, type Guard, type GuardedMessage, type GuardOf } from './guards.ts';
import { type CrossingClaim, NO_MESSAGES } from '../../thread/thread-codec.ts';
import type { Networks } from '../planning/networks.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { rateSlots, type RateSlots } from './rate-slots.ts';
import { operation } from '../operation.ts';

/*
 * The claim: queued → sending, in one transaction under the write lock. The worker may send only messages
 * that a claim returns. A claim reads the batch in seq order: from `fromSeq` to the end, then from the
 * beginning. It loads whole pages, decides (decide/selection.ts), and writes at the end: many messages take as few
 * statements as one.
 */

/** A per-segment claim first finds this many slots per message; a longer message also takes later slots. */
const SLOTS_PER_MESSAGE = 4;

/** The worker claims again after this time, because messages in flight may free budget. */
const BUDGET_WAIT_MS = 200;

/** The least number of messages that a claim reads at once where many are skipped or held. */
const LEAST_PAGE = 100;

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
  /** JSON of the GuardRule; null: none. */
  guard: string | null;
  hash_job: string;
  hash_template: string;
  hash_contacts: string;
}

interface Context {
  sql: Sql;
  slots: RateSlots;
  guardOf: GuardOf;
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

type GuardedBefore = GuardQuery & { messages: GuardedMessage[] };

/** The claim (ledger/sending.ts): one transaction that marks, reserves and takes slots. */
export function claimOperations(database: Connection, { requireSpace, networks, counters }: ClaimRecords) {
  const sql = loadStatements(database, new URL('./claim.sql', import.meta.url));
  sql('sendable').setReturnArrays(true);
  const slots = rateSlots(database);
  const guardOf = claimGuards(database);
  return {
    claim: operation({ gate: 'leads to messages', patienceMs: 5_000 }, async (request: ClaimRequest) => {
      requireSpace();
      return await claim({ sql, slots, guardOf, networks, counters }, request);
    }),
    takeSlots: operation({ gate: 'needs this schema' }, slots.takeMore),
    guardedBefore: operation({ durable: false }, (query: GuardedBefore) => guardedBefore(guardOf, query)),
  };
}

/** The reason to skip each message, if all were claimed in this order; null: it may be sent. */
async function guardedBefore(
  guardOf: GuardOf,
  { messages, ...query }: GuardedBefore,
): Promise<(string | null)[]> {
  const guard = await guardOf({ ...query, campaign: null });
  if (guard === null) return messages.map(() => null);
  const facts = await guard.look(messages);
  return messages.map(({ mobile }, index) => {
    const known = facts[index];
    const reason = known === undefined ? null : guard.decision.reason(mobile, known);
    if (reason === null) guard.decision.choose(mobile);
    return reason;
  });
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
  const free = findSlots(lease, { ...rates, count: bySegment ? limit * SLOTS_PER_MESSAGE : limit });
  const scan = await scanBatch(context, { lease, request, slots: free.at.length, bySegment });
  const wanted = scan.selection.slotsTaken;
  // The last message's extra segments take slots beyond the next second, so the next message leaves later.
  const found =
    wanted > free.at.length ? findSlots(lease, { ...rates, count: wanted, until: Infinity }) : free;
  await write(context, scan, found);
  return { messages: packed(scan, found), rated, ...stopReason(scan, found) };
}

/** The fields are JSON in the ledger, so they cross to the other thread unchanged. */
function packed(scan: BatchScan, found: FoundSlots): string {
  const slots = slotsOf(scan, found);
  const messages = scan.selection.rows.map(
    ([seq, mobile, fields, segments, attempt, tries], index) =>
      `[${seq},${JSON.stringify(mobile)},${fields},${segments},${attempt},${tries},${slots[index] ?? 0}]`,
  );
  return `[${messages.join(',')}]`;
}

/** The first slot of each message; the slots of its further segments follow and stay empty. */
function slotsOf({ selection: { rows }, bySegment }: BatchScan, { at }: FoundSlots): number[] {
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

/** The reason why the claim returned no more messages. */
function stopReason(scan: BatchScan, found: FoundSlots): Pick<CrossingClaim, 'stop' | 'retryAt'> {
  const { request, selection } = scan;
  const { rows, stop, slotsTaken } = selection;
  if (stop === 'budget') return { stop, retryAt: budgetRetryAt(scan) };
  if (stop !== null) return { stop, retryAt: null };
  if (rows.length === request.limit) return { stop: null, retryAt: null };
  if (slotsTaken < scan.slots) return { stop: 'empty', retryAt: null };
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
  /** A message takes one slot per segment. */
  bySegment: boolean;
  honoursOptOuts: boolean;
  guard: Guard | null;
  isHolding: boolean;
  reservation: Reservation;
  selection: Selection;
  /** The chosen messages of each part of the batch, in its order. */
  parts: WaitingRow[][];
}

/** Scans the batch once, from `fromSeq` to its end, then from its start. */
async function scanBatch(
  context: Context,
  given: Pick<BatchScan, 'lease' | 'request' | 'slots' | 'bySegment'>,
): Promise<BatchScan> {
  const { sql } = context;
  const { lease, request, slots, bySegment } = given;
  const { campaign } = lease;
  const priceMicro = highestOf(request.priceMicro, lease.paid_price) ?? lease.launch_price;
  const honoursOptOuts = lease.promotional === 1 && (await sql('anyone_opted_out').get()) !== undefined;
  const guard = await guardFor(context, lease, request.now);
  const holds = await context.networks.holdsOf(campaign);
  const isUnderWay = await isUnderWayOf(context, lease);
  const reservation = affordable(lease, { priceMicro, ceilingMicro: request.ceilingMicro, isUnderWay });
  const limits = { messages: request.limit, slots, bySegment, reservation, holds };
  const selection = new Selection({ ...limits, guard: guard?.decision ?? null });
  const facts = { honoursOptOuts, guard, isHolding: holds.size > 0 };
  const scan = { ...given, ...facts, priceMicro, reservation, selection, parts: [] };
  const from = Math.min(Math.max(request.fromSeq, lease.first_seq), lease.last_seq + 1);
  await scanPart(context, scan, { first: from, last: lease.last_seq });
  await scanPart(context, scan, { first: lease.first_seq, last: from - 1 });
  return scan;
}

async function guardFor({ guardOf }: Context, lease: LeaseRow, at: number): Promise<Guard | null> {
  const { campaign, guard, hash_job: job, hash_template: template, hash_contacts: contacts } = lease;
  if (guard === null) return null;
  return await guardOf({
    campaign,
    hashes: { job, template, contacts },
    rule: JSON.parse(guard) as GuardRule,
    at,
  });
}

/** Most claims skip this query, because no message of the account is in flight. */
async function isUnderWayOf({ sql }: Context, lease: LeaseRow): Promise<boolean> {
  const asks = asksUnderWay(lease) && lease.in_flight > 0;
  return asks && (await sql('under_way').get(lease.campaign)) !== undefined;
}

function highestOf(ofWorker: MoneyMicro | null, ofLedger: MoneyMicro | null): MoneyMicro | null {
  return ofLedger === null ? ofWorker : Math.max(ofWorker ?? 0, ofLedger);
}

async function scanPart(
  context: Context,
  scan: BatchScan,
  { first, last }: { first: number; last: number },
): Promise<void> {
  const { lease, request, selection } = scan;
  const begin = selection.rows.length;
  let from = first;
  while (selection.room > 0 && from <= last) {
    // What is held or was skipped uses no room, so one large page saves many small queries.
    const isSparse = scan.isHolding || selection.skipped.length > 0;
    const room = isSparse ? Math.max(selection.room, LEAST_PAGE) : selection.room;
    const page = (await context
      .sql('sendable')
      .all(lease.campaign, from, last, request.now, room)) as unknown as WaitingRow[];
    selection.take(page, await factsOf(context, scan, page));
    from = page.length < room ? last + 1 : (page.at(-1)?.[0] ?? last) + 1;
  }
  scan.parts.push(selection.rows.slice(begin));
}

async function factsOf(
  { sql, networks }: Context,
  { lease, honoursOptOuts, guard, isHolding }: BatchScan,
  page: readonly WaitingRow[],
): Promise<PageFacts> {
  const mobiles = page.map((row) => row[1]);
  return {
    optedOut: honoursOptOuts ? await optedOut(sql, lease, page) : null,
    guarded:
      guard === null ? null : await guard.look(page.map((row) => ({ mobile: row[1], textHash: row[6] }))),
    networks: isHolding ? await networks.ofEach(mobiles) : null,
  };
}

async function optedOut(sql: Sql, lease: LeaseRow, page: readonly WaitingRow[]): Promise<boolean[]> {
  const { campaign, sender } = lease;
  const here = await getEach(
    sql('opted_out'),
    page.map((row) => [row[1], sender]),
  );
  const elsewhere = await getEach(
    sql('opted_out_elsewhere'),
    page.map((row) => [campaign, row[0], sender]),
  );
  return page.map((_, index) => here[index] !== undefined || elsewhere[index] !== undefined);
}

/** What is skipped or held comes first, because the chosen messages are marked by ranges. */
async function write(context: Context, scan: BatchScan, found: FoundSlots): Promise<void> {
  const { sql, networks } = context;
  const { lease, request, selection } = scan;
  await changeEach(
    sql('skip'),
    selection.skipped.map(({ seq, reason }) => [lease.campaign, seq, request.now, reason]),
  );
  await networks.write(lease.campaign, selection, request.now);
  for (const part of scan.parts) await beginAttempts(sql, scan, part);
  await reserveMoneyAndSlots(context, scan, found);
}

async function beginAttempts(
  sql: Sql,
  { lease, request, priceMicro }: BatchScan,
  rows: readonly WaitingRow[],
): Promise<void> {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const { now, worker } = request;
  const span = [lease.campaign, first[0], last[0]];
  const { changes } = await sql('begin_attempts').run(...span, now, worker, priceMicro ?? 0);
  if (changes !== rows.length)
    throw new Error(`the claim selected ${rows.length} messages, but the update changed ${changes}`);
}

async function reserveMoneyAndSlots(
  { sql, slots, counters }: Context,
  { lease, request, reservation, selection }: BatchScan,
  found: FoundSlots,
): Promise<void> {
  const { rows, slotsTaken } = selection;
  if (rows.length === 0) return;
  counters.begun(
    lease.campaign,
    rows.map((row) => row[3]),
  );
  const { nextSlot, slackMs } = await slots.take(lease, found, found.at.slice(0, slotsTaken));
  await sql('reserve_in_campaign').run(lease.campaign, reservation.reserved, nextSlot, request.now, slackMs);
  await sql('reserve_in_account').run(lease.account, reservation.reserved, rows.length);
  await sql('count_claim').run(request.worker, request.claimNumber);
}
