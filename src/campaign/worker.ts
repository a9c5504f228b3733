import { HEARTBEAT_MS, LEASE_MS } from '../domain/protocol-times.ts';
import type { Consumer } from '../queue/queue.ts';
import { checkBalance } from './sending/check-balance.ts';
import { fireDue } from './launch/fire.ts';
import { FirstLooks } from './launch/still-files.ts';
import type { FireAnew } from './launch/fire-anew.ts';
import type { Env } from './env.ts';
import { type KeepOptions, purgeOld } from './maintenance/keep.ts';
import { Failures, isTransientError } from './sending/failures.ts';
import { type Loop, WakeablePause, runLoop } from './loop.ts';
import { HEED_ORDERS_MS, heedOrders } from './sending/heed-orders.ts';
import { reapDead } from './maintenance/reap.ts';
import { Registration } from './sending/registration.ts';
import { sendBatch } from './sending/send-batch.ts';
import { type SendingOptions, SendingWorker } from './sending/sending-worker.ts';
import { SWEEP_MS, Sweep } from './maintenance/sweep.ts';
import { watchCanaries, watchNetworks, watchPauses } from './maintenance/watch.ts';

/** Batches at once, of each kind of campaign. */
const SLOTS = 2;
const REAP_MS = 5_000;
const BREATH_MS = 25;
/** The time limit of the last balance call of a process that stops. */
const CLOSING_MS = 3_000;
const WATCH_PAUSES_MS = 10_000;
const WATCH_NETWORKS_MS = 5_000;
const READ_MAPPINGS_MS = 5_000;
const KEEP_LOOK_MS = 600_000;
/** The consumers are restarted when due work is unclaimed for this long without a reason. */
const WATCHDOG_MS = 30_000;

/** The options of a worker. */
export interface WorkerOptions extends SendingOptions {
  /** Fires a recurring job that reads its files anew. */
  fireAnew: FireAnew;
  watchPausesMs?: number;
  /** Removes old personal data once a day; left out: it is kept. */
  keep?: KeepOptions;
}

/** The role `worker` of this process. */
export interface RunningWorker {
  readonly sending: SendingWorker;
  /** Ends the claims, puts back undispatched messages, waits for answers, records them, and leaves. */
  stop(): Promise<void>;
}

/**
 * Starts the role `worker`. It takes batches from the queue and sends them, and keeps the queue filled from
 * the ledger. It also ends dead workers, resumes paused campaigns and starts scheduled ones.
 */
export async function startWorker(env: Env, options: WorkerOptions): Promise<RunningWorker> {
  const stopping = new AbortController();
  const registration = await Registration.begin(env);
  const worker = new SendingWorker(env, { registration, stopping: stopping.signal, options });
  await reapDead(env, registration.id);
  env.wire.clear(new Set((await env.ledger.otherWorkers(null)).map((other) => other.worker)));
  await readMappings(env);
  const consumer = env.queue.consume((job) => sendBatch(worker, job), { slots: SLOTS });
  const { signal } = stopping;
  const sweepPause = new WakeablePause(env.clock);
  worker.wakeSweep = () => sweepPause.wake();
  const sweep = { name: 'sweep', everyMs: SWEEP_MS, step: sweeping(worker, consumer) };
  const running = [
    runLoop({ clock: sweepPause, log: env.log }, sweep, signal),
    ...loopsOf(worker, options).map((loop) => runLoop(env, loop, signal)),
  ];
  return {
    sending: worker,
    stop: async () => {
      stopping.abort();
      await worker.dispatcher.stop();
      await Promise.all([consumer.close(), ...running]);
      await worker.claims.settled();
      // The report needs the real charge, but a provider without an answer does not hold up the end.
      await Promise.race([closingReadings(worker).catch(() => undefined), env.clock.sleep(CLOSING_MS)]);
      await registration.end();
    },
  };
}

function loopsOf(
  worker: SendingWorker,
  { watchPausesMs = WATCH_PAUSES_MS, fireAnew, keep }: WorkerOptions,
): Loop[] {
  const { env } = worker;
  return [
    { name: 'heartbeat', everyMs: HEARTBEAT_MS, step: beating(worker) },
    { name: 'heed orders', everyMs: HEED_ORDERS_MS, step: () => heedOrders(worker) },
    { name: 'reap', everyMs: REAP_MS, step: async () => void (await reapDead(env, worker.registration.id)) },
    { name: 'become due', everyMs: SWEEP_MS, step: becomingDue(worker, fireAnew) },
    {
      name: 'read answer mappings',
      everyMs: READ_MAPPINGS_MS,
      step: () => readMappings(env),
    },
    ...(keep === undefined
      ? []
      : [{ name: 'purge', everyMs: KEEP_LOOK_MS, step: () => purgeOld(env, keep) }]),
    { name: 'watch networks', everyMs: WATCH_NETWORKS_MS, step: () => watchNetworks(env) },
    {
      name: 'watch pauses',
      everyMs: watchPausesMs,
      step: async () => watchPauses(worker, await env.ledger.pausedCampaigns()),
    },
  ];
}

/** Heartbeats, which end the process when the ledger is gone for good. */
function beating({ env, registration, options, health }: SendingWorker): () => Promise<void> {
  let lastAt = env.clock.monotonic();
  return async () => {
    try {
      await registration.beat(health.outage);
      lastAt = env.clock.monotonic();
    } catch (error) {
      // A locked or full ledger may recover, and verdicts wait for it in memory. A dead one never does.
      if (!isTransientError(error) && env.clock.monotonic() - lastAt >= LEASE_MS) options.fatal?.(error);
      throw error;
    }
  };
}

/** Reads the meanings that a person gave to unknown answers of the provider. */
async function readMappings({ provider, ledger }: Env): Promise<void> {
  provider.mapAnswers(await ledger.mappedAnswers());
}

function sweeping(worker: SendingWorker, consumer: Consumer): () => Promise<void> {
  const { env } = worker;
  const sweep = new Sweep(env);
  return async () => {
    const due = await sweep.run();
    if (due > 0) await watchdog(worker, consumer);
    else {
      // Time without due work does not count as idle.
      worker.lastClaimAt = env.clock.monotonic();
      await closingReadings(worker);
    }
    // Every finished batch wakes the sweep. After a short pause one sweep serves many of them.
    await env.clock.sleep(BREATH_MS, worker.stopping);
  };
}

/** Fires, corrects and starts campaigns that have become due; then fills the queue. */
function becomingDue(
  { env, wakeSweep, stopping: signal }: SendingWorker,
  fireAnew: FireAnew,
): () => Promise<void> {
  const failures = new Failures(env);
  const looks = new FirstLooks(env.clock);
  // A failed schedule or upload holds up neither the others nor the due batches.
  const apart = (part: string, work: () => Promise<unknown>) =>
    failures.guard({ part, words: 'a part of what becomes due failed and will be tried again' }, work);
  return async () => {
    await apart('fire', () => fireDue({ ...env, fireAnew, looks, signal }));
    await apart('apply uploads', () => env.ledger.applyUploads(env.clock.now()));
    await apart('start', () => startScheduled(env));
    await apart('watch canaries', () => watchCanaries(env));
    wakeSweep();
  };
}

async function startScheduled(env: Env): Promise<void> {
  for (const { campaign, started } of await env.ledger.startDue(env.clock.now()))
    env.log.info(
      { campaign: campaign.id, started },
      started ? 'the campaign starts' : 'the start was missed',
    );
}

/** A reading with nothing in flight shows the real charge, which the report needs. */
async function closingReadings({ env, dispatcher, credit }: SendingWorker): Promise<void> {
  if (!dispatcher.quiet) return;
  await credit.readCharged(async (account) => {
    const funds = await checkBalance(env, account);
    if (funds.state === 'unknown') env.log.warn({ words: funds.words }, 'no closing balance');
  });
}

async function watchdog(worker: SendingWorker, consumer: Consumer): Promise<void> {
  const { env, health } = worker;
  const idleMs = Math.min(env.clock.monotonic() - worker.lastClaimAt, consumer.idleMs());
  if (health.waitMs() > 0 || idleMs < WATCHDOG_MS) return;
  env.log.error({ idleMs }, 'work is due and none is taken: the consumers are restarted');
  worker.lastClaimAt = env.clock.monotonic();
  await consumer.restart();
}
