import type { Connection } from '../../connection.ts';
import { CLAIM_TTL_MS, GRACE_MS, LEASE_MS } from '../../../domain/protocol-times.ts';
import type { LastReading, LedgerReader, Reading } from '../../contracts/reader.ts';
import type { RegisteredWorker } from '../../contracts/records.ts';
import { loadStatements } from '../../statements.ts';

type WebhookCounts = Awaited<ReturnType<LedgerReader['webhookCounts']>>;
type Purge = Awaited<ReturnType<LedgerReader['purges']>>[number];

/** Reads what campaigns share: the account's readings, the workers, the webhooks, losses and purges. */
export function accountReads(database: Connection) {
  const sql = loadStatements(database, new URL('./account.sql', import.meta.url));
  return {
    accounts: async () => (await sql<{ account: string }>('accounts').all()).map(({ account }) => account),

    async readings(account, { from, to }) {
      const rows = await sql<Reading & { isQuiet: number }>('readings').all(account, from, to);
      return rows.map(({ isQuiet, ...row }) => ({ ...row, quiet: isQuiet === 1 }));
    },

    lastReading: async (account) => (await sql<LastReading>('last_reading').get(account)) ?? null,
    purges: async () => await sql<Purge>('purges').all(),
    lastReportAt: async () => (await sql<{ at: number }>('last_report').get())?.at ?? null,
    webhookCounts: async () => (await sql('webhook_counts').get()) as unknown as WebhookCounts,

    async aliveWorkers(since) {
      const rows = await sql<RegisteredWorker & { illSince: number | null; nextTryAt: number | null }>(
        'alive_workers',
      ).all(since);
      return rows.map(({ illSince, nextTryAt, ...worker }) => {
        const outage = illSince === null || nextTryAt === null ? null : { since: illSince, nextTryAt };
        return { ...worker, outage };
      });
    },

    async acceptedLoss(draft) {
      const accepted = await sql<{ at: number }>('accepted_loss').get();
      if (accepted === undefined) return null;
      const found = await sql<{ people: number; known: number }>('people_of_draft').get(draft);
      return { acceptedAt: accepted.at, people: 0, known: 0, ...found };
    },
  } satisfies Partial<LedgerReader>;
}

/** The steps of `sharedWith`: the other campaigns of an account, and whether one had messages in flight in a span. */
export function sharingReads(database: Connection) {
  const sql = loadStatements(database, new URL('./account.sql', import.meta.url));
  return {
    neighbours: async ({ campaign, to }: { campaign: number; to: number }) =>
      await sql<{ n: number; id: string }>('neighbours').all(campaign, to),

    async inFlightBetween({ campaign, from, to }: { campaign: number; from: number; to: number }) {
      const most = LEASE_MS + GRACE_MS;
      return (await sql('in_flight_between').get(campaign, from, to, CLAIM_TTL_MS, most)) !== undefined;
    },
  };
}
