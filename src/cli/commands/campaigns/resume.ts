import type { Subject } from '../../../campaign/operator/orders.ts';
import { resumeCampaign } from '../../../campaign/operator/resume.ts';
import type { CampaignSettings } from '../../../domain/campaign.ts';
import { formatMoney, grouped } from '../../../domain/money.ts';
import { nextFiring, parseCron } from '../../../domain/time/cron.ts';
import { sendingHours } from '../../../domain/time/window.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { momentWords } from '../../../domain/time/time-words.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { orderFor, partOf } from '../../terminal/order.ts';
import { amountFlag, senderFlag } from '../../arguments/parse-argument.ts';
import { noteWithoutWorker } from '../../doctor/workers-alive.ts';

/** `tuma resume CAMPAIGN [--sender NAME] [--budget AMOUNT]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option('--sender <name>', 'go on under another sender')
      .option('--budget <amount>', 'raise what it may cost in all, and go on'),
  async run(context, { args, flags }) {
    const order = await orderFor(context, args[0] ?? '');
    const { currency } = order.campaign.settings;
    const sender = senderFlag(flags['sender']);
    const budgetMicro = amountFlag(flags['budget'], { flag: '--budget', currency });
    const changed = await resumeCampaign({ ...order, sender, budgetMicro });
    const overview = await (await context.reader()).overview(order.campaign.n);
    const campaign = partOf(overview);
    const { startAt } = overview.campaign;
    const budget = budgetMicro === null ? {} : { budget: formatMoney(budgetMicro) };
    const opensAt = campaign.state === 'running' ? closedUntil(context, order.campaign.settings) : null;
    const hours = opensAt === null ? {} : { goes_on_at: isoTime(opensAt) };
    context.output.result({ campaign, changed, ...budget, ...hours }, () => {
      const goes = goesWords(context, { order, state: campaign.state, startAt, opensAt });
      const states = changed ? `${campaign.name} ${goes}` : `${campaign.name} is ${campaign.state} already`;
      return budgetMicro === null
        ? `${states}.`
        : `${states}; it may cost ${currency} ${grouped(formatMoney(budgetMicro))} in all.`;
    });
    if (budgetMicro !== null && campaign.reason === 'canary')
      context.output.note(
        `Its canary still holds the rest; tuma resume ${campaign.id} sends it all the same.`,
      );
    await noteWithoutWorker(context);
    return EXIT.done;
  },
};

/** A campaign before and after it was resumed. */
interface Resumed {
  order: Subject;
  state: string;
  /** Its start, or its next firing, in milliseconds. */
  startAt: number | null;
  opensAt: number | null;
}

/** What the resumed campaign does. A recurring job whose files were wrong fires at once. */
function goesWords(context: Context, resumed: Resumed): string {
  const { order, state, opensAt } = resumed;
  if (state === 'running') return `goes on${later(context, opensAt)}`;
  if (order.state !== 'paused') return `is ${state}`;
  if (state === 'paused')
    return `missed its start while it was paused, and sends nothing yet. To send it now: tuma resume ${order.campaign.id}`;
  return state === 'scheduled' ? nextWords(resumed, context.clock.now()) : `is ${state}`;
}

/** A campaign waits for its start again, and a recurring job for its next moment, or it fires at once. */
function nextWords({ order: { campaign }, startAt }: Resumed, now: number): string {
  const { every, zone } = campaign.settings;
  const when = (moment: number) => momentWords(moment, { zone, now });
  const cron = every === undefined ? null : parseCron(every.cron);
  if (cron === null) return startAt === null ? 'is scheduled' : `starts ${when(startAt)}`;
  if (campaign.reason !== 'operator') {
    const next = nextFiring(cron, zone, now);
    return `reads its files again and fires now${next === null ? '' : `; next ${when(next)}`}`;
  }
  if (startAt === null) return 'fires no more';
  return `fires next ${when(startAt)}; what was due while it was paused is missed`;
}

/** The start of its hours; null: they are open. Outside of them it pauses again and goes on by itself. */
function closedUntil({ clock }: Context, { window, zone }: CampaignSettings): number | null {
  const hours = sendingHours(window, zone, clock.now());
  return hours.open ? null : hours.opensAt;
}

function later({ clock, config }: Context, opensAt: number | null): string {
  if (opensAt === null) return '';
  return ` when its hours begin, ${momentWords(opensAt, { zone: config.zone, now: clock.now() })}`;
}
