import type { Bench, Finding } from '../bench.ts';
import { startLedgerServer } from '../ledger-server.ts';
import { startQueueServer } from '../queue-server.ts';
import { ratios, spreadOf } from '../spread.ts';
import { arrivalRate, launch, settingsFor, startSink, startTuma } from '../tuma.ts';

const WORKERS = 4;
const CONCURRENCY = 25;
/** So slow that the provider and not this machine bounds a worker: at 25 / 100 ms = 250 messages a second. */
const ANSWER_MS = 100;

/**
 * Row 4: what four workers send, beside one. They share a ledger on Postgres and a Redis, and each has a home of its own,
 * as on machines of their own. The one worker has a quarter of the messages, so that both send for as long.
 */
export async function measureScaleOut(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('4')) return [];
  const many: number[] = [];
  const one: number[] = [];
  const { workerMessages } = bench.sizes;
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`row 4, run ${run} of ${bench.runs}: ${workerMessages} messages a worker`);
    many.push(await workersRate(bench, WORKERS));
    one.push(await workersRate(bench, 1));
  }
  const unit = 'messages/s';
  return [
    {
      row: '4',
      what: `scale-out on Postgres, ${WORKERS} workers`,
      tuma: {
        what: `${WORKERS} × serve --role worker, ${CONCURRENCY} requests each`,
        unit,
        ...spreadOf(many),
      },
      dividedBy: { what: '1 worker', unit, ...spreadOf(one) },
      figure: { unit: 'ratio', ...spreadOf(ratios(many, one)) },
      judged: true,
      notes: [`the provider answers after ${ANSWER_MS} ms`],
    },
  ];
}

async function workersRate(bench: Bench, workers: number): Promise<number> {
  const { workspace, sizes } = bench;
  const contacts = sizes.workerMessages * workers;
  const home = workspace.home();
  await using sink = await startSink({ answerAfterMs: ANSWER_MS });
  await using postgres = await startLedgerServer(home);
  await using redis = await startQueueServer(home);
  const shared = {
    ...postgres.settings,
    TUMA_REDIS_URL: `unix://${redis.socket}`,
    TUMA_RATE: 'unlimited',
    TUMA_CONCURRENCY: String(CONCURRENCY),
  };
  await using serving = new AsyncDisposableStack();
  for (let worker = 1; worker <= workers; worker += 1) {
    const settings = { ...settingsFor(workspace.home(), sink.origin), ...shared };
    await serving.use(startTuma(bench, ['serve', '--role', 'worker'], settings)).printed(/serving worker/);
  }
  const whole = { home, origin: sink.origin, contacts, rate: 'unlimited', wait: true, settings: shared };
  const report = await launch(bench, whole);
  const counts = await sink.counts();
  if (report.sent !== contacts || counts.messages !== contacts)
    throw new Error(
      `Tuma reports ${report.sent} and the sink saw ${counts.messages} of ${contacts} messages`,
    );
  return arrivalRate(counts);
}
