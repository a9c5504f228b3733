import { TumaError } from '../../domain/errors.ts';
import { formatMoney } from '../../domain/money.ts';
import { printable } from '../../domain/printable.ts';
import type { BalanceResult } from '../../provider/provider.ts';
import { grouped } from '../../reports/report-words.ts';
import type { CommandModule } from '../commands.ts';
import { EXIT } from '../exit.ts';

/** `tuma balance` */
export const command: CommandModule = {
  declare: () => {},
  async run(context) {
    const answer = await (await context.provider()).balance();
    if (answer.outcome !== 'balance') throw balanceError(answer);
    const credit = formatMoney(answer.creditMicro);
    const { currency } = context.config;
    context.output.result(
      { credit, currency, account: answer.clientId },
      () => `${currency} ${grouped(credit)}  (account ${printable(answer.clientId)})`,
    );
    return EXIT.done;
  },
};

/** Why the balance is not known, for a person. The provider's words are shown as they came. */
export function balanceError(answer: Exclude<BalanceResult, { outcome: 'balance' }>): TumaError {
  const words = printable(answer.words);
  if (answer.outcome === 'refused' && answer.refusal === 'credentials') {
    return new TumaError('credentials', {
      message: `The messaging service refused the credentials: ${words}`,
      hint: 'Check TUMA_API_KEY and TUMA_API_SECRET; `tuma doctor` shows where they come from.',
    });
  }
  if (answer.httpStatus === null) {
    return new TumaError('provider_unreachable', {
      message: `The messaging service did not answer: ${words}`,
      hint: 'Check TUMA_MESSAGING_URL and the network.',
      where: 'TUMA_MESSAGING_URL',
    });
  }
  return new TumaError('provider_answer', {
    message: `The messaging service answered ${answer.httpStatus}: ${words}`,
    hint: 'Check TUMA_MESSAGING_URL, and the profile if the service is not the one documented.',
  });
}
