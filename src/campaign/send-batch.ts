import type { PauseReason } from '../domain/campaign.ts';
import { compileTemplate } from '../domain/template.ts';
import { windowState } from '../domain/window.ts';
import type { Claim, ClaimStop, Lease, Release } from '../ledger/sending.ts';
import type { TakenJob } from '../queue/queue.ts';
import { type Funds, checkBalance } from './check-balance.ts';
import type { Lane, Sending } from './lane.ts';
import type { SendingWorker } from './sending-worker.ts';
import { SWEEP_MS } from './sweep.ts';

/** A batch sends for so long, then goes back to the queue and has its balance checked again. */
const SLICE_MS = 5_000;
/** Holding a lease for longer than this without a heartbeat means that the worker is dead. */
export const LEASE_MS = 60_000;
/** After a rate stop, slots gather for so long: one commit for a dozen messages rather than for each. */
const RATE_WAIT_MS = 200;
/** How long the first unreadable balance makes everything wait; each further one in a row doubles it. */
const BALANCE_RETRY_MS = 5_000;
/** Unreadable balances in a row that pause a campaign. */
const BALANCE_TRIES = 5;
const RELEASE_RETRY_MS = 500;

/** The way of one batch: lease, check the balance, claim and send for a slice of time, give the rest back. */
export async function sendBatch(worker: SendingWorker, job: TakenJob): Promise<void> {
  const { env } = worker;
  const { batch, epoch } = job;
  if (worker.stopping.aborted) return;
  const now = env.clock.now();
  const lease = await env.ledger.leaseBatch({ batch, epoch, worker: worker.id, now, leaseMs: LEASE_MS });
  if (lease === null) return;
  let waitMs = 0;
  try {
    waitMs = await sendLeased(worker, lease, AbortSignal.any([job.signal, worker.stopping]));
  } finally {
    await giveBack(worker, lease, waitMs);
  }
}

/** Answers how long the batch should rest, in milliseconds. */
async function sendLeased(worker: SendingWorker, lease: Lease, signal: AbortSignal): Promise<number> {
  const { campaign } = lease;
  const window = windowState(campaign.settings.window, campaign.settings.zone, worker.env.clock.now());
  if (!window.open) return pauseFor(worker, lease, 'window');
  const restMs = worker.health.waitMs();
  if (restMs > 0) return restMs;
  const funds = await checkFunds(worker, lease);
  if (funds === null) return BALANCE_RETRY_MS;
  await worker.prices.open(campaign.account ?? '');
  const lane = worker.dispatcher.openLane(sendingOf(worker, lease));
  try {
    const run = { lease, lane, signal, windowClosesAt: window.closesAt, ceilingMicro: funds.ceilingMicro };
    await claimForSlice(worker, run);
  } finally {
    worker.dispatcher.closeLane(lane);
  }
  return worker.health.waitMs();
}

async function checkFunds(worker: SendingWorker, lease: Lease): Promise<(Funds & { state: 'known' }) | null> {
  const { campaign } = lease;
  const funds = await checkBalance(worker.env, campaign.account ?? '');
  const tired = worker.health.probed(funds.state === 'known');
  if (funds.state === 'known') {
    worker.unreadableBalances = 0;
    return funds;
  }
  if (funds.state === 'refused') {
    await pauseFor(worker, lease, funds.pause);
    return null;
  }
  // Of the batches that asked at the same time one counts.
  if (worker.health.waitMs() > 0) return null;
  worker.unreadableBalances += 1;
  worker.health.rest(BALANCE_RETRY_MS * 2 ** (worker.unreadableBalances - 1));
  worker.env.log.warn(
    { campaign: campaign.id, words: funds.words },
    'the balance is not known: sending waits',
  );
  if (tired || worker.unreadableBalances >= BALANCE_TRIES) {
    worker.unreadableBalances = 0;
    await pauseFor(worker, lease, 'errors');
  }
  return null;
}

interface Run {
  lease: Lease;
  lane: Lane;
  signal: AbortSignal;
  windowClosesAt: number | null;
  ceilingMicro: number;
}

async function claimForSlice(worker: SendingWorker, run: Run): Promise<void> {
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
 * Waits until a quarter of the claim limit is free, or nothing waits to be dispatched, and keeps those places: several
 * batches look at the same time, and what one was promised the next must not see. Zero: give up.
 */
async function takeRoom(worker: SendingWorker, signal: AbortSignal): Promise<number> {
  const { dispatcher, claimLimit } = worker;
  while (!signal.aborted && worker.health.waitMs() === 0) {
    const room = dispatcher.room();
    const starving = dispatcher.held - dispatcher.inFlight === 0;
    if (room >= claimLimit / 4 || (starving && room > 0)) {
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
  run: Run,
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
  run: Run,
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
  run: Run,
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

async function pauseFor(worker: SendingWorker, lease: Lease, reason: PauseReason): Promise<number> {
  const { env } = worker;
  const paused = await env.ledger.pause(lease.campaign.n, { now: env.clock.now(), by: 'worker', reason });
  if (paused) env.log.warn({ campaign: lease.campaign.id, reason }, 'the campaign is paused');
  return 0;
}

async function giveBack(worker: SendingWorker, lease: Lease, waitMs: number): Promise<void> {
  const { env } = worker;
  const release = await released(worker, lease);
  if (release === null || worker.stopping.aborted) return;
  if (release.settled) return worker.wakeSweep();
  const delayMs = Math.max(waitMs, release.dueAt - env.clock.now(), 0);
  // What is due later is the sweep's: Redis is not asked to remember anything for long.
  if (delayMs > SWEEP_MS) return;
  const job = { batch: lease.batch, epoch: release.epoch, kind: lease.campaign.kind, delayMs };
  // A Redis that does not answer costs nothing: the sweep finds the batch.
  await env.queue.add([job]).catch(() => undefined);
}

/**
 * Ends the lease, however long the ledger is locked or full: heartbeats would prolong a lease that was forgotten for as
 * long as this process lives. Null: the process stops, and its retirement ends the lease.
 */
async function released(worker: SendingWorker, { batch, epoch }: Lease): Promise<Release | null> {
  const { clock, ledger, log } = worker.env;
  for (;;) {
    try {
      return await ledger.releaseBatch({ batch, epoch, now: clock.now() });
    } catch (error) {
      log.warn({ batch, error: String(error) }, 'a batch waits for the ledger to be given back');
      if (worker.stopping.aborted) return null;
      await clock.sleep(RELEASE_RETRY_MS, worker.stopping);
    }
  }
}

function sendingOf(worker: SendingWorker, { campaign }: Lease): Sending {
  const { settings } = campaign;
  const template = worker.templates.of(campaign, () =>
    compileTemplate({
      source: campaign.template,
      file: campaign.name,
      header: settings.header,
      columns: settings.columns,
      gsmSafe: settings.gsmSafe,
    }),
  );
  return {
    campaign: campaign.n,
    worker: worker.id,
    kind: campaign.kind,
    account: campaign.account ?? '',
    shortcode: campaign.sender,
    retry: settings.retry,
    rated: settings.ratePerSecond !== null || worker.health.rate(worker.accountRate) !== null,
    render: (fields) => template.render(fields),
  };
}
