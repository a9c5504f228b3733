import { TumaError } from './errors.ts';

/** Below this nothing new is planned or claimed, so that verdicts of messages in flight have room. */
export const LEAST_FREE_BYTES = 200 * 2 ** 20;

/** What the ledger's disk lacks; null: it has room enough. */
export function lackOfRoom(freeBytes: number, leastBytes: number = LEAST_FREE_BYTES): TumaError | null {
  if (freeBytes >= leastBytes) return null;
  return new TumaError('ledger_full', {
    message: `The disk that holds the ledger has ${Math.floor(freeBytes / 2 ** 20)} MB left.`,
    hint: `It goes on when ${Math.ceil(leastBytes / 2 ** 20)} MB are free.`,
  });
}
