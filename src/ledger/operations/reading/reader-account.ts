import type { Connection } from '../../connection.ts';
import { CLAIM_TTL_MS, GRACE_MS, LEASE_MS } from '../../../domain/protocol-times.ts';
import type { PurgeReader } from '../../contracts/purge.ts';
import type { LastReading, LedgerReader, Reading } from '../../contracts/reader.ts';
import type { LivingWorker, RegisteredWorker } from '../../contracts/records.ts';
import { loadStatements } from '../../statements.ts';

interface InFlight {
  campaign: number;
  from: number;
  to: number;
}

interface LivingRow extends RegisteredWorker {
  illSince: number | null;
  nextTryAt: number | null;
}

/** Reads data that campaigns share: the account's readings, other senders, the workers, the webhooks. */
export function accountReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-account.sql', import.meta.url));
  return {
    async readings(account: string, { from, to }: { from: number; to: number }): Promise<Reading[]> {
      const rows = (await sql('readings').all(account, from, to)) as unknown as (Omit<Reading, 'quiet'> & {
        quiet: number;
      })[];
      return rows.map((row) => ({ ...row, quiet: row.quiet === 1 }));
    },

    lastReading: async (account: string): Promise<LastReading | null> => {
      const row = (await sql('last_reading').get(account)) as unknown as LastReading | undefined;
      return row === undefined ? null : { ...row };
    },

    /** Campaigns whose personal data is removed. */
    purges: async () => (await sql('purges').all()) as unknown as Awaited<ReturnType<PurgeReader['purges']>>,

    neighbours: async ({ campaign, to }: { campaign: number; to: number }) =>
      (await sql('neighbours').all(campaign, to)) as unknown as { n: number; id: string }[],

    async inFlightBetween({ campaign, from, to }: InFlight): Promise<boolean> {
      const most = LEASE_MS + GRACE_MS;
      const found = await sql('in_flight_between').get(campaign, from, to, CLAIM_TTL_MS, most);
      return (found as { found: number }).found === 1;
    },

    lastReportAt: async (): Promise<number | null> =>
      ((await sql('last_report').get()) as { at: number } | undefined)?.at ?? null,
    aliveWorkers: async (since: number): Promise<LivingWorker[]> =>
      ((await sql('alive_workers').all(since)) as unknown as LivingRow[]).map(
        ({ illSince, nextTryAt, ...worker }) => {
          const outage = illSince === null || nextTryAt === null ? null : { since: illSince, nextTryAt };
          return { ...worker, outage };
        },
      ),

    webhookCounts: async () => ({ ...(await sql('webhook_counts').get()) }) as unknown as WebhookCounts,
  };
}

type WebhookCounts = Awaited<ReturnType<LedgerReader['webhookCounts']>>;
