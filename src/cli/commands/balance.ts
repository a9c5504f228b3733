import { balanceError } from '../../campaign/balance-error.ts';
import { formatMoney, type MoneyMicro } from '../../domain/money.ts';
import { grouped } from '../../reports/report-words.ts';
import { ledgerOfOld } from '../begun-ledger.ts';
import type { CommandModule } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';

/** `tuma balance` */
export const command: CommandModule = {
  declare(command) {
    command.option(
      '--accept',
      'others spend from the account: a worker that was refused for a lower credit goes on from this one',
    );
  },
  async run(context, { flags }) {
    const startedAt = context.clock.now();
    const answer = await (await context.provider()).balance();
    if (answer.outcome !== 'balance') throw balanceError(answer);
    if (flags['accept'] === true) await accept(context, { ...answer, startedAt });
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

async function accept(
  context: Context,
  { clientId: account, creditMicro, startedAt }: Accepting,
): Promise<void> {
  const ledger = await ledgerOfOld(context);
  const now = context.clock.now();
  await ledger.acceptCredit({ account, startedAt, creditMicro, now, by: 'operator' });
  context.output.note('Accepted: what was spent of the account until now is not asked about again.');
}

interface Accepting {
  clientId: string;
  creditMicro: MoneyMicro;
  startedAt: number;
}
