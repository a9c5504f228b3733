import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Bench, Finding } from '../bench.ts';
import { startYardstick } from '../program.ts';
import { ratios, spreadOf } from '../spread.ts';
import { settingsFor, startTuma, WEBHOOK_TOKEN } from '../tuma.ts';
import type { LoadResult } from '../webhook-load.ts';

/** Enough that a commit holds many reports. */
const CONNECTIONS = 128;
const WARM_UP_MS = 2_000;
const HALF = 0.5;
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Rows 6 and 7: reports that the collector has acknowledged, each after it was durable, beside a bare Fastify that only
 * answers; and how long an answer takes at half of the collector's rate.
 */
export async function measureWebhooks(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('6') && !bench.wants('7')) return [];
  const durable: LoadResult[] = [];
  const bare: LoadResult[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`rows 6 and 7, run ${run} of ${bench.runs}: ${bench.sizes.loadSeconds} s of reports each`);
    durable.push(await toCollector(bench, null));
    bare.push(await toFastify(bench));
  }
  const findings = bench.wants('6') ? [throughput(durable, bare)] : [];
  if (!bench.wants('7')) return findings;
  const halfRate = spreadOf(durable.map(({ perSecond }) => perSecond)).median * HALF;
  const calm: LoadResult[] = [];
  for (let run = 1; run <= bench.runs; run += 1) calm.push(await toCollector(bench, halfRate));
  return [...findings, latency(calm, halfRate)];
}

function throughput(durable: LoadResult[], bare: LoadResult[]): Finding {
  const unit = 'reports/s';
  const [tuma, fastify] = [durable, bare].map((runs) => runs.map(({ perSecond }) => perSecond)) as [
    number[],
    number[],
  ];
  return {
    row: '6',
    what: 'delivery reports taken',
    tuma: { what: 'serve --role collector, durable first', unit, ...spreadOf(tuma) },
    dividedBy: { what: 'bare Fastify, parses and answers', unit, ...spreadOf(fastify) },
    figure: { unit: 'ratio', ...spreadOf(ratios(tuma, fastify)) },
    judged: true,
    notes: [`${CONNECTIONS} connections`],
  };
}

function latency(calm: LoadResult[], halfRate: number): Finding {
  const p99 = spreadOf(calm.map(({ p99Ms }) => p99Ms));
  const p50 = spreadOf(calm.map(({ p50Ms }) => p50Ms));
  return {
    row: '7',
    what: `p99 of a report's answer at ${Math.round(halfRate)} a second`,
    tuma: { what: 'from when it should have left', unit: 'ms', ...p99 },
    dividedBy: null,
    figure: { unit: 'ms', ...p99 },
    judged: true,
    notes: [`p50 ${p50.median.toFixed(1)} ms`],
  };
}

async function toCollector(bench: Bench, rate: number | null): Promise<LoadResult> {
  const home = bench.workspace.home();
  const result = await loadCollector(bench, { home, rate });
  const stored = countWebhooks(join(home, 'ledger.db'));
  bench.workspace.leave(home);
  if (stored < result.acknowledged)
    throw new Error(`${result.acknowledged} reports were acknowledged and ${stored} are in the ledger`);
  if (result.refused > 0) throw new Error(`the collector refused ${result.refused} reports`);
  return result;
}

async function loadCollector(
  bench: Bench,
  { home, rate }: { home: string; rate: number | null },
): Promise<LoadResult> {
  await using tuma = startTuma(bench, ['serve', '--role', 'collector'], settingsFor(home, NOWHERE));
  const [, port] = await tuma.printed(/webhooks\s+http:\/\/127\.0\.0\.1:(\d+)\//);
  return await load(bench, { port: Number(port), path: `/webhooks/${WEBHOOK_TOKEN}`, rate });
}

async function toFastify(bench: Bench): Promise<LoadResult> {
  await using bare = startYardstick('bare-fastify.ts');
  const { port } = await bare.told<{ port: number }>();
  return await load(bench, { port, path: '/webhooks/bench', rate: null });
}

async function load(
  { sizes: { loadSeconds } }: Bench,
  target: { port: number; path: string; rate: number | null },
): Promise<LoadResult> {
  const times = { connections: CONNECTIONS, warmUpMs: WARM_UP_MS, measuredMs: loadSeconds * 1_000 };
  await using generator = startYardstick('webhook-load.ts', { ...target, ...times });
  return await generator.told<LoadResult>();
}

/** Read from the file after the process has ended: what was acknowledged must be in it. */
function countWebhooks(ledger: string): number {
  const database = new DatabaseSync(ledger, { readOnly: true });
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM webhook').get()?.['count']);
  } finally {
    database.close();
  }
}
