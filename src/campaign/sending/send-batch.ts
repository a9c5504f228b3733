import { TumaError } from '../../domain/errors.ts';
import { LEASE_MS } from '../../domain/protocol-times.ts';
import { compileTemplate } from '../../domain/text/template.ts';
import { sendingHours } from '../../domain/time/window.ts';
import type { Lease } from '../../ledger/sending.ts';
import type { TakenJob } from '../../queue/queue.ts';
import { type Funds, checkBalance } from './check-balance.ts';
import { claimForSlice } from './claim-slice.ts';
import { giveBack } from './give-back.ts';
import type { Sending } from './lease-queue.ts';
import { pauseFor } from './pause-for.ts';
import type { SendingWorker } from './sending-worker.ts';

/** How long every batch waits for space on a full disk, and a batch that failed; doubled for each further one in a row. */
const FAILED_REST_MS = 5_000;
/** Batches of a campaign that fail in a row before it is paused. */
const FAILURES_TO_PAUSE = 5;
/** How long the first unreadable balance makes everything wait; each further one in a row doubles it. */
const BALANCE_RETRY_MS = 5_000;
/** Unreadable balances in a row that pause a campaign. */
const BALANCE_TRIES = 5;

/** Errors that say nothing of a campaign: a full disk, the ledger's or the notes', and a ledger that was migrated or lost meanwhile. */
const OF_THIS_PROCESS: ReadonlySet<string> = new Set([
  'ledger_full',
  'claims_unnoted',
  'ledger_newer',
  'ledger_lost',
]);

/** The way of one batch: lease, check the balance, claim and send for a slice of time, give the rest back. */
export async function sendBatch(worker: SendingWorker, job: TakenJob): Promise<void> {
  const { env } = worker;
  const { batch, epoch } = job;
  if (worker.stopping.aborted) return;
  const now = env.clock.now();
  const lease = await env.ledger.leaseBatch({ batch, epoch, worker: worker.id, now, leaseMs: LEASE_MS });
  if (lease === null) return;
  let [waitMs, rests] = [0, false];
  try {
    waitMs = await sendLeased(worker, lease, AbortSignal.any([job.signal, worker.stopping]));
    worker.failures.delete(lease.campaign.n);
  } catch (error) {
    waitMs = await afterFailure(worker, lease, error);
    rests = true;
  } finally {
    await giveBack(worker, lease, { waitMs, rests });
  }
}

/**
 * Whatever failed would fail again at once, and each try is a write: the batch rests, for longer each time that one of
 * its campaign fails, and after some in a row a person should look. Answers for how long, in milliseconds.
 */
async function afterFailure(worker: SendingWorker, lease: Lease, error: unknown): Promise<number> {
  const { env, failures } = worker;
  if (error instanceof TumaError && OF_THIS_PROCESS.has(error.code)) {
    restAll(worker, error);
    return FAILED_REST_MS;
  }
  const { n, id } = lease.campaign;
  const passing = error instanceof TumaError && error.code === 'ledger_busy';
  const inARow = (failures.get(n) ?? 0) + (passing ? 0 : 1);
  env.log.error(
    { campaign: id, batch: lease.batch, inARow, error: String(error) },
    'a batch failed and rests',
  );
  failures.set(n, inARow);
  if (inARow < FAILURES_TO_PAUSE) return FAILED_REST_MS * 2 ** Math.max(0, inARow - 1);
  failures.delete(n);
  // A ledger that takes no pause either is the heartbeat's to notice.
  await pauseFor(worker, lease, 'errors').catch(() => undefined);
  return FAILED_REST_MS;
}

/** Nothing is lost and nothing is sent: every batch of this process waits, for space or for its end. */
function restAll({ env, health }: SendingWorker, { message, hint }: TumaError): void {
  if (health.waitMs() <= 0) env.log.warn({ hint }, `${message} Sending waits.`);
  health.rest(FAILED_REST_MS);
}

/** Answers how long the batch should rest, in milliseconds. */
async function sendLeased(worker: SendingWorker, lease: Lease, signal: AbortSignal): Promise<number> {
  const { campaign } = lease;
  const window = sendingHours(campaign.settings.window, campaign.settings.zone, worker.env.clock.now());
  if (!window.open) {
    await pauseFor(worker, lease, 'window');
    return 0;
  }
  const restMs = worker.health.waitMs();
  if (restMs > 0) return restMs;
  const funds = await checkFunds(worker, lease);
  if (funds === null) return BALANCE_RETRY_MS;
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
    // Whatever it was at an earlier pause, the next credit that is told has risen.
    if (funds.pause === 'balance') worker.creditAtPause.delete(campaign.account ?? '');
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
    id: campaign.id,
    note: worker.note,
    kind: campaign.kind,
    account: campaign.account ?? '',
    shortcode: campaign.sender,
    retry: settings.retry,
    bySegment: worker.rateBySegment,
    render: (fields) => template.render(fields),
  };
}
