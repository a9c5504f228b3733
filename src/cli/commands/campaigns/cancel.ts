import type { Campaign } from '../../../domain/campaign.ts';
import { cancelCampaign } from '../../../campaign/operator/orders.ts';
import { restCommands } from '../../text/advice-text.ts';
import type { CampaignOverview, LedgerReader } from '../../../ledger/contracts/reader.ts';
import { counted, whole } from '../../../domain/money.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { waitForInFlight } from '../../launch/wait-for-in-flight.ts';
import { confirmOrder } from '../../terminal/confirm.ts';
import { type OrderNow, orderFor, partOf } from '../../terminal/order.ts';
import { peopleWords, personOf, stopPerson } from '../../launch/stop-person.ts';

/** `tuma cancel CAMPAIGN [--mobile N / --line N / --key K] [--occurrence D] [--yes]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .argument('<campaign>', 'id, unique prefix of one, or name')
      .option('--mobile <number>', 'only what goes to this number')
      .option('--line <n>', 'only the person of this line of the contacts file')
      .option(
        '--key <key>',
        'only what has this key, as export shows it; of a series also one reminder: "A-17 (-2h)"',
      )
      .option('--occurrence <date>', 'of this person only the reminder about this date (yyyy-mm-dd)')
      .option('--yes', 'ask no question'),
  async run(context, call) {
    const order = await orderFor(context, call.args[0] ?? '');
    const person = personOf(context, call);
    if (person !== null) return stopPerson(context, { order, person, yes: call.flags['yes'] === true });
    await confirmCancel(context, order, call.flags['yes'] === true);
    const { changed } = await cancelCampaign(order);
    const reader = await context.reader();
    const overview = await waitForInFlight(context, await reader.overview(order.campaign.n));
    // A message that comes back unsent during the cancel is canceled, too.
    const canceled = overview.messages.canceled - order.messages.canceled;
    const campaign = partOf(overview);
    const recurs = order.campaign.settings.every !== undefined;
    const ends = recurs ? 'it fires no more' : `${counted(canceled, 'message')} will not be sent`;
    const firings = await openFirings(reader, order.campaign);
    context.output.result({ campaign, changed, canceled, ...(recurs ? { firings } : {}) }, () =>
      changed ? `${campaign.name} is canceled: ${ends}.` : `${campaign.name} is canceled already.`,
    );
    for (const { id, name, state } of firings)
      context.output.note(`${name} was fired before and is still ${state}: tuma cancel ${id}`);
    if (changed && canceled > 0 && !recurs) {
      // The job of a firing, launched again, would recur.
      const launch =
        (await reader.agenda(order.campaign.n)).firedBy !== null ? 'launch a job without `every`' : 'launch';
      context.output.note(`To send to them after all: ${restCommands(order.campaign.id, launch)}.`);
    }
    noteOnTheWire(context, overview);
    return EXIT.done;
  },
};

/** Asks with the name and the number of people, unless nothing can be canceled, which is said without a question. */
async function confirmCancel(context: Context, order: OrderNow, yes: boolean): Promise<void> {
  const { campaign, state } = order;
  if (yes || state === 'canceled' || state === 'finished') return;
  const people = await (await context.reader()).peopleLeft(campaign.n);
  const recurs = campaign.settings.every !== undefined;
  const effect = recurs ? 'It fires no more' : 'It stops for good';
  await confirmOrder(context, {
    question: `Cancel ${campaign.name} (${campaign.id})? ${effect}, and ${peopleWords(people)} will not get it.`,
    hint: `Add --yes: ${peopleWords(people)} would not get ${campaign.name}.`,
  });
}

/** Messages stay in flight without an answer within a minute, or when their worker ended elsewhere. */
function noteOnTheWire(
  { output }: Context,
  { campaign: { id }, messages: { sending } }: CampaignOverview,
): void {
  if (sending === 0) return;
  output.note(
    `${whole(sending)} may be sent yet, or not: a file of the others lacks them until \`tuma status ${id}\` shows none in flight.`,
  );
}

/** The firings that go on though their recurring job is canceled: each is a campaign of its own. */
async function openFirings(reader: LedgerReader, { n }: Campaign) {
  const { schedule } = await reader.agenda(n);
  const found = await Promise.all((schedule?.open ?? []).map((id) => reader.find(id)));
  return Promise.all(found.flat().map(async (campaign) => partOf(await reader.overview(campaign.n))));
}
