import { changeEach, type Connection } from '../../connection.ts';
import { FREE_TO_BELIEVE } from '../../../domain/money.ts';
import type { AccountTotals, KnownPrice, NewReading, RecordedReading } from '../../contracts/records.ts';
import { loadStatements } from '../../statements.ts';

/** Accounts (contracts/ledger.ts): totals, readings of the credit and the money that they release, known prices. */
export function accountOperations(database: Connection) {
  const sql = loadStatements(database, new URL('./accounts.sql', import.meta.url));
  type Totals = Omit<AccountTotals, 'at'>;
  const totalsOf = async (account: string | null) => await sql<Totals>('totals').all(account);

  return {
    async beginReading(account: string, now: number): Promise<AccountTotals> {
      await sql('add_account').run(account);
      const [totals] = (await totalsOf(account)) as [Totals];
      return { ...totals, at: now };
    },

    beginReadings: async (now: number): Promise<AccountTotals[]> =>
      (await totalsOf(null)).map((totals) => ({ ...totals, at: now })),

    async recordReading({ account, begun, at, creditMicro }: NewReading): Promise<RecordedReading> {
      const [now] = (await totalsOf(account)) as [Totals];
      const quiet = begun.inFlight === 0 && now.inFlight === 0 && begun.claims === now.claims;
      const known = begun.spentMicro - begun.assumedMicro;
      await sql('add_reading').run(account, at, creditMicro, known, quiet ? 1 : 0);
      type Reserved = { campaign: number; seq: number; reserved: number };
      const held = await sql<Reserved>('reserved_messages').all(account, begun.at);
      await changeEach(sql('release_reservation'), held, ({ campaign, seq }) => [campaign, seq]);
      const released = held.reduce((sum, { reserved }) => sum + reserved, 0);
      if (released > 0) await sql('post_release').run(account, released);
      return { releasedMicro: released, moved: now.assumedMicro !== begun.assumedMicro };
    },

    knownPrices: async (account: string | null) =>
      await sql<KnownPrice>('known_prices').all(account, FREE_TO_BELIEVE),
  };
}
