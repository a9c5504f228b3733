import { TumaError } from '../../domain/errors.ts';
import { printable } from '../../domain/text/printable.ts';
import type { BalanceResult } from '../../provider/provider.ts';

/** Node's error codes for a certificate or a protocol that does not fit. */
const TLS = /^(?:ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER))/;

/** Why the balance is not known, for a person: `credentials`, `provider_unreachable` or `provider_answer`. */
export function balanceError(answer: Exclude<BalanceResult, { outcome: 'balance' }>): TumaError {
  const words = printable(answer.words);
  if (answer.outcome === 'refused' && answer.refusal === 'credentials')
    return new TumaError('credentials', {
      message: `The messaging service refused the credentials: ${words}`,
      hint: 'Check TUMA_API_KEY and TUMA_API_SECRET (portal, client account section); `tuma doctor` shows where they come from.',
    });
  if (answer.httpStatus === null)
    return new TumaError('provider_unreachable', {
      message: `The messaging service did not answer: ${words}`,
      hint: TLS.test(words)
        ? 'Check TUMA_MESSAGING_URL: is it https where http is meant, or another host than its certificate names?'
        : 'Check TUMA_MESSAGING_URL and the network.',
      where: 'TUMA_MESSAGING_URL',
    });
  const status = `HTTP ${answer.httpStatus}`;
  return new TumaError('provider_answer', {
    message: `The messaging service's answer holds no readable balance: ${words.includes(status) ? words : `${status}, ${words}`}`,
    hint: 'Check TUMA_MESSAGING_URL; if the service uses other words than documented, name them in a profile (TUMA_PROFILE).',
    where: 'TUMA_MESSAGING_URL',
  });
}
