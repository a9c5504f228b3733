import type { DatabaseSync } from 'node:sqlite';
import type { Span } from './reader-campaigns.ts';
import { loadStatements } from '../../statements.ts';

/** Send and delivery latencies of a page of sent messages, milliseconds, in no order. */
export interface LatencyPage {
  send: Uint32Array;
  delivery: Uint32Array;
}

const LONGEST_LATENCY_MS = 2 ** 32 - 1;

/** Reads every latency exactly, a page of messages at a time: the counters know them only by bucket. */
export function latencyReads(database: DatabaseSync) {
  let latencies = { send: [] as number[], delivery: [] as number[] };
  database.aggregate('latencies', {
    start: () => 0,
    step(_: number, send, delivery) {
      if (send !== null) latencies.send.push(clamp(Number(send)));
      if (delivery !== null) latencies.delivery.push(clamp(Number(delivery)));
      return 0;
    },
  });
  const sql = loadStatements(database, new URL('./reader-latencies.sql', import.meta.url));
  return {
    async latencies({ campaign, firstSeq, lastSeq }: Span): Promise<LatencyPage> {
      latencies = { send: [], delivery: [] };
      await sql('latencies').get(campaign, firstSeq, lastSeq);
      return { send: Uint32Array.from(latencies.send), delivery: Uint32Array.from(latencies.delivery) };
    },
  };
}

function clamp(ms: number): number {
  return Math.min(Math.max(0, ms), LONGEST_LATENCY_MS);
}
