import type { MoneyMicro } from '../domain/money.ts';
import type { CreditFloor } from '../ledger/recovery.ts';
import type { Env } from './env.ts';

/** The credit is lower than the ledger explains, and messages wait that an older ledger would send again. */
export interface CreditShortfall extends CreditFloor {
  account: string;
  /** What the messaging service says now. */
  nowMicro: MoneyMicro;
  missingMicro: MoneyMicro;
  waiting: { id: string; name: string }[];
}

/**
 * Compares the account's credit with what the ledger explains (D9). Null: it is explained, or nothing waits; `unknown`: it
 * could not be read, or there is nothing to compare it with. The ledger is asked after the credit, so that what other processes charge
 * meanwhile is explained.
 */
export async function compareCredit(
  env: Pick<Env, 'ledger' | 'clock'> & { provider: () => Promise<Pick<Env['provider'], 'balance'>> },
): Promise<CreditShortfall | 'unknown' | null> {
  const before = env.clock.now();
  const waiting = await env.ledger.doubtful(before);
  if (waiting.length === 0) return null;
  const answer = await (await env.provider()).balance();
  if (answer.outcome !== 'balance') return 'unknown';
  const { clientId: account, creditMicro: nowMicro } = answer;
  const floor = await env.ledger.creditFloor({ account, before });
  if (floor === null) return 'unknown';
  const missingMicro = floor.floorMicro - nowMicro;
  // Less than the cheapest message was charged for is no message.
  if (missingMicro < floor.leastMicro) return null;
  return { ...floor, account, nowMicro, missingMicro, waiting };
}
