import type { Connection } from '../../connection.ts';
import type { LatencyHistogram, SeriesSpan, SeriesStep } from '../../contracts/counters.ts';
import { bucketStart, MINUTE_MS, TIMED } from '../sending/message-sums.ts';
import { loadStatements } from '../../statements.ts';

/** Reads what the charts of a campaign show, from its counters. */
export function seriesReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-series.sql', import.meta.url));
  return {
    async campaignSeries(
      campaign: number,
      { from, to, stepMs = MINUTE_MS }: SeriesSpan,
    ): Promise<SeriesStep[]> {
      const steps = new Map<number, SeriesStep>();
      for (const row of await sql('series').all(campaign, from, to, stepMs)) {
        const at = Number(row['at']);
        const step = steps.get(at) ?? { at, ...NOTHING };
        steps.set(at, { ...step, [String(row['what'])]: Number(row['messages']) });
      }
      return [...steps.values()];
    },

    async campaignLatency(campaign: number): Promise<{ send: LatencyHistogram; delivery: LatencyHistogram }> {
      const rows = (await sql('latencies').all(campaign)) as unknown as LatencyRow[];
      const of = (wanted: string) => histogram(rows.filter(({ what }) => what === wanted));
      return { send: of('send'), delivery: of('delivery') };
    },
  };
}

interface LatencyRow {
  what: string;
  bucket: number;
  messages: number;
}

const NOTHING = Object.fromEntries(
  TIMED.filter((what) => what !== 'pending').map((what) => [what, 0]),
) as Omit<SeriesStep, 'at'>;

function histogram(rows: LatencyRow[]): LatencyHistogram {
  const buckets = rows.map(({ bucket, messages }) => ({
    fromMs: bucketStart(bucket),
    toMs: bucketStart(bucket + 1),
    messages,
  }));
  const total = buckets.reduce((sum, { messages }) => sum + messages, 0);
  const below = (part: number) => {
    let rest = Math.ceil(part * total);
    for (const { toMs, messages } of buckets) {
      rest -= messages;
      if (rest <= 0) return toMs;
    }
    return null;
  };
  return { buckets, p50: below(0.5), p95: below(0.95), p99: below(0.99) };
}
