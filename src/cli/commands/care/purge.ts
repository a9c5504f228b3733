import { oldCampaigns, purge } from '../../../campaign/maintenance/purge.ts';
import { formatDuration, parseDuration } from '../../../domain/time/time-words.ts';
import { TumaError } from '../../../domain/errors.ts';
import { totalOf } from '../../../domain/message.ts';
import type { CampaignOverview } from '../../../ledger/reader.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { counted, whole } from '../../../domain/money.ts';
import { ledgerOfOld } from '../../launch/begun-ledger.ts';
import type { CommandModule } from '../../command.ts';
import { confirmYes } from '../../terminal/confirm.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { shownTime } from '../../text/shown-time.ts';
import { workersAlive } from '../../../campaign/operator/living-workers.ts';

/** `tuma purge --older-than 180d` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .requiredOption('--older-than <age>', 'how old, as 180d')
      .option('--yes', 'do not ask: what is removed is gone'),
  async run(context, { flags }) {
    const { output, clock } = context;
    const before = clock.now() - ageOf(String(flags['olderThan']), context);
    const ledger = await ledgerOfOld(context);
    const found = await oldCampaigns(await context.reader(), before);
    await confirmRemoval(context, { found, before, yes: flags['yes'] === true });
    const purged = await purge({
      ledger,
      campaigns: found.map(({ campaign }) => campaign.n),
      before,
      now: clock.now(),
      by: context.actor,
      onCampaign: (done) => output.progress(`${done} of ${found.length} campaigns`),
    });
    const rewritten = await rewrite(context);
    const document = { before: isoTime(before), ...purged, rewritten };
    output.result(document, () => resultText(document));
    return EXIT.done;
  },
};

/** Younger than this, reports still come in and join uncertain messages by their number. */
function ageOf(flag: string, { config }: Context): number {
  const age = parseDuration(flag);
  if (age !== null && age >= config.reportWaitMs) return age;
  const least = formatDuration(config.reportWaitMs);
  throw new TumaError('usage', {
    message: age === null ? `"${flag}" is no age.` : `${flag} is too young: reports are waited for ${least}.`,
    hint: 'Give it in days, as 180d.',
    where: '--older-than',
  });
}

interface Removal {
  found: CampaignOverview[];
  before: number;
  yes: boolean;
}

async function confirmRemoval(context: Context, { found, before, yes }: Removal): Promise<void> {
  const { output, signal } = context;
  const messages = found.reduce((sum, overview) => sum + totalOf(overview), 0);
  const open = found.reduce(
    (sum, { messages: { uncertain, written_off } }) => sum + uncertain - written_off,
    0,
  );
  output.note(
    `Numbers, keys and fields of ${counted(messages, 'message')} in ${counted(found.length, 'settled campaign')} will be removed,
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

/** A worker could neither claim nor record meanwhile, so with one alive it is left for another time. */
async function rewrite(context: Context): Promise<boolean> {
  if ((await workersAlive(context)) > 0) return false;
  context.output.progress('Writing the ledger anew');
  return (await context.ledger()).rewrite();
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
