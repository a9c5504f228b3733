import { changeEach, type Connection, getEach } from '../../connection.ts';
import type { CampaignHashes } from '../../../domain/campaign.ts';
import type { GuardRule } from '../../../domain/guards.ts';
import type { GuardReason } from '../../../domain/message-reason.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { Claim, ClaimedMessage, ClaimRequest, ClaimStop, GuardQuery } from '../../contracts/sending.ts';
import { affordable, type Purse, type Reservation } from '../../decide/affordable.ts';
import {
  AHEAD_MS,
  findSlots,
  type FoundSlots,
  lastClaim,
  noSlot,
  type RateRow,
} from '../../decide/rate-grid.ts';
import { type PageFacts, Selection, type WaitingRow } from '../../decide/selection.ts';
import type { Counters } from '../keeping/counters.ts';
import { claimGuards, type Guard, type GuardedMessage, type GuardOf } from './guards.ts';
import type { Networks } from './networks.ts';
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
interface LeaseRow extends RateRow, Purse, CampaignHashes {
  campaign: number;
  first_seq: number;
  last_seq: number;
  /** 1: opt-outs are honoured, and there are some. */
  honours_opt_outs: number;
  sender: string;
  /** The highest price per segment seen on this account; null: none above zero. */
  paid_price: MoneyMicro | null;
  /** The price per segment confirmed at launch; null: unknown or zero, because zero may be temporary. */
  launch_price: MoneyMicro | null;
  /** JSON of the GuardRule; null: none. */
  guard: string | null;
}

/** The records that the claim shares with other operations. */
export interface ClaimRecords {
  /** Throws while the disk is nearly full. */
  requireSpace: () => void;
  networks: Networks;
  counters: Counters;
}

interface Context extends ClaimRecords {
  sql: Sql;
  slots: RateSlots;
  guardOf: GuardOf;
}

/** A search through a batch for messages that may be sent and can be paid. */
interface Scan extends Context {
  lease: LeaseRow;
  request: ClaimRequest;
  /** The free slots within the next second. */
  free: FoundSlots;
  /** A message takes one slot per segment. */
  bySegment: boolean;
  /** The reserved price per segment; null: no price is known. */
  priceMicro: MoneyMicro | null;
  guard: Guard | null;
  isHolding: boolean;
  reservation: Reservation;
  selection: Selection;
  /** The chosen messages of each part of the batch, in its order. */
  parts: WaitingRow[][];
}

type GuardedBefore = GuardQuery & { messages: GuardedMessage[] };

/** The claim (contracts/sending.ts): one transaction that marks, reserves and takes slots. */
export function claimOperations(database: Connection, records: ClaimRecords) {
  const sql = loadStatements(database, new URL('./claim.sql', import.meta.url));
  sql('sendable').setReturnArrays(true);
  const slots = rateSlots(database);
  const guardOf = claimGuards(database);
  return {
    claim: operation({ gate: 'leads to messages', patienceMs: 5_000 }, async (request: ClaimRequest) => {
      records.requireSpace();
      return await claim({ ...records, sql, slots, guardOf }, request);
    }),
    takeSlots: operation({ gate: 'needs this schema' }, slots.takeMore),
    guardedBefore: operation({ durable: false }, (query: GuardedBefore) => guardedBefore(guardOf, query)),
  };
}

/** The reason to skip each message, if all were claimed in this order; null: it may be sent. */
async function guardedBefore(
  guardOf: GuardOf,
  { messages, ...query }: GuardedBefore,
): Promise<(GuardReason | null)[]> {
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

async function claim(context: Context, request: ClaimRequest): Promise<Claim> {
  const { batch, epoch, worker, now, limit, windowClosesAt, accountRate } = request;
  const lease = await context.sql<LeaseRow>('lease').get(batch, epoch, worker, now);
  if (lease === undefined) return nothing('lost');
  if (windowClosesAt !== null && now >= windowClosesAt) return nothing('window');
  const until = Math.min(now + AHEAD_MS, (windowClosesAt ?? Infinity) - 1);
  const rates = { now, until, accountRate };
  const rated = accountRate !== null || lease.rate !== null;
  const bySegment = rated && request.bySegment === true;
  const free = findSlots(lease, { ...rates, count: bySegment ? limit * SLOTS_PER_MESSAGE : limit });
  const scan = await begin(context, { lease, request, free, bySegment });
  // The batch once, from `fromSeq` to its end, then from its start.
  const from = Math.min(Math.max(request.fromSeq, lease.first_seq), lease.last_seq + 1);
  await scanPart(scan, from, lease.last_seq);
  await scanPart(scan, lease.first_seq, from - 1);
  const count = scan.selection.slotsTaken;
  // The last message's extra segments take slots beyond the next second, so the next message leaves later.
  const found = count > free.at.length ? findSlots(lease, { ...rates, count, until: Infinity }) : free;
  await write(scan, found);
  const answer = { messages: claimed(scan, found), ...stopReason(scan, found) };
  return rated ? { ...answer, rated } : answer;
}

function nothing(stop: ClaimStop): Claim {
  return { messages: [], stop, retryAt: null };
}

async function begin(
  context: Context,
  given: Pick<Scan, 'lease' | 'request' | 'free' | 'bySegment'>,
): Promise<Scan> {
  const { lease, request, free, bySegment } = given;
  const priceMicro = highestOf(request.priceMicro, lease.paid_price) ?? lease.launch_price;
  const reservation = affordable(lease, { priceMicro, ceilingMicro: request.ceilingMicro });
  const guard =
    lease.guard === null
      ? null
      : await context.guardOf({
          campaign: lease.campaign,
          hashes: lease,
          rule: JSON.parse(lease.guard) as GuardRule,
          at: request.now,
        });
  const holds = await context.networks.holdsOf(lease.campaign);
  const limits = { messages: request.limit, slots: free.at.length, bySegment, reservation, holds };
  const selection = new Selection({ ...limits, guard: guard?.decision ?? null });
  const terms = { priceMicro, reservation, guard, isHolding: holds.size > 0 };
  return { ...context, ...given, ...terms, selection, parts: [] };
}

function highestOf(ofWorker: MoneyMicro | null, ofLedger: MoneyMicro | null): MoneyMicro | null {
  return ofLedger === null ? ofWorker : Math.max(ofWorker ?? 0, ofLedger);
}

async function scanPart(scan: Scan, first: number, last: number): Promise<void> {
  const { sql, lease, request, selection, isHolding } = scan;
  const begun = selection.rows.length;
  let from = first;
  while (selection.room > 0 && from <= last) {
    // What is held or was skipped uses no room, so one large page saves many small queries.
    const isSparse = isHolding || selection.skipped.length > 0;
    const room = isSparse ? Math.max(selection.room, LEAST_PAGE) : selection.room;
    const page = await sql<WaitingRow>('sendable').all(lease.campaign, from, last, request.now, room);
    selection.take(page, await factsOf(scan, page));
    from = page.length < room ? last + 1 : (page.at(-1)?.[0] ?? last) + 1;
  }
  scan.parts.push(selection.rows.slice(begun));
}

async function factsOf(
  { sql, networks, lease, guard, isHolding }: Scan,
  page: readonly WaitingRow[],
): Promise<PageFacts> {
  const asked = lease.honours_opt_outs === 1 ? page : [];
  const optedOut = await getEach(
    sql('opted_out'),
    asked.map(([seq, mobile]) => [mobile, lease.campaign, seq, lease.sender]),
  );
  const guarded = await guard?.look(page.map((row) => ({ mobile: row[1], textHash: row[6] })));
  const found = isHolding ? await networks.ofEach(page.map((row) => row[1])) : null;
  return { optedOut: optedOut.map((row) => row !== undefined), guarded: guarded ?? null, networks: found };
}

/** What is skipped or held comes first, because the chosen messages are marked by ranges. */
async function write(scan: Scan, found: FoundSlots): Promise<void> {
  const { sql, networks, lease, request, selection } = scan;
  await changeEach(
    sql('skip'),
    selection.skipped.map(({ seq, reason }) => [lease.campaign, seq, request.now, reason]),
  );
  await networks.write(lease.campaign, selection, request.now);
  for (const part of scan.parts) await beginAttempts(scan, part);
  await reserveMoneyAndSlots(scan, found);
}

async function beginAttempts(
  { sql, lease, request: { now, worker }, priceMicro }: Scan,
  rows: readonly WaitingRow[],
): Promise<void> {
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  if (first === undefined || last === undefined) return;
  const span = [lease.campaign, first, last];
  const { changes } = await sql('begin_attempts').run(...span, now, worker, priceMicro ?? 0);
  if (changes !== rows.length)
    throw new Error(`the claim selected ${rows.length} messages, but the update changed ${changes}`);
}

async function reserveMoneyAndSlots(scan: Scan, found: FoundSlots): Promise<void> {
  const { sql, slots, counters, lease, request, reservation, selection } = scan;
  const { rows, slotsTaken } = selection;
  if (rows.length === 0) return;
  counters.begun(
    lease.campaign,
    rows.map((row) => row[3]),
  );
  const { nextSlot, slackMs } = await slots.take(lease, found, found.at.slice(0, slotsTaken));
  const claimedAt = lastClaim(lease, request.now);
  await sql('reserve_in_campaign').run(lease.campaign, reservation.reserved, nextSlot, claimedAt, slackMs);
  await sql('reserve_in_account').run(lease.account, reservation.reserved, rows.length);
  await sql('count_claim').run(request.worker, request.claimNumber);
}

/** Each message with its first slot; the slots of its further segments follow and stay empty. */
function claimed({ selection: { rows }, bySegment }: Scan, { at }: FoundSlots): ClaimedMessage[] {
  let next = 0;
  return rows.map(([seq, mobile, fields, segments, attempt, tries]) => {
    const slotAt = at[next] ?? 0;
    next += bySegment ? segments : 1;
    return { seq, mobile, fields: JSON.parse(fields) as string[], segments, attempt, tries, slotAt };
  });
}

/** The reason why the claim returned no more messages. */
function stopReason(scan: Scan, found: FoundSlots): Pick<Claim, 'stop' | 'retryAt'> {
  const { request, selection, free } = scan;
  const { rows, stop, slotsTaken } = selection;
  if (stop === 'budget') return { stop, retryAt: budgetRetryAt(scan) };
  if (stop !== null) return { stop, retryAt: null };
  if (rows.length === request.limit) return { stop: null, retryAt: null };
  if (slotsTaken < free.at.length) return { stop: 'empty', retryAt: null };
  return noSlot({ nextAt: found.nextAt, now: request.now, windowClosesAt: request.windowClosesAt });
}

/** Messages in flight may cost less than reserved, so the claim is repeated. Null: no budget is left. */
function budgetRetryAt({ lease, reservation, request }: Scan): number | null {
  return lease.campaign_reserved + reservation.reserved > 0 ? request.now + BUDGET_WAIT_MS : null;
}
