import { resolveUncertain } from '../../../campaign/operator/resolve.ts';
import type { Order } from '../../../campaign/operator/orders.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { Resolution } from '../../../ledger/contracts/records.ts';
import { counted, whole } from '../../../domain/money.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { lineArgument, mobileArgument } from '../../arguments/parse-argument.ts';
import { listEvidence, type Wanted } from '../../text/evidence-list.ts';
import { EXIT } from '../../exit.ts';
import { campaignPart, orderFor, noteOfReminders } from '../../terminal/order.ts';
import { noteWithoutWorker } from '../../doctor/workers-alive.ts';

const DONE: Record<Resolution['decision'], string> = {
  sent: 'called sent, cost unknown',
  not_sent: 'queued again',
  write_off: 'written off: still uncertain, no longer open',
};
/** Not all reminders are queued again: `noteOfReminders` says so. */
const REMINDERS_NOT_SENT = 'called not sent';

/** `tuma resolve CAMPAIGN --sent / --not-sent / --write-off [--line N / --mobile M] [--evidence]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option('--sent', 'they were sent; the cost stays unknown')
      .option('--not-sent', 'they were not sent; queue them again')
      .option('--write-off', 'leave them uncertain and close them')
      .option('--line <n>', 'only the message of this line of the contacts file')
      .option('--mobile <number>', 'only the message to this number')
      .option('--evidence', 'list the uncertain messages and what was seen of each'),
  async run(context, call) {
    const decision = decisionOf(call.flags);
    const [reference = ''] = call.args;
    const wanted = which(context, call);
    if (decision === null) {
      await listEvidence(context, reference, wanted);
      return EXIT.done;
    }
    const order = await orderFor(context, reference);
    await refuseSharedLine(context, order.campaign, wanted);
    const {
      resolved,
      tooYoung,
      named = 0,
    } = await resolveUncertain({
      ...order,
      decision,
      ...wanted,
      resolveAfterMs: context.config.resolveAfterMs,
    });
    const done = wordsOf(decision, order.campaign);
    const campaign = await campaignPart(context, order.campaign.n);
    context.output.result(
      { campaign, decision, resolved, too_young: tooYoung, named_by_reports: named },
      () =>
        resolved === 0
          ? `No ${named > 0 ? 'other ' : ''}message of ${campaign.name} is uncertain and open.`
          : `${counted(resolved, 'message')} of ${campaign.name} ${done}.`,
    );
    if (tooYoung > 0)
      context.output.note(`${whole(tooYoung)} are too young to be sent again; ask once more later.`);
    if (named > 0)
      context.output.note(
        `${whole(named)} left out: a delivery report names the number. Decide each by itself: --line N or --mobile M`,
      );
    if (decision === 'not_sent' && resolved > 0) {
      noteOfReminders(context, order.campaign);
      await noteWithoutWorker(context);
    }
    return EXIT.done;
  },
};

/** Corrected contacts have their own lines, so one line may mean several people. */
async function refuseSharedLine(
  context: Context,
  { n, id }: Order['campaign'],
  { line, mobile }: Wanted,
): Promise<void> {
  if (line === null || mobile !== null) return;
  const { total } = await (await context.reader()).uncertain({ campaign: n, limit: 1, line, mobile });
  if (total < 2) return;
  throw new TumaError('usage', {
    message: `${total} uncertain messages are of line ${line}, each of other contacts: the campaign was corrected. Nothing was decided.`,
    hint: `Add --mobile NUMBER; tuma resolve ${id} --evidence --line ${line} --show-numbers lists them.`,
    where: '--line',
  });
}

function wordsOf(decision: Resolution['decision'], { settings }: Order['campaign']): string {
  return decision === 'not_sent' && settings.remind !== undefined ? REMINDERS_NOT_SENT : DONE[decision];
}

function decisionOf(flags: Call['flags']): Resolution['decision'] | null {
  const asked = (['sent', 'not_sent', 'write_off'] as const).filter(
    (decision) => flags[{ sent: 'sent', not_sent: 'notSent', write_off: 'writeOff' }[decision]] === true,
  );
  if (asked.length === 1 && flags['evidence'] !== true) return asked[0] ?? null;
  if (asked.length === 0 && flags['evidence'] === true) return null;
  throw new TumaError('usage', {
    message: 'Give one of --sent, --not-sent, --write-off or --evidence.',
    hint: '--evidence lists what is known; --not-sent sends again, so be sure.',
  });
}

function which({ config }: Context, { flags }: Call): Wanted {
  return {
    line: lineArgument(flags['line']),
    mobile: typeof flags['mobile'] === 'string' ? mobileArgument(flags['mobile'], config, '--mobile') : null,
  };
}
