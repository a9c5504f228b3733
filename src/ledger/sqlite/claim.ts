import type { DatabaseSync } from 'node:sqlite';
import type { ClaimRequest, ClaimStop } from '../sending.ts';
import { type Affordable, affordable, type Purse } from './affordable.ts';
import { type Guard, Guards } from './guards.ts';
import type { CrossingClaim } from './crossing.ts';
import { AHEAD_MS, noSlot } from './slots.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { type FoundSlots, type RateRow, slotKeeper, type SlotKeeper } from './slot-keeper.ts';

/**
 * The claim: queued → sending. All of it is one transaction under the write lock, and only what it answers may be sent.
 * Messages are taken in order of seq, so what is chosen is one range of the batch, or two when the look wraps round.
 */

const STATEMENTS = [
  'lease',
  'sendable',
  'opted_out',
  'anyone_opted_out',
  'skip',
  'begin_attempts',
  'charge_campaign',
  'charge_account',
  'earliest_queued',
] as const;

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
  /** JSON. */
  guard: string | null;
}

interface Context {
  sql: Statements<typeof STATEMENTS>;
  slots: SlotKeeper;
  guards: Guards;
}

/** The claim (ledger/sending.ts): one transaction that marks, reserves and takes slots. */
export function claimOperations(database: DatabaseSync, requireSpace: () => void) {
  const sql = prepareStatements(database, new URL('./claim.sql', import.meta.url), STATEMENTS);
  sql.sendable.setReturnArrays(true);
  const slots = slotKeeper(database);
  const guards = new Guards(database);
  return {
    claim(request: ClaimRequest): CrossingClaim {
      requireSpace();
      return claim({ sql, slots, guards }, request);
    },
    takeSlots: slots.takeMore,
  };
}

function claim(context: Context, request: ClaimRequest): CrossingClaim {
  const { batch, epoch, worker, now, limit, windowClosesAt, accountRate } = request;
  const lease = context.sql.lease.get(batch, epoch, worker, now) as unknown as LeaseRow | undefined;
  if (lease === undefined) return nothing('lost');
  if (windowClosesAt !== null && now >= windowClosesAt) return nothing('window');
  const until = Math.min(now + AHEAD_MS, (windowClosesAt ?? Infinity) - 1);
  const free = context.slots.find(lease, { now, count: limit, until, accountRate });
  const look = choose(context, { lease, request, wanted: free.at.length });
  charge(context, look, free);
  return { messages: packed(look.rows, free), ...ending(context, look, free) };
}

function nothing(stop: ClaimStop): CrossingClaim {
  return { messages: '[]', stop, retryAt: null };
}

/** The fields are JSON already, and cross as they lie in the ledger. */
function packed(rows: ClaimedRow[], free: FoundSlots): string {
  const messages = rows.map(
    ([seq, mobile, fields, segments, attempt, tries], index) =>
      `[${seq},${JSON.stringify(mobile)},${fields},${segments},${attempt},${tries},${free.at[index] ?? 0}]`,
  );
  return `[${messages.join(',')}]`;
}

function charge({ sql, slots }: Context, { lease, request, purse, rows }: Look, free: FoundSlots): void {
  if (rows.length === 0) return;
  const nextSlot = slots.take(lease, free, free.at.slice(0, rows.length));
  sql.charge_campaign.run(lease.campaign, purse.reserved, nextSlot, request.now);
  sql.charge_account.run(lease.account, purse.reserved, rows.length);
}

/** Why no more came: money, all that was asked for, slots, or messages. */
function ending(context: Context, look: Look, free: FoundSlots): Pick<CrossingClaim, 'stop' | 'retryAt'> {
  const { request, rows, stop } = look;
  if (stop !== null) return { stop, retryAt: null };
  if (rows.length === request.limit) return { stop: null, retryAt: null };
  if (rows.length < free.at.length) return { stop: 'empty', retryAt: earliestQueued(context, look.lease) };
  return noSlot({ nextAt: free.nextAt, now: request.now, windowClosesAt: request.windowClosesAt });
}

function earliestQueued({ sql }: Context, lease: LeaseRow): number | null {
  const found = sql.earliest_queued.get(lease.campaign, lease.first_seq, lease.last_seq);
  return (found?.['due'] ?? null) as number | null;
}

/** A look through a batch for messages that may be sent and can be paid. */
interface Look {
  lease: LeaseRow;
  request: ClaimRequest;
  wanted: number;
  honoursOptOuts: boolean;
  guard: Guard | null;
  purse: Affordable;
  rows: ClaimedRow[];
  /** Why no further message is taken; null while more are wanted. */
  stop: ClaimStop | null;
}

/** The whole batch once: from `fromSeq` to its end, then from its beginning. What is chosen is `sending` afterwards. */
function choose(
  context: Context,
  { lease, request, wanted }: { lease: LeaseRow; request: ClaimRequest; wanted: number },
): Look {
  const { sql } = context;
  const honoursOptOuts = lease.promotional === 1 && sql.anyone_opted_out.get() !== undefined;
  const { campaign, guard: rule } = lease;
  const guard = context.guards.of({ campaign, rule, now: request.now });
  const purse = affordable(lease, request);
  const look: Look = { lease, request, wanted, honoursOptOuts, guard, purse, rows: [], stop: null };
  const from = Math.min(Math.max(request.fromSeq, lease.first_seq), lease.last_seq + 1);
  lookThrough(context, look, { first: from, last: lease.last_seq });
  lookThrough(context, look, { first: lease.first_seq, last: from - 1 });
  return look;
}

function lookThrough({ sql }: Context, look: Look, { first, last }: { first: number; last: number }): void {
  const { lease, request, rows } = look;
  const begin = rows.length;
  let from = first;
  while (look.stop === null && rows.length < look.wanted && from <= last) {
    const room = look.wanted - rows.length;
    const page = sql.sendable.all(lease.campaign, from, last, request.now, room) as unknown as ClaimedRow[];
    take(sql, look, page);
    from = page.length < room ? last + 1 : (page.at(-1)?.[0] ?? last) + 1;
  }
  beginAttempts(sql, look, rows.slice(begin));
}

/** Those that opted out or are guarded are skipped for good; the first that cannot be paid ends the look. */
function take(sql: Context['sql'], look: Look, page: ClaimedRow[]): void {
  for (const row of page) {
    const reason = skipReason(sql, look, row);
    if (reason !== null) {
      sql.skip.run(look.lease.campaign, row[0], look.request.now, reason);
      continue;
    }
    look.stop = look.purse.pay(row[3]);
    if (look.stop !== null) return;
    look.rows.push(row);
  }
}

function skipReason(sql: Context['sql'], look: Look, row: ClaimedRow): string | null {
  const mobile = row[1];
  if (look.honoursOptOuts && sql.opted_out.get(mobile, look.lease.sender) !== undefined) return 'opted out';
  return look.guard === null ? null : look.guard({ mobile, textHash: row[6] });
}

function beginAttempts(sql: Context['sql'], { lease, request }: Look, rows: ClaimedRow[]): void {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const { now, worker, priceMicro } = request;
  const { changes } = sql.begin_attempts.run(lease.campaign, first[0], last[0], now, worker, priceMicro ?? 0);
  if (changes !== rows.length) throw new Error(`chose ${rows.length} messages but changed ${changes}`);
}
