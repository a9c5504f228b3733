import { changeEach, type Connection } from '../../connection.ts';
import { FREE_TO_BELIEVE } from '../../../domain/money.ts';
import type { AccountTotals, KnownPrice, NewReading, RecordedReading } from '../../contracts/records.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder } from '../../in-order.ts';

/** Balance readings, the money that they release, and the learned prices. */

interface Totals {
  spent: number;
  assumed: number;
  reserved: number;
  in_flight: number;
  claims: number;
}

interface Context {
  sql: Sql;
}

/** Accounts (ledger.ts): totals, readings of the credit, known prices. */
export function moneyOperations(database: Connection) {
  const context = { sql: loadStatements(database, new URL('./money.sql', import.meta.url)) };
  return {
    beginReading: (account: string, now: number) => beginReading(context, account, now),
    beginReadings: (now: number) => beginReadings(context, now),
    recordReading: (reading: NewReading) => recordReading(context, reading),
    knownPrices: (account: string | null) => knownPrices(context, account),
  };
}

async function beginReading({ sql }: Context, account: string, now: number): Promise<AccountTotals> {
  await sql('add_account').run(account);
  const { spent, assumed, reserved, in_flight: inFlight, claims } = await totalsOf(sql, account);
  const money = { spentMicro: spent + assumed, assumedMicro: assumed, reservedMicro: reserved };
  return { account, at: now, ...money, inFlight, claims };
}

async function beginReadings(context: Context, now: number): Promise<AccountTotals[]> {
  const accounts = (await context.sql('accounts').all()) as { account: string }[];
  return await mapInOrder(accounts, ({ account }) => beginReading(context, account, now));
}

async function recordReading({ sql }: Context, reading: NewReading): Promise<RecordedReading> {
  const { account, begun, at, creditMicro } = reading;
  const now = await totalsOf(sql, account);
  const quiet = begun.inFlight === 0 && now.in_flight === 0 && begun.claims === now.claims;
  const known = begun.spentMicro - begun.assumedMicro;
  await sql('add_reading').run(account, begun.at, at, creditMicro, known, quiet ? 1 : 0);
  const held = (await sql('reserved_messages').all(account, begun.at)) as {
    campaign: number;
    seq: number;
    reserved: number;
  }[];
  await changeEach(
    sql('release_reservation'),
    held.map(({ campaign, seq }) => [campaign, seq]),
  );
  const released = held.reduce((sum, { reserved }) => sum + reserved, 0);
  if (released > 0) await sql('post_release').run(account, released);
  return { releasedMicro: released, moved: now.assumed !== begun.assumedMicro };
}

async function knownPrices({ sql }: Context, account: string | null): Promise<KnownPrice[]> {
  const rows = (await sql('known_prices').all(account, FREE_TO_BELIEVE)) as {
    network: string;
    segments: number;
    cost: number;
  }[];
  return rows.map(({ network, segments, cost }) => ({ network, segments, costMicro: cost }));
}

async function totalsOf(sql: Context['sql'], account: string): Promise<Totals> {
  return (await sql('account_totals').get(account)) as unknown as Totals;
}
