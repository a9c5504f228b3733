import { retryRejected } from '../../../campaign/operator/orders.ts';
import { formatDuration } from '../../../domain/time/time-words.ts';
import { counted, whole } from '../../../domain/money.ts';
import type { LeftOut } from '../../../ledger/contracts/answers.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { campaignPart, orderFor, noteOfReminders } from '../../terminal/order.ts';
import { noteWithoutWorker } from '../../doctor/workers-alive.ts';

/** `tuma retry CAMPAIGN [--reason R]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option(
        '--reason <reason>',
        'those of this reason, as the report names it, whether a retry can help or not',
      ),
  async run(context, { args, flags }) {
    const { resolveAfterMs } = context.config;
    const order = await orderFor(context, args[0] ?? '');
    const reason = typeof flags['reason'] === 'string' ? flags['reason'] : null;
    const retried = await retryRejected({ ...order, reason, resolveAfterMs });
    const { n } = order.campaign;
    const campaign = await campaignPart(context, n);
    const answeredBefore = order.now - resolveAfterMs;
    const left = await (await context.reader()).leftOut({ campaign: n, reason, answeredBefore });
    const document = { campaign, retried, named_by_reports: left.named, too_young: left.tooYoung };
    context.output.result(document, () =>
      retried === 0
        ? `No ${left.named + left.tooYoung > 0 ? 'other ' : ''}rejected message of ${campaign.name} ${reason === null ? 'can be helped by a retry' : 'has that reason'}.`
        : `${counted(retried, 'message')} of ${campaign.name} queued again.`,
    );
    noteLeftOut(context, left);
    noteOfReminders(context, order.campaign);
    if (retried > 0) await noteWithoutWorker(context);
    return EXIT.done;
  },
};

function noteLeftOut({ output, config }: Context, { named, tooYoung }: LeftOut): void {
  if (named > 0)
    output.note(
      `${whole(named)} left out: a delivery report names the number, so the message may have been sent. See: tuma webhooks list`,
    );
  if (tooYoung > 0)
    output.note(
      `${whole(tooYoung)} left out: a mapping rejected them, and the answer is younger than ${formatDuration(config.resolveAfterMs)} (TUMA_RESOLVE_AFTER). Ask once more later.`,
    );
}
