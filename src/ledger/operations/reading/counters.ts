import type { Connection } from '../../connection.ts';
import type {
  CampaignsQuery,
  CounterReader,
  LatencyHistogram,
  SeriesStep,
} from '../../contracts/counters.ts';
import { bucketStart, type Kind, MINUTE_MS, TIMED } from '../keeping/message-sums.ts';
import { loadStatements } from '../../statements.ts';
import type { Price } from './prices.ts';

/** The messages of one kind: a row of the counters. */
export type KindRow = Kind & { messages: number; cost: number };

/** When messages left (milliseconds; null: none did), and how many were sent in the last ten seconds of that. */
export interface SendingTimes {
  first: number | null;
  last: number | null;
  /** Also of messages that were settled without. */
  lastLeft: number | null;
  recent: number;
}

/** What the numbers of one campaign are made of. */
export interface Counted {
  kinds: KindRow[];
  /** The known prices of its account. */
  prices: Price[];
  times: SendingTimes;
}

/** The counters of campaigns, for other reads of the same connection. */
export type CounterReads = ReturnType<typeof counterReads>;

const RECENT_MS = 10_000;
const NO_TIMES: SendingTimes = { first: null, last: null, lastLeft: null, recent: 0 };
type Count = { messages: number };

/** Reads the counters: each function a few small rows, however many messages there are. */
export function counterReads(database: Connection) {
  const sql = loadStatements(database, new URL('./counters.sql', import.meta.url));
  const prices = async (campaign: number) => await sql<Price>('prices').all(campaign);
  return {
    prices,

    of: async (campaign: number): Promise<Counted> => ({
      kinds: await sql<KindRow>('kinds').all(campaign),
      prices: await prices(campaign),
      times: (await sql<SendingTimes>('times').get(campaign, RECENT_MS)) ?? NO_TIMES,
    }),

    /** Sent messages without a report that left before this time, to the second. */
    async pendingBefore(campaign: number, before: number): Promise<number> {
      const minute = before - (before % MINUTE_MS);
      return (await sql<Count>('pending_before').get(campaign, minute, before))?.messages ?? 0;
    },

    /** The numbers of the campaigns of a page, newest first. */
    async pageOf({ states, name, cursor, limit }: CampaignsQuery): Promise<number[]> {
      const wanted = states === null ? null : JSON.stringify(states);
      const part = name === null ? null : `%${name.replaceAll(/[%_\\]/g, '\\$&')}%`;
      return (await sql<{ n: number }>('page').all(wanted, part, cursor, limit)).map(({ n }) => n);
    },
  };
}

/** Reads what the charts of a campaign show. */
export function chartReads(database: Connection): Pick<CounterReader, 'campaignSeries' | 'campaignLatency'> {
  const sql = loadStatements(database, new URL('./counters.sql', import.meta.url));
  return {
    async campaignSeries(campaign, { from, to, stepMs = MINUTE_MS }) {
      const steps = new Map<number, SeriesStep>();
      const rows = await sql<{ at: number; what: string } & Count>('series').all(campaign, from, to, stepMs);
      for (const { at, what, messages } of rows)
        steps.set(at, { ...(steps.get(at) ?? { at, ...NOTHING }), [what]: messages });
      return [...steps.values()];
    },

    async campaignLatency(campaign) {
      const rows = await sql<LatencyRow>('latencies').all(campaign);
      const of = (wanted: string) => histogram(rows.filter(({ what }) => what === wanted));
      return { send: of('send'), delivery: of('delivery') };
    },
  };
}

type LatencyRow = { what: string; bucket: number } & Count;

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
