import type { Connection, Row } from '../../connection.ts';
import type { Span } from './reader-campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** Send and delivery latencies of a page of sent messages, milliseconds, in no order. */
export interface LatencyPage {
  send: Uint32Array;
  delivery: Uint32Array;
}

const LONGEST_LATENCY_MS = 2 ** 32 - 1;

/** Reads every latency exactly, a page of messages at a time: the counters know them only by bucket. */
export function latencyReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-latencies.sql', import.meta.url));
  return {
    async latencies({ campaign, firstSeq, lastSeq }: Span): Promise<LatencyPage> {
      const span = [campaign, firstSeq, lastSeq] as const;
      return {
        send: oneByOne(await sql('send').all(...span)),
        delivery: oneByOne(await sql('delivery').all(...span)),
      };
    },
  };
}

/** The latency of each message, from those of each length. */
function oneByOne(lengths: readonly Row[]): Uint32Array {
  const all = new Uint32Array(lengths.reduce((sum, { messages }) => sum + Number(messages), 0));
  let from = 0;
  for (const { ms, messages } of lengths) {
    const to = from + Number(messages);
    all.fill(Math.min(Math.max(0, Number(ms)), LONGEST_LATENCY_MS), from, to);
    from = to;
  }
  return all;
}
