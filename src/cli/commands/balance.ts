import { balanceError } from '../../campaign/balance-error.ts';
import { formatMoney } from '../../domain/money.ts';
import { printable } from '../../domain/printable.ts';
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
