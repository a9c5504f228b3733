import type { Claim, ClaimStop, Lease } from '../../ledger/contracts/sending.ts';
import { checkBalance } from './check-balance.ts';
import { claimTime, type LeaseQueue } from './lease-queue.ts';
import type { SendingWorker } from './sending-worker.ts';

/** A batch sends this long, then returns to the queue; its next turn checks the account balance. */
const SLICE_MS = 5_000;
/** The wait while another process learns the price. */
const LEARNING_WAIT_MS = 200;
/** The worker waits this long after a rate stop, so that one commit takes several slots. */
const RATE_WAIT_MS = 200;
/** The wait while another process may free the missing money. */
const UNSETTLED_WAIT_MS = 1_000;

/** One lease while it claims. */
export interface ClaimRun {
  lease: Lease;
  queue: LeaseQueue;
  /** Aborted when the worker stops or the queue's lock is lost. */
  signal: AbortSignal;
  /** The instant at which the send window closes; null: never. */
  windowClosesAt: number | null;
  /** The highest allowed sum of spent and reserved money; a newer balance replaces it. */
  ceilingMicro: number;
}

/** Claims messages for the dispatcher for a slice of time, or until no more can be claimed. */
export async function claimForSlice(worker: SendingWorker, run: ClaimRun): Promise<void> {
  const { clock } = worker.env;
  const until = clock.monotonic() + SLICE_MS;
  const slice = new AbortController();
  const endSleep = new AbortController();
  const signal = AbortSignal.any([run.signal, slice.signal]);
  void clock.sleep(SLICE_MS, endSleep.signal).then(() => slice.abort());
  let fromSeq = run.lease.firstSeq;
  while (!signal.aborted && !run.queue.stopped && clock.monotonic() < until) {
    const limit = await takeRoom(worker, signal);
    if (limit === 0) break;
    const { committed } = worker.dispatcher;
    const claim = await claimOnce(worker, run, { limit, fromSeq });
    fromSeq = (claim.messages.at(-1)?.seq ?? fromSeq - 1) + 1;
    if (claim.stop !== null && !(await shouldClaimAgain(worker, run, { claim, signal, committed }))) break;
  }
  endSleep.abort();
}

/**
 * Returns the reserved room; zero: the caller gives up. The worker waits for useful room and reserves it at
 * once, so two batches never count the same room.
 */
async function takeRoom(worker: SendingWorker, signal: AbortSignal): Promise<number> {
  const { dispatcher, health } = worker;
  const usefulRoom = () => {
    const room = dispatcher.room();
    return room >= dispatcher.smallestUsefulRoom || dispatcher.waiting === 0 ? room : 0;
  };
  while (!signal.aborted && health.waitMs() === 0) {
    const room = usefulRoom();
    if (room > 0) {
      dispatcher.reserve(room);
      return room;
    }
    await dispatcher.until(() => usefulRoom() > 0 || health.waitMs() > 0, signal);
  }
  return 0;
}

/** Claims messages into reserved places and frees the empty ones. */
async function claimOnce(
  worker: SendingWorker,
  run: ClaimRun,
  wanted: { limit: number; fromSeq: number },
): Promise<Claim> {
  const { dispatcher } = worker;
  let claimed = 0;
  try {
    return await worker.claims.run(run.queue.note, async () => {
      const claimedAt = claimTime(worker.env.clock);
      const claim = await askForClaim(worker, run, { ...wanted, now: claimedAt.now });
      claimed = claim.messages.length;
      if (claimed > 0) worker.claimed();
      dispatcher.push(run.queue, claim, claimedAt);
      return claim;
    });
  } finally {
    dispatcher.unreserve(wanted.limit - claimed);
  }
}

function askForClaim(
  worker: SendingWorker,
  { lease, queue, windowClosesAt, ceilingMicro }: ClaimRun,
  wanted: { limit: number; fromSeq: number; now: number },
): Promise<Claim> {
  return worker.env.ledger.claim({
    ...wanted,
    batch: lease.batch,
    epoch: lease.epoch,
    worker: queue.note.worker,
    claimNumber: queue.note.claiming(),
    windowClosesAt,
    ceilingMicro,
    priceMicro: worker.prices.highest(lease.campaign.account ?? ''),
    accountRate: worker.health.rate(worker.options.accountRate),
    bySegment: worker.options.rateBySegment ?? false,
  });
}

/** `committed` is the number of verdicts that the dispatcher had committed before the claim. */
async function shouldClaimAgain(
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
      return waitForBudget(worker, run, { retryAt: claim.retryAt, signal });
    case 'learning':
      await waitForVerdict(worker, { committed, signal });
      return true;
    case 'balance':
      return settleThenPause(worker, run, signal);
    default:
      return stop satisfies never;
  }
}

/**
 * Only a verdict teaches a price. Freed places do not count, or batches would keep waking each other. Where nothing is
 * under way here, another process learns the price, and nobody tells of its verdict.
 */
async function waitForVerdict(
  { dispatcher, env }: SendingWorker,
  { committed, signal }: { committed: number; signal: AbortSignal },
): Promise<void> {
  const isHere = () => dispatcher.committed !== committed;
  if (dispatcher.quiet && !isHere()) await env.clock.sleep(LEARNING_WAIT_MS, signal);
  else await dispatcher.until(isHere, signal);
}

/** True: part of the budget may be free again; other campaigns do not use it. */
async function waitForBudget(
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
 * The credit does not cover the next message. The worker waits until nothing is in flight, reads the balance
 * again, and pauses only if credit is still too low. True: claim again.
 */
async function settleThenPause(worker: SendingWorker, run: ClaimRun, signal: AbortSignal): Promise<boolean> {
  const account = run.lease.campaign.account ?? '';
  await worker.dispatcher.until(() => worker.dispatcher.quiet, signal);
  if (signal.aborted) return false;
  const funds = await checkBalance(worker.env, account);
  if (funds.state !== 'known') return false;
  if (funds.unsettled) {
    // Verdicts of another process may free money, so the batch comes back later. Each return costs two
    // balance calls.
    await worker.env.clock.sleep(UNSETTLED_WAIT_MS, signal);
    return false;
  }
  run.ceilingMicro = funds.ceilingMicro;
  // During the balance call another batch may have taken every place, or the worker may be stopping.
  if (signal.aborted || worker.dispatcher.room() === 0) return false;
  worker.dispatcher.reserve(1);
  const again = await claimOnce(worker, run, { limit: 1, fromSeq: run.lease.firstSeq });
  if (again.stop !== 'balance' || again.messages.length > 0) return true;
  worker.credit.tooLittle(account, funds.creditMicro);
  await worker.pause(run.lease, 'balance');
  return false;
}
