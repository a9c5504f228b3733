import { balanceError } from '../../../campaign/sending/check-balance.ts';
import { formatMoney, grouped } from '../../../domain/money.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';

/** `tuma balance` */
export const command: CommandModule = {
  declare: () => {},
  async run(context) {
    const answer = await (await context.provider()).balance();
    if (answer.outcome !== 'balance') throw balanceError(answer);
    const credit = formatMoney(answer.creditMicro);
    const { currency } = context.config;
    // It may be the account's own telephone.
    const account = context.output.words(answer.clientId);
    context.output.result(
      { credit, currency, account },
      () => `${currency} ${grouped(credit)}  (account ${account})`,
    );
    return EXIT.done;
  },
};
