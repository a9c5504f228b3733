import { dirname } from 'node:path';
import { freeBytesOf } from '../ledger/sqlite/disk-space.ts';
import type { Env } from '../campaign/env.ts';
import { watchLedgerPlace } from '../campaign/sending/leave-ledger.ts';
import { refuseBehind } from '../campaign/maintenance/stale-ledger-guard.ts';
import type { UnderstoodWebhook } from '../campaign/inbound/process-webhooks.ts';
import { readStored, startReportLoop } from '../campaign/inbound/webhook-loop.ts';
import { storeWebhook, tryStore } from '../campaign/inbound/store-webhook.ts';
import { type RunningWorker, startWorker } from '../campaign/worker.ts';
import { isCollectorAlone, type Role, type RunningRoles, type Services } from './contracts.ts';
import { type Collector, startCollector } from '../collector/server.ts';
import { refuseOpenDashboard } from '../config/relations.ts';
import { webhookToken } from '../config/webhook-token.ts';
import { reservedPrices } from '../config/values.ts';
import { startWebServer } from '../web/server.ts';
import type { WorkerGauges } from './gauges.ts';
import { startAlerts } from './alerts.ts';
import { firingApart } from './fire-apart.ts';
import { openQueue } from './queue.ts';
import { type Metrics, createMetrics } from './metrics.ts';
import { rateBySegment, webhookReading } from './profile-settings.ts';
import { systemProcesses } from '../system/processes.ts';

const GUARD_OFF =
  'neither HOME nor XDG_STATE_HOME is set, so claims are not noted: a backup that is put back would send again what was sent';

interface Started {
  worker: RunningWorker | null;
  queueSize: (() => Promise<number>) | null;
}

/**
 * Starts roles in this process. When one of them cannot start, the others are stopped. Throws errors that a
 * person must solve (`port_in_use`, `redis_unreachable`, `credentials` …).
 */
export async function startRoles(
  services: Services,
  options: Parameters<Services['startRoles']>[0],
): Promise<RunningRoles> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    // One that cannot be stopped must not keep the others running.
    for (const end of stops.splice(0).toReversed()) await end().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await startInto(stops, services, options)), stop };
  } catch (error) {
    await stop().catch((problem) => services.log.warn({ error: String(problem) }, 'a part did not stop'));
    throw error;
  }
}

async function startInto(
  stops: (() => Promise<void>)[],
  services: Services,
  { roles, patient }: Parameters<Services['startRoles']>[0],
): Promise<Omit<RunningRoles, 'stop'>> {
  if (roles.includes('web')) refuseOpenDashboard(services.config);
  const started: Started = { worker: null, queueSize: null };
  const metrics = await makeMetrics(services, { roles, started });
  // A collector alone writes nothing but its inbox.
  if (!isCollectorAlone(roles)) await turnApprovalOn(services);
  // Stopped last: it may wait for a ledger that another program holds, and nobody must be let in meanwhile.
  stops.push(await watchPlace(services, started));
  const urls: Pick<RunningRoles, 'collectorUrl' | 'webUrl'> = { collectorUrl: null, webUrl: null };
  if (roles.includes('collector')) {
    const collector = await runCollector(services, metrics);
    stops.push(() => collector.close());
    urls.collectorUrl = collector.url;
  }
  if (roles.includes('web')) {
    const { dashboardHost: host, dashboardPort: port, dashboardToken } = services.config;
    const token = dashboardToken?.reveal() ?? null;
    const web = await startWebServer({ host, port, token, render: () => metrics.render(), env: services });
    stops.push(() => web.close());
    urls.webUrl = web.url;
  }
  if (roles.includes('worker')) {
    await runWorker(stops, services, { metrics, started, patient });
  }
  return urls;
}

/** The setting only turns the rule on: whoever can change the settings of a process must not be able to turn it off. */
async function turnApprovalOn(services: Services): Promise<void> {
  const { config, clock } = services;
  if (!config.approval) return;
  await (await services.ledger()).setApproval({ on: true, now: clock.now(), by: 'TUMA_APPROVAL' });
}

async function makeMetrics(
  services: Services,
  { roles, started }: { roles: readonly Role[]; started: Started },
): Promise<Metrics> {
  const { config } = services;
  await services.ledger();
  const metrics = createMetrics({
    // The web shows them, and nobody else reads the ledger for them.
    ...(roles.includes('web') ? { reader: await services.reader() } : {}),
    queueSize: async () => (await started.queueSize?.()) ?? null,
    worker: () => workerGauges(started.worker),
    now: () => services.clock.now(),
    // The disk of Postgres is on its own machine.
    ...(config.postgres === null ? { freeBytes: () => freeBytesOf(dirname(config.ledgerFile)) } : {}),
  });
  services.watchCommits((ms) => metrics.committed(ms));
  return metrics;
}

async function watchPlace(services: Services, started: Started): Promise<() => Promise<void>> {
  const { clock, log } = services;
  return watchLedgerPlace(
    { clock, log, ledger: await services.ledger() },
    {
      settle: async () => started.worker?.sending.dispatcher.stop(),
      fatal: (error) => endWithoutLedger(log, error),
    },
  );
}

function endWithoutLedger(log: Services['log'], error: unknown): never {
  log.error({ error: String(error) }, 'the ledger of this process is gone: it ends, and nothing is lost');
  process.exit(1);
}

/** Null without a worker, because a zero would be a lie. */
function workerGauges(worker: RunningWorker | null): WorkerGauges | null {
  if (worker === null) return null;
  const { dispatcher, health } = worker.sending;
  return { inFlight: dispatcher.inFlight, waitMs: health.waitMs() };
}

async function runCollector(services: Services, metrics: Metrics): Promise<Collector> {
  const { config, log, clock } = services;
  const ledger = await services.ledger();
  const token = await webhookToken(config);
  const { mayBeReply, answer } = webhookReading(config);
  return startCollector({
    host: config.host,
    port: config.port,
    tokens: [token, config.webhookTokenOld].flatMap((each) => each?.reveal() ?? []),
    from: config.webhookFrom,
    proxies: config.trustedProxies,
    store: (received) => storeWebhook({ clock, ledger }, received, mayBeReply),
    tryStore: () => tryStore({ clock, ledger }),
    log,
    onEvent: (event) => metrics.requested(event),
    answer,
  });
}

/** The worker sends and joins. Each part adds how to stop it to `stops`. */
async function runWorker(
  stops: (() => Promise<void>)[],
  services: Services,
  { metrics, started, patient }: { metrics: Metrics; started: Started; patient: boolean },
): Promise<void> {
  const { config, log, clock } = services;
  const [ledger, provider] = [await services.ledger(), await services.provider()];
  if (config.stateFolder === null) log.warn({}, GUARD_OFF);
  await refuseBehind({ ledger, clock });
  const opened = await openQueue(config, { log, patient });
  stops.push(() => opened.close());
  const { queue } = opened;
  const [processes, wire, random] = [systemProcesses('worker'), services.wire, Math.random];
  const env: Env = { clock, random, provider, queue, ledger, processes, wire, log };
  started.queueSize = () => queue.size();
  const { parse, wishOf } = webhookReading(config);
  const reading = { parse, wishOf, processed: (webhook: UnderstoodWebhook) => metrics.processed(webhook) };
  await readStored(env, reading);
  const joining = startReportLoop(env, reading);
  stops.push(() => joining.stop());
  const worker = await startWorker(env, {
    fireAnew: firingApart(config, { ledger, log }),
    ...(config.keepMs === null
      ? {}
      : {
          keep: { keepMs: config.keepMs, reader: await services.reader(), sharedFolder: config.sharedFolder },
        }),
    concurrency: config.concurrency,
    claimLimit: config.claimLimit,
    accountRate: config.ratePerSecond,
    rateBySegment: rateBySegment(config),
    prices: reservedPrices(config.price),
    onAnswer: (outcome) => metrics.sent(outcome),
    fatal: (error) => endWithoutLedger(log, error),
  });
  started.worker = worker;
  stops.push(() => worker.stop());
  stops.push(await startAlerts(services));
}
