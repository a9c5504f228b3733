import type { Connection } from '../../connection.ts';
import { inSteps, type Span } from './reader-campaigns.ts';
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
  sql('latencies').setReturnArrays(true);
  return {
    async latencies(span: Span): Promise<LatencyPage> {
      const send: number[] = [];
      const delivery: number[] = [];
      for (const step of inSteps(span))
        for (const row of await sql('latencies').all(...step)) {
          const [sendMs, deliveryMs] = row as unknown as [number | null, number | null];
          if (sendMs !== null) send.push(clamp(sendMs));
          if (deliveryMs !== null) delivery.push(clamp(deliveryMs));
        }
      return { send: Uint32Array.from(send), delivery: Uint32Array.from(delivery) };
    },
  };
}

function clamp(ms: number): number {
  return Math.min(Math.max(0, ms), LONGEST_LATENCY_MS);
}
