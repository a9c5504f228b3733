import type { DatabaseSync } from 'node:sqlite';
import type { CreditQuestion, Doubtful, LastReading } from '../recovery.ts';
import { prepareStatements } from './statements.ts';

/** Between its claim and the end of its request no message is on the wire for as long as this. */
const MOST_ON_WIRE_MS = 3_600_000;

/** Reads what the account's credit is compared with when a worker begins (recovery.ts of the contract). */
export function creditReads(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./reader-credit.sql', import.meta.url), [
    'doubtful',
    'latest',
    'last_before',
    'prices',
    'charged',
    'uncertain',
    'decided',
  ]);

  function unknownSince({ account, since }: { account: string; since: number }) {
    const claimedSince = since - MOST_ON_WIRE_MS;
    const charged = sql.charged.get(account, since, claimedSince) as unknown as Charged;
    const uncertain = sql.uncertain.get(account, since) as unknown as Omit<Charged, 'known'>;
    const decided = sql.decided.get(account, since, claimedSince) as { segments: number };
    return {
      known: charged.known,
      segments: charged.segments + uncertain.segments + decided.segments,
      held: [charged.held, uncertain.held],
    };
  }

  return {
    doubtful: (now: number) => sql.doubtful.all(now) as unknown as Doubtful[],

    latestReading: (account: string) => (sql.latest.get(account) as { reading: number | null }).reading,

    lastReading({ account, before, lateChargeMs }: CreditQuestion): LastReading | null {
      const last = sql.last_before.get(account, before) as unknown as ReadingRow | undefined;
      if (last === undefined) return null;
      const { begunAt, spent, ...reading } = last;
      const { known, segments, held } = unknownSince({
        account,
        since: Math.min(begunAt, reading.at) - lateChargeMs,
      });
      const prices = sql.prices.get(account) as unknown as Prices;
      const dearest = Math.max(...held.map(Number), Number(prices.learned), Number(prices.launched));
      return {
        ...reading,
        // The sum that the account keeps does not ask for the clock, which may have been set back.
        knownMicro: Math.max(known, prices.spent - spent),
        unknownSegments: segments,
        dearestMicro: dearest === 0 ? null : Math.ceil(dearest),
      };
    },
  };
}

interface ReadingRow {
  begunAt: number;
  at: number;
  creditMicro: number;
  spent: number;
}

interface Charged {
  known: number;
  segments: number;
  held: number | null;
}

interface Prices {
  learned: number | null;
  launched: number | null;
  /** The account's known charges, ever. */
  spent: number;
}
