import type { Claim, ClaimStop, Lease } from '../ledger/sending.ts';
import { checkBalance } from './check-balance.ts';
import type { Lane } from './lane.ts';
import { pauseFor } from './pause-for.ts';
import type { SendingWorker } from './sending-worker.ts';

/** A batch sends for so long, then goes back to the queue and has its balance checked again. */
const SLICE_MS = 5_000;
/** After a rate stop, slots gather for so long: one commit for a dozen messages rather than for each. */
const RATE_WAIT_MS = 200;

/** One lease while it claims. */
export interface ClaimRun {
  lease: Lease;
  lane: Lane;
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
  while (!signal.aborted && !run.lane.stopped && clock.monotonic() < until) {
    const limit = await takeRoom(worker, signal);
    if (limit === 0) break;
    const claim = await claimOnce(worker, run, { limit, fromSeq });
    fromSeq = (claim.messages.at(-1)?.seq ?? fromSeq - 1) + 1;
    if (claim.stop !== null && !(await afterStop(worker, run, { claim, signal }))) break;
  }
  alarm.abort();
}

/**
 * Waits until half of the claim limit is free, or nothing waits to be dispatched, and keeps those places: several
 * batches look at the same time, and what one was promised the next must not see. Zero: give up.
 */
async function takeRoom(worker: SendingWorker, signal: AbortSignal): Promise<number> {
  const { dispatcher, claimLimit } = worker;
  while (!signal.aborted && worker.health.waitMs() === 0) {
    const room = dispatcher.room();
    const starving = dispatcher.held - dispatcher.inFlight === 0;
    if (room >= claimLimit / 2 || (starving && room > 0)) {
      dispatcher.reserve(room);
      return room;
    }
    await dispatcher.changed(signal);
  }
  return 0;
}

/** Claims into places that are kept already; those that stay empty are given back. */
async function claimOnce(
  worker: SendingWorker,
  run: ClaimRun,
  wanted: { limit: number; fromSeq: number },
): Promise<Claim> {
  const { env, dispatcher } = worker;
  const { lease, windowClosesAt, ceilingMicro } = run;
  let claimed = 0;
  try {
    const claim = await env.ledger.claim({
      ...wanted,
      batch: lease.batch,
      epoch: lease.epoch,
      worker: worker.id,
      now: env.clock.now(),
      windowClosesAt,
      ceilingMicro,
      priceMicro: worker.prices.highest(lease.campaign.account ?? ''),
      accountRate: worker.health.rate(worker.accountRate),
    });
    claimed = claim.messages.length;
    if (claimed > 0) worker.claimed(claimed);
    dispatcher.push(run.lane, claim.messages);
    return claim;
  } finally {
    dispatcher.unreserve(wanted.limit - claimed);
  }
}

/** True: claim again. */
async function afterStop(
  worker: SendingWorker,
  run: ClaimRun,
  { claim, signal }: { claim: Claim; signal: AbortSignal },
): Promise<boolean> {
  const stop = claim.stop as ClaimStop;
  switch (stop) {
    case 'lost':
    case 'empty':
      return false;
    case 'window':
      await pauseFor(worker, run.lease, 'window');
      return false;
    case 'rate':
      await worker.env.clock.sleep(
        Math.max(RATE_WAIT_MS, (claim.retryAt ?? 0) - worker.env.clock.now()),
        signal,
      );
      return true;
    case 'learning':
      await worker.dispatcher.changed(signal);
      return true;
    case 'balance':
    case 'budget':
      return settleThenPause(worker, run, { stop, signal, claimed: claim.messages.length });
    default:
      return stop satisfies never;
  }
}

/**
 * The next message cannot be paid for. What is in flight may turn out cheaper than what was held back for it, and the
 * credit may have risen: wait until nothing is under way and look again, and pause only when it is still so.
 */
async function settleThenPause(
  worker: SendingWorker,
  run: ClaimRun,
  about: { stop: 'balance' | 'budget'; signal: AbortSignal; claimed: number },
): Promise<boolean> {
  const account = run.lease.campaign.account ?? '';
  while (worker.dispatcher.held > 0 && !about.signal.aborted) await worker.dispatcher.changed(about.signal);
  if (about.signal.aborted) return false;
  const funds = await checkBalance(worker.env, account);
  if (funds.state !== 'known') return false;
  // Another process has messages under way: its verdicts may free money, so the batch comes back later.
  if (funds.inFlight > 0) return false;
  run.ceilingMicro = funds.ceilingMicro;
  worker.dispatcher.reserve(1);
  const again = await claimOnce(worker, run, { limit: 1, fromSeq: run.lease.firstSeq });
  if (again.stop !== about.stop || again.messages.length > 0) return true;
  worker.creditAtPause.set(account, funds.creditMicro);
  await pauseFor(worker, run.lease, about.stop);
  return false;
}
