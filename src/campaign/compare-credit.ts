import { LATE_CHARGE_MS, LEAST_DIFFERENCE, leastCredit } from '../domain/credit-floor.ts';
import type { MoneyMicro } from '../domain/money.ts';
import type { CreditReader, Doubtful, LastReading } from '../ledger/recovery.ts';
import type { BalanceResult } from '../provider/provider.ts';
import type { Env } from './env.ts';
import type { ConfiguredPrices } from './price-book.ts';

/** The credit is lower than the ledger explains, and messages wait that an older ledger would send again. */
export interface CreditShortfall extends LastReading {
  account: string;
  /** When the messaging service was asked, and what it said. */
  startedAt: number;
  nowMicro: MoneyMicro;
  /** The least that it would be if nobody else spent. */
  leastMicro: MoneyMicro;
  /** The number of the account's latest reading: with another one there is something to compare anew. */
  latest: number | null;
  waiting: Doubtful[];
}

/** There is something to compare, and the credit cannot be read. */
export interface UnreadCredit {
  unread: Extract<BalanceResult, { outcome: 'unknown' }>;
}

/** What the comparison reads. */
export interface CreditComparison {
  clock: Env['clock'];
  reader: CreditReader;
  /** Only asked for when there is something to compare. */
  provider: () => Promise<Pick<Env['provider'], 'balance'>>;
  /** `TUMA_PRICE`. */
  prices: ConfiguredPrices;
}

/**
 * Compares the account's credit with what the ledger explains (D9): credit now >= the last reading - everything that may have
 * been charged since, at the dearest (domain/credit-floor.ts). Null: it is explained, nothing waits, or the service refuses to tell
 * it; `unknown`: no price is known. The ledger is asked after the credit, so that what other processes charge meanwhile is explained.
 */
export async function compareCredit(
  asked: CreditComparison,
): Promise<CreditShortfall | UnreadCredit | 'unknown' | null> {
  const { clock, reader, provider } = asked;
  const startedAt = clock.now();
  const open = await reader.doubtful(startedAt);
  if (open.length === 0) return null;
  const answer = await (await provider()).balance();
  if (answer.outcome === 'unknown') return (await everRead(reader, open)) ? { unread: answer } : null;
  if (answer.outcome !== 'balance') return null;
  const { clientId: account, creditMicro: nowMicro } = answer;
  const waiting = open.filter((campaign) => campaign.account === account);
  if (waiting.length === 0) return null;
  const latest = await reader.latestReading(account);
  const question = { account, before: startedAt, lateChargeMs: LATE_CHARGE_MS };
  const last = await reader.lastReading(question);
  if (last === null) return null;
  const leastMicro = leastOf(last, asked.prices);
  if (leastMicro === 'unknown') return nowMicro < last.creditMicro - last.knownMicro ? 'unknown' : null;
  if (leastMicro - nowMicro < LEAST_DIFFERENCE) return null;
  return { ...last, account, startedAt, nowMicro, leastMicro, latest, waiting };
}

/** Whether there is a reading of these campaigns' accounts that the credit is held against. */
export async function everRead(reader: CreditReader, open: Doubtful[]): Promise<boolean> {
  for (const account of new Set(open.map((campaign) => campaign.account)))
    if ((await reader.latestReading(account)) !== null) return true;
  return false;
}

function leastOf(last: LastReading, configured: ConfiguredPrices): MoneyMicro | 'unknown' {
  const dearest = Math.max(last.dearestMicro ?? 0, ...(configured ?? []));
  return leastCredit({ ...last, dearestMicro: dearest === 0 ? null : dearest });
}
