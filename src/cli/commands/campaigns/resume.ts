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
import { campaignPart, orderFor } from '../../terminal/order.ts';
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
    const campaign = await campaignPart(context, order.campaign.n);
    const budget = budgetMicro === null ? {} : { budget: formatMoney(budgetMicro) };
    const opensAt = campaign.state === 'running' ? closedUntil(context, order.campaign.settings) : null;
    const hours = opensAt === null ? {} : { goes_on_at: isoTime(opensAt) };
    context.output.result({ campaign, changed, ...budget, ...hours }, () => {
      const goes = goesWords(context, { order, state: campaign.state, opensAt });
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

/** What the resumed campaign does. A recurring job fires at once. */
function goesWords(
  context: Context,
  { order, state, opensAt }: { order: Subject; state: string; opensAt: number | null },
): string {
  if (state === 'running') return `goes on${later(context, opensAt)}`;
  const { every, zone } = order.campaign.settings;
  const cron = every === undefined || order.state !== 'paused' ? null : parseCron(every.cron);
  if (cron === null || state !== 'scheduled') return `is ${state}`;
  const now = context.clock.now();
  const next = nextFiring(cron, zone, now);
  return `reads its files again and fires now${next === null ? '' : `; next ${momentWords(next, { zone, now })}`}`;
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
