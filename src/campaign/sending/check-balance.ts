import type { PauseReason } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import { printable } from '../../domain/text/printable.ts';
import type { BalanceResult } from '../../provider/provider.ts';
import type { Env } from '../env.ts';

/** The result of a balance call. */
export type Funds =
  /**
   * The account's spent and reserved money together may reach `ceilingMicro`. `unsettled`: messages were in
   * flight or the totals changed, so the ceiling may soon be higher.
   */
  | { state: 'known'; ceilingMicro: MoneyMicro; creditMicro: MoneyMicro; unsettled: boolean }
  /** The account is another one, its credentials were refused, or it has no credit. */
  | { state: 'refused'; pause: PauseReason; words: string }
  /** Unknown credit is neither zero nor infinite, so nothing may start. */
  | { state: 'unknown'; words: string };

/**
 * Reads the account's credit (API document 4.2). The ledger's total is read before the call, so a charge
 * during the call counts twice rather than not at all. Ceiling = credit + spent before + the share of
 * uncertain messages, which the reading turns into spent.
 */
export async function checkBalance(
  env: Pick<Env, 'ledger' | 'provider' | 'clock'>,
  account: string,
): Promise<Funds> {
  const begun = await env.ledger.beginReading(account, env.clock.now());
  const answer = await env.provider.balance();
  switch (answer.outcome) {
    case 'balance':
      break;
    case 'refused':
      return refused(answer);
    case 'unknown':
      return { state: 'unknown', words: answer.words };
    default:
      return answer satisfies never;
  }
  if (answer.clientId !== account)
    return { state: 'refused', pause: 'credentials', words: 'these credentials belong to another account' };
  const { creditMicro } = answer;
  const at = env.clock.now();
  const { releasedMicro, moved } = await env.ledger.recordReading({ account, begun, at, creditMicro });
  return {
    state: 'known',
    ceilingMicro: creditMicro + begun.spentMicro + releasedMicro,
    creditMicro,
    unsettled: begun.inFlight > 0 || moved,
  };
}

/** A refusal for any other reason than credentials or credit leaves the credit unknown. */
function refused({ refusal, words }: Extract<BalanceResult, { outcome: 'refused' }>): Funds {
  if (refusal === 'credentials') return { state: 'refused', pause: 'credentials', words };
  return refusal === 'credit' ? { state: 'refused', pause: 'balance', words } : { state: 'unknown', words };
}

/** Tells a person why the balance is unknown: `credentials`, `provider_unreachable` or `provider_answer`. */
export function balanceError(answer: Exclude<BalanceResult, { outcome: 'balance' }>): TumaError {
  const words = printable(answer.words);
  if (answer.outcome === 'refused' && answer.refusal === 'credentials')
    return new TumaError('credentials', {
      message: `The messaging service refused the credentials: ${words}`,
      hint: 'Check TUMA_API_KEY and TUMA_API_SECRET (portal, client account section).',
      advice: { action: 'see_settings' },
    });
  if (answer.httpStatus === null)
    return new TumaError('provider_unreachable', {
      message: `The messaging service did not answer: ${words}`,
      hint: 'Check TUMA_MESSAGING_URL (its host, and http or https) and the network.',
      where: 'TUMA_MESSAGING_URL',
    });
  const status = `HTTP ${answer.httpStatus}`;
  return new TumaError('provider_answer', {
    message: `The messaging service's answer holds no readable balance: ${words.includes(status) ? words : `${status}, ${words}`}`,
    hint: 'Check TUMA_MESSAGING_URL; if the service uses other words than documented, name them in a profile (TUMA_PROFILE).',
    where: 'TUMA_MESSAGING_URL',
  });
}
