import type { Campaign } from '../../domain/campaign.ts';
import { launchesOfSameFiles } from '../../campaign/launch/previous-launches.ts';
import { cancelCampaign, restWay } from '../../campaign/operator/orders.ts';
import { TumaError } from '../../domain/errors.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/reader.ts';
import { whole } from '../../domain/money.ts';
import type { CommandModule } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { waitForInFlight } from '../launch/wait-for-in-flight.ts';
import { type OrderNow, orderFor, partOf } from '../terminal/order.ts';
import { totalOf } from '../../domain/message.ts';

/** `tuma cancel CAMPAIGN` */
export const command: CommandModule = {
  declare: (command) => void command.argument('<campaign>', 'id, unique prefix of one, or name'),
  async run(context, { args }) {
    const order = await orderFor(context, args[0] ?? '');
    const { changed } = await cancelCampaign(order);
    const reader = await context.reader();
    const answered = await waitForInFlight(context, await reader.overview(order.campaign.n));
    const overview = await followingCorrections(context, { order, overview: answered });
    // What comes back unsent while a million are canceled is one of them, too.
    const canceled = overview.messages.canceled - order.messages.canceled;
    const campaign = partOf(overview);
    const recurs = order.campaign.settings.every !== undefined;
    const ends = recurs
      ? 'it fires no more'
      : `${whole(canceled)} ${canceled === 1 ? 'message' : 'messages'} will not be sent`;
    const firings = await openFirings(reader, order.campaign);
    context.output.result({ campaign, changed, canceled, ...(recurs ? { firings } : {}) }, () =>
      changed ? `${campaign.name} is canceled: ${ends}.` : `${campaign.name} is canceled already.`,
    );
    for (const { id, name, state } of firings)
      context.output.note(`${name} was fired before and is still ${state}: tuma cancel ${id}`);
    if (changed && canceled > 0 && !recurs) await noteOfRest(context, overview);
    noteOnTheWire(context, overview);
    return EXIT.done;
  },
};

/** Lays corrected contacts that were accepted before over it, because the file of the others follows them. */
async function followingCorrections(
  context: Context,
  { order, overview }: { order: OrderNow; overview: CampaignOverview },
): Promise<CampaignOverview> {
  const { clock, output } = context;
  const { campaign, ledger } = order;
  if (campaign.settings.remind === undefined) return overview;
  await ledger.applyUploads(clock.now()).catch((error: unknown) => {
    // The cancel stands: a failure would say that it does not.
    if (!(error instanceof TumaError)) throw error;
    output.note(`A file of the others lacks what the last corrected contacts changed: ${error.message}`);
  });
  return (await context.reader()).overview(campaign.n);
}

/** Says how to send after all to those whom a canceled campaign did not reach. */
async function noteOfRest(context: Context, overview: CampaignOverview): Promise<void> {
  context.output.note(`To send to them after all: ${await wayToRest(await context.reader(), overview)}.`);
}

/** Of a minute without an answer, or a worker that ended on another machine. */
function noteOnTheWire(
  { output }: Context,
  { campaign: { id }, messages: { sending } }: CampaignOverview,
): void {
  if (sending === 0) return;
  output.note(
    `${whole(sending)} may be sent yet, or not: a file of the others lacks them until \`tuma status ${id}\` shows none in flight.`,
  );
}

async function wayToRest(reader: LedgerReader, overview: CampaignOverview): Promise<string> {
  const { campaign, messages } = overview;
  if (await isFiring(reader, campaign)) return restWay(campaign, 'launch a job without `every`');
  // A file of all of them may be its contacts, byte for byte: refused without --again. Of reminders that would remind anew.
  const isWhole = messages.canceled === totalOf(overview) && campaign.settings.remind === undefined;
  return isWhole ? 'launch the same with --again' : restWay(campaign);
}

/** The firings that go on though their recurring job is canceled: each is a campaign of its own. */
export async function openFirings(reader: LedgerReader, { settings, hashes }: Campaign) {
  if (settings.every === undefined) return [];
  const same = await launchesOfSameFiles(reader, hashes);
  const firings = same.filter((campaign) => campaign.settings.every === undefined);
  const looks = await Promise.all(firings.map(async ({ n }) => reader.overview(n)));
  return looks.map(partOf).filter(({ state }) => state === 'running' || state === 'paused');
}

/** True for a firing: of the files of a recurring job, and none itself. Launching that job again makes it recur. */
export async function isFiring(
  reader: Pick<LedgerReader, 'find'>,
  { settings, hashes }: Campaign,
): Promise<boolean> {
  if (settings.every !== undefined) return false;
  const same = await launchesOfSameFiles(reader, hashes);
  return same.some((campaign) => campaign.settings.every !== undefined);
}
