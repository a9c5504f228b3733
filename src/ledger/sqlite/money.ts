import type { DatabaseSync } from 'node:sqlite';
import { FREE_TO_BELIEVE } from '../../domain/money.ts';
import type { AccountTotals, KnownPrice, NewReading, RecordedReading } from '../records.ts';
import { type Sql, loadStatements } from './statements.ts';

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
export function moneyOperations(database: DatabaseSync) {
  const context = { sql: loadStatements(database, new URL('./money.sql', import.meta.url)) };
  return {
    beginReading: (begun: { account: string; now: number }) => beginReading(context, begun),
    beginReadings: (now: number) => beginReadings(context, now),
    recordReading: (reading: NewReading) => recordReading(context, reading),
    knownPrices: (account: string | null) => knownPrices(context, account),
  };
}

function beginReading({ sql }: Context, { account, now }: { account: string; now: number }): AccountTotals {
  sql('add_account').run(account);
  const { spent, assumed, reserved, in_flight: inFlight, claims } = totalsOf(sql, account);
  const money = { spentMicro: spent + assumed, assumedMicro: assumed, reservedMicro: reserved };
  return { account, at: now, ...money, inFlight, claims };
}

function beginReadings(context: Context, now: number): AccountTotals[] {
  const accounts = context.sql('accounts').all() as { account: string }[];
  return accounts.map(({ account }) => beginReading(context, { account, now }));
}

function recordReading({ sql }: Context, reading: NewReading): RecordedReading {
  const { account, begun, at, creditMicro } = reading;
  const now = totalsOf(sql, account);
  const quiet = begun.inFlight === 0 && now.in_flight === 0 && begun.claims === now.claims;
  const known = begun.spentMicro - begun.assumedMicro;
  sql('add_reading').run(account, begun.at, at, creditMicro, known, quiet ? 1 : 0);
  let released = 0;
  for (const row of sql('reserved_messages').all(account, begun.at)) {
    const { campaign, seq, reserved } = row as { campaign: number; seq: number; reserved: number };
    sql('release_reservation').run(campaign, seq);
    released += reserved;
  }
  if (released > 0) sql('post_release').run(account, released);
  return { releasedMicro: released, moved: now.assumed !== begun.assumedMicro };
}

function knownPrices({ sql }: Context, account: string | null): KnownPrice[] {
  const rows = sql('known_prices').all(account, FREE_TO_BELIEVE) as {
    network: string;
    segments: number;
    cost: number;
  }[];
  return rows.map(({ network, segments, cost }) => ({ network, segments, costMicro: cost }));
}

function totalsOf(sql: Context['sql'], account: string): Totals {
  return sql('account_totals').get(account) as unknown as Totals;
}
