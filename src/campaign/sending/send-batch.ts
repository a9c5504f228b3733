import { TumaError } from '../../domain/errors.ts';
import { LEASE_MS } from '../../domain/protocol-times.ts';
import { campaignTexts } from '../../domain/text/campaign-texts.ts';
import { sendingHours } from '../../domain/time/window.ts';
import type { Lease, Release } from '../../ledger/contracts/sending.ts';
import type { TakenJob } from '../../queue/queue.ts';
import { type Funds, checkBalance } from './check-balance.ts';
import { isUnsure } from './claims-under-way.ts';
import { claimForSlice } from './claim-loop.ts';
import { FIRST_WAIT_MS } from './consecutive-failures.ts';
import type { Sending } from './lease-queue.ts';
import type { SendingWorker } from './sending-worker.ts';
import { SWEEP_MS } from '../maintenance/sweep.ts';

const RELEASE_RETRY_MS = 500;

/** Errors without a relation to the campaign: a full disk, or a ledger that was migrated, moved, lost, or is out of reach. */
const OF_THIS_PROCESS: ReadonlySet<string> = new Set([
  'ledger_full',
  'claims_unnoted',
  'ledger_newer',
  'ledger_lost',
  'database_unreachable',
  'database_unsure',
  'database_refused',
  'ledger_moved',
]);

/** Sends one batch: lease, check the balance, claim and send for a slice of time, give the rest back. */
export async function sendBatch(worker: SendingWorker, job: TakenJob): Promise<void> {
  if (worker.stopping.aborted) return;
  const lease = await leaseFor(worker, job);
  if (lease === null) return;
  let [waitMs, rests] = [0, false];
  try {
    waitMs = await sendLeased(worker, lease, AbortSignal.any([job.signal, worker.stopping]));
    worker.failures.batchSent(lease.campaign.n);
  } catch (error) {
    waitMs = await afterFailure(worker, lease, error);
    rests = true;
  } finally {
    await giveBack(worker, lease, { waitMs, rests });
  }
}

/**
 * A lease of which the database cannot say whether it was made is given back: heartbeats would prolong it for ever. If it
 * was not made, another worker may hold the batch at that epoch, and keeps it.
 */
async function leaseFor(worker: SendingWorker, { batch, epoch }: TakenJob): Promise<Lease | null> {
  const { env, registration } = worker;
  const { id } = registration;
  const now = env.clock.now();
  try {
    return await env.ledger.leaseBatch({ batch, epoch, worker: id, now, leaseMs: LEASE_MS });
  } catch (error) {
    if (isUnsure(error)) await released(worker, { batch, epoch: epoch + 1, worker: id }, 0);
    throw error;
  }
}

/**
 * A failed batch would fail again at once, and each try is a write. So it rests, longer after each failure of
 * its campaign, and several failures in a row ask for a person. Returns the rest in milliseconds.
 */
async function afterFailure(worker: SendingWorker, lease: Lease, error: unknown): Promise<number> {
  const code = error instanceof TumaError ? error.code : '';
  if (OF_THIS_PROCESS.has(code)) {
    restAll(worker, error as TumaError);
    return FIRST_WAIT_MS;
  }
  const { n, id } = lease.campaign;
  const isTransient = code === 'ledger_busy';
  const { inARow, waitMs, asksForPause } = worker.failures.batchFailed(n, { isTransient });
  worker.env.log.error(
    { campaign: id, batch: lease.batch, inARow, error: String(error) },
    'a batch failed and rests',
  );
  if (!asksForPause) return waitMs;
  // The heartbeat notices a ledger that does not take the pause either.
  await worker.pause(lease, 'errors').catch(() => undefined);
  return FIRST_WAIT_MS;
}

/** Every batch of this process waits for space, or for the end of the process. */
function restAll({ env, health }: SendingWorker, { message, hint, advice }: TumaError): void {
  if (health.waitMs() <= 0) env.log.warn({ hint, advice }, `${message} Sending waits.`);
  health.rest(FIRST_WAIT_MS);
}

/** Returns how long the batch must wait before the next try, in milliseconds. */
async function sendLeased(worker: SendingWorker, lease: Lease, signal: AbortSignal): Promise<number> {
  const { campaign } = lease;
  const window = sendingHours(campaign.settings.window, campaign.settings.zone, worker.env.clock.now());
  if (!window.open) {
    await worker.pause(lease, 'window');
    return 0;
  }
  const restMs = worker.health.waitMs();
  if (restMs > 0) return restMs;
  const funds = await checkFunds(worker, lease);
  if (funds === null) return FIRST_WAIT_MS;
  const queue = worker.dispatcher.openQueue(sendingOf(worker, lease));
  try {
    const run = { lease, queue, signal, windowClosesAt: window.closesAt, ceilingMicro: funds.ceilingMicro };
    await claimForSlice(worker, run);
  } finally {
    worker.dispatcher.closeQueue(queue);
  }
  return worker.health.waitMs();
}

/** Null: no message may be sent. Then everything waits, or the campaign is paused. */
async function checkFunds(worker: SendingWorker, lease: Lease): Promise<(Funds & { state: 'known' }) | null> {
  const account = lease.campaign.account ?? '';
  const funds = await checkBalance(worker.env, account);
  const breakerAsksForPause = worker.health.probed(funds.state === 'known');
  switch (funds.state) {
    case 'known':
      worker.failures.balanceRead();
      worker.health.balanceRead();
      return funds;
    case 'refused':
      if (funds.pause === 'balance') worker.credit.tooLittle(account, null);
      await worker.pause(lease, funds.pause, funds.words);
      return null;
    case 'unknown':
      await afterUnreadable(worker, lease, { words: funds.words, breakerAsksForPause });
      return null;
    default:
      return funds satisfies never;
  }
}

/** Everything waits. Batches that asked for the balance at the same time count once. */
async function afterUnreadable(
  worker: SendingWorker,
  lease: Lease,
  { words, breakerAsksForPause }: { words: string; breakerAsksForPause: boolean },
): Promise<void> {
  const { health, failures, env } = worker;
  if (health.waitMs() > 0) return;
  const { waitMs, asksForPause } = failures.balanceUnreadable();
  health.balanceUnreadable(waitMs);
  env.log.warn({ campaign: lease.campaign.id, words }, 'the balance is not known: sending waits');
  if (!breakerAsksForPause && !asksForPause) return;
  failures.balanceRead();
  await worker.pause(lease, 'errors', words);
}

function sendingOf(worker: SendingWorker, { campaign }: Lease): Sending {
  const { settings } = campaign;
  const template = campaignTexts(campaign);
  return {
    campaign: campaign.n,
    id: campaign.id,
    note: worker.registration.note,
    kind: campaign.kind,
    account: campaign.account ?? '',
    shortcode: campaign.sender,
    retry: settings.retry,
    bySegment: worker.options.rateBySegment ?? false,
    render: (fields) => template.render(fields),
  };
}

/**
 * Ends a lease, and puts the batch back into the queue when it has more work that is due soon. `rests`: no
 * process takes it before `waitMs` have passed.
 */
async function giveBack(
  worker: SendingWorker,
  lease: Lease,
  { waitMs, rests }: { waitMs: number; rests: boolean },
): Promise<void> {
  const { env } = worker;
  const release = await released(worker, lease, rests ? waitMs : 0);
  if (release === null || worker.stopping.aborted) return;
  // The next batch may take its place, even while the last verdicts of this batch are not yet recorded.
  worker.wakeSweep();
  if (release.settled) return;
  const delayMs = Math.max(waitMs, release.dueAt - env.clock.now(), 0);
  // The sweep finds later work, so Redis need not remember it for long.
  if (delayMs > SWEEP_MS) return;
  const job = { batch: lease.batch, epoch: release.epoch, kind: lease.campaign.kind, delayMs };
  // If Redis does not answer, the sweep finds the batch.
  await env.queue.add([job]).catch(() => undefined);
}

/**
 * Ends the lease, however long the ledger is locked or full, because the heartbeats of this process would
 * prolong a forgotten lease. Null: the process stops, and its retirement ends the lease.
 */
async function released(
  worker: SendingWorker,
  { batch, epoch, worker: holder }: Pick<Lease, 'batch' | 'epoch' | 'worker'>,
  restMs: number,
): Promise<Release | null> {
  const { clock, ledger, log } = worker.env;
  for (;;) {
    try {
      const now = clock.now();
      return await ledger.releaseBatch({ batch, epoch, worker: holder, now, restUntil: now + restMs });
    } catch (error) {
      log.warn({ batch, error: String(error) }, 'the ledger does not take a batch back: trying again');
      if (worker.stopping.aborted) return null;
      await clock.sleep(RELEASE_RETRY_MS, worker.stopping);
    }
  }
}
