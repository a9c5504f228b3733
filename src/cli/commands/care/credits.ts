import { formatMoney, grouped } from '../../../domain/money.ts';
import { accountError } from '../../../runtime/account-error.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';

/** `tuma credits`: the provider's document lacks the answer's form, so the raw answer is shown, too. */
export const command: CommandModule = {
  declare: () => {},
  async run(context) {
    const { output } = context;
    const answer = await (await context.accountApi()).credits();
    if (answer.outcome !== 'credits') throw accountError(answer);
    // The account's own telephone may be among it.
    const credits = answer.amountMicro === null ? null : formatMoney(answer.amountMicro);
    const raw = output.words(answer.raw);
    output.result({ credits, raw }, () => {
      const first = credits === null ? 'no amount that can be read' : grouped(credits);
      return `credits  ${first}\nanswer   ${raw}`;
    });
    return EXIT.done;
  },
};
