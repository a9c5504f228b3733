import {
  lookForPurge,
  purge,
  purgeAge,
  type PurgeLook,
  rewriteLedger,
} from '../../../campaign/maintenance/purge.ts';
import { TumaError } from '../../../domain/errors.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { counted, whole } from '../../../domain/money.ts';
import { ledgerOfOld } from '../../launch/begun-ledger.ts';
import type { CommandModule } from '../../command.ts';
import { confirmYes } from '../../terminal/confirm.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { shownTime } from '../../text/shown-time.ts';

/** `tuma purge --older-than 180d` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .requiredOption('--older-than <age>', 'how old, as 180d')
      .option('--yes', 'do not ask: what is removed is gone'),
  async run(context, { flags }) {
    const { output, clock, config } = context;
    const { reportWaitMs } = config;
    const before =
      clock.now() - purgeAge(String(flags['olderThan']), { reportWaitMs, where: '--older-than' });
    const ledger = await ledgerOfOld(context);
    const look = await lookForPurge(await context.reader(), before);
    await confirmRemoval(context, look, flags['yes'] === true);
    const purged = await purge({
      ledger,
      campaigns: look.campaigns.map(({ campaign }) => campaign.n),
      before,
      now: clock.now(),
      by: context.actor,
      onCampaign: (done) => output.progress(`${done} of ${look.campaigns.length} campaigns`),
    });
    output.progress('Writing the ledger anew');
    const rewritten = await rewriteLedger(ledger, context);
    const document = { before: isoTime(before), ...purged, rewritten };
    output.result(document, () => resultText(document));
    return EXIT.done;
  },
};

async function confirmRemoval(
  context: Context,
  { campaigns, messages, uncertain: open, before }: PurgeLook,
  yes: boolean,
): Promise<void> {
  const { output, signal } = context;
  output.note(
    `Numbers, keys and fields of ${counted(messages, 'message')} in ${counted(campaigns.length, 'settled campaign')} will be removed,
and raw webhooks, numbers in reports and replies from before ${shownTime(context, before)}. Counts, costs and reports stay.`,
  );
  if (open > 0)
    output.note(
      `${whole(open)} of the messages are uncertain; they can then only be called sent or written off.`,
    );
  const agreed = await confirmYes({
    output,
    signal,
    yes,
    question: 'It cannot be undone. Remove them?',
    hint: 'Add --yes to purge without a terminal.',
  });
  if (!agreed) throw new TumaError('declined', { message: 'Nothing was removed.' });
}

type Result = Awaited<ReturnType<typeof purge>> & { rewritten: boolean };

function resultText({ campaigns, messages, left, webhooks, reports, replies, rewritten }: Result): string {
  const lines = [
    `Removed from ${counted(messages, 'message')} in ${counted(campaigns, 'campaign')}, ${counted(webhooks, 'raw webhook')}, ` +
      `${counted(reports, 'report')} and ${counted(replies, 'reply')}.`,
  ];
  if (left > 0)
    lines.push(`${counted(left, 'campaign')} left as before, because messages there wait to be sent again.`);
  if (!rewritten) {
    lines.push(
      'Traces may be left in unused space of the ledger: stop tuma serve and run the same command again to write it anew.',
    );
  }
  return lines.join('\n');
}
