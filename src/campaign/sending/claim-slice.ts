import type { Claim, ClaimStop, Lease } from '../../ledger/sending.ts';
import { checkBalance } from './check-balance.ts';
import type { LeaseQueue } from './lease-queue.ts';
import type { SendingWorker } from './sending-worker.ts';

/** A batch sends for so long, then goes back to the queue and has its balance checked again. */
const SLICE_MS = 5_000;
/** After a rate stop slots gather for so long, so that a dozen messages share one commit. */
const RATE_WAIT_MS = 200;
/** The wait while another process may free the money that is missing here. */
const UNSETTLED_WAIT_MS = 1_000;

/** One lease while it claims. */
export interface ClaimRun {
  lease: Lease;
  queue: LeaseQueue;
  /** Aborted when the worker stops or the queue's lock is lost. */
  signal: AbortSignal;
  /** The instant at which the send window closes; null: never. */
  windowClosesAt: number | null;
  /** What spent and reserved may reach together; raised by a newer balance. */
  ceilingMicro: number;
}

/** Claims and hands over to the dispatcher for a slice of time, or until nothing more can be claimed. */
export async function claimForSlice(worker: SendingWorker, run: ClaimRun): Promise<void> {
  const { clock } = worker.env;
  const until = clock.monotonic() + SLICE_MS;
  const slice = new AbortController();
  const alarm = new AbortController();
  const signal = AbortSignal.any([run.signal, slice.signal]);
  void clock.sleep(SLICE_MS, alarm.signal).then(() => slice.abort());
  let fromSeq = run.lease.firstSeq;
  while (!signal.aborted && !run.queue.stopped && clock.monotonic() < until) {
    const limit = await takeRoom(worker, signal);
    if (limit === 0) break;
    const { committed } = worker.dispatcher;
    const claim = await claimOnce(worker, run, { limit, fromSeq });
    fromSeq = (claim.messages.at(-1)?.seq ?? fromSeq - 1) + 1;
    if (claim.stop !== null && !(await afterStop(worker, run, { claim, signal, committed }))) break;
  }
  alarm.abort();
}

/**
 * Waits until there is room that is worth a claim, or nothing waits to be dispatched, and reserves it: several batches
 * look at the same time, and must not see the same room. Zero: give up.
 */
async function takeRoom(worker: SendingWorker, signal: AbortSignal): Promise<number> {
  const { dispatcher, health } = worker;
  const worthwhile = () => {
    const room = dispatcher.room();
    return room >= dispatcher.roomWorthwhile || dispatcher.waiting === 0 ? room : 0;
  };
  while (!signal.aborted && health.waitMs() === 0) {
    const room = worthwhile();
    if (room > 0) {
      dispatcher.reserve(room);
      return room;
    }
    await dispatcher.until(() => worthwhile() > 0 || health.waitMs() > 0, signal);
  }
  return 0;
}

/** Claims into reserved places; those that stay empty are given back. */
async function claimOnce(
  worker: SendingWorker,
  run: ClaimRun,
  wanted: { limit: number; fromSeq: number },
): Promise<Claim> {
  const { env, dispatcher } = worker;
  const { lease, windowClosesAt, ceilingMicro } = run;
  const claimedAt = { now: env.clock.now(), monotonic: env.clock.monotonic() };
  let claimed = 0;
  try {
    const claim = await env.ledger.claim({
      ...wanted,
      batch: lease.batch,
      epoch: lease.epoch,
      worker: worker.registration.id,
      now: claimedAt.now,
      windowClosesAt,
      ceilingMicro,
      priceMicro: worker.prices.highest(lease.campaign.account ?? ''),
      accountRate: worker.health.rate(worker.options.accountRate),
      bySegment: worker.options.rateBySegment ?? false,
    });
    claimed = claim.messages.length;
    if (claimed > 0) worker.claimed();
    dispatcher.push(run.queue, claim, claimedAt);
    return claim;
  } finally {
    dispatcher.unreserve(wanted.limit - claimed);
  }
}

/** True: claim again. `committed`: verdicts that the dispatcher had committed when the claim was asked for. */
async function afterStop(
  worker: SendingWorker,
  run: ClaimRun,
  { claim, signal, committed }: { claim: Claim; signal: AbortSignal; committed: number },
): Promise<boolean> {
  const stop = claim.stop as ClaimStop;
  switch (stop) {
    case 'lost':
    case 'empty':
      return false;
    case 'window':
      await worker.pause(run.lease, 'window');
      return false;
    case 'rate':
      await worker.env.clock.sleep(
        Math.max(RATE_WAIT_MS, (claim.retryAt ?? 0) - worker.env.clock.now()),
        signal,
      );
      return true;
    case 'budget':
      return budgetFreed(worker, run, { retryAt: claim.retryAt, signal });
    case 'learning':
      await verdictAfter(worker, { committed, signal });
      return true;
    case 'balance':
      return settleThenPause(worker, run, signal);
    default:
      return stop satisfies never;
  }
}

/**
 * Waits for the next verdict, because only a verdict teaches a price. If places that another claim gave back counted, the
 * batches would wake each other for as long as the service takes to answer.
 */
async function verdictAfter(
  { dispatcher }: SendingWorker,
  { committed, signal }: { committed: number; signal: AbortSignal },
): Promise<void> {
  await dispatcher.until(() => dispatcher.committed !== committed, signal);
}

/** True: some of the budget may be free again. Other campaigns change nothing of it. */
async function budgetFreed(
  worker: SendingWorker,
  { lease }: ClaimRun,
  { retryAt, signal }: { retryAt: number | null; signal: AbortSignal },
): Promise<boolean> {
  const { clock } = worker.env;
  if (retryAt === null) {
    await worker.pause(lease, 'budget');
    return false;
  }
  await clock.sleep(retryAt - clock.now(), signal);
  return true;
}

/**
 * The credit does not cover the next message. Messages in flight may turn out cheaper than reserved, and the credit may have
 * risen: waits until nothing is under way, looks again, and pauses only if the credit still is too little.
 */
async function settleThenPause(worker: SendingWorker, run: ClaimRun, signal: AbortSignal): Promise<boolean> {
  const account = run.lease.campaign.account ?? '';
  await worker.dispatcher.until(() => worker.dispatcher.quiet, signal);
  if (signal.aborted) return false;
  const funds = await checkBalance(worker.env, account);
  if (funds.state !== 'known') return false;
  if (funds.unsettled) {
    // Verdicts of another process may free money, so the batch comes back. Not at once, because each time costs two
    // balance calls.
    await worker.env.clock.sleep(UNSETTLED_WAIT_MS, signal);
    return false;
  }
  run.ceilingMicro = funds.ceilingMicro;
  // The balance call took its time: another batch may have taken every place, or the worker may be stopping.
  if (signal.aborted || worker.dispatcher.room() === 0) return false;
  worker.dispatcher.reserve(1);
  const again = await claimOnce(worker, run, { limit: 1, fromSeq: run.lease.firstSeq });
  if (again.stop !== 'balance' || again.messages.length > 0) return true;
  worker.credit.tooLittle(account, funds.creditMicro);
  await worker.pause(run.lease, 'balance');
  return false;
}
