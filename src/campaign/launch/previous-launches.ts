import { restWay } from '../operator/cancel.ts';
import { differences, type Earlier, findEarlier } from './launch.ts';
import type { PlannedJob } from '../planning/plan-job.ts';
import { checkMissing } from '../planning/upload.ts';
import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { totalOf } from '../../domain/message.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/reader.ts';
import { whole } from '../../domain/money.ts';
import type { LaunchEnv } from './launch-settings.ts';

/* Launches of the very same files. No guard holds between them, so a person has to be told how far each came. */

/** How far a launch came. */
type Before = Pick<CampaignOverview, 'campaign' | 'messages'>;

const MOST_NAMED = 3;

/**
 * What a launch of these files is, and the launches of them before it, newest first with their counts. Throws `campaign_changed`
 * beside an open campaign of other files.
 */
export async function lookBack(
  { reader }: Pick<LaunchEnv, 'reader'>,
  ledger: Pick<Ledger, 'latestNamed'>,
  identity: { name: string; hashes: CampaignHashes },
): Promise<{ earlier: Earlier; before: CampaignOverview[] }> {
  const found = await findEarlier({ ledger }, identity);
  // An open one of these files goes on whatever came before it, and looking at those counts every message of theirs.
  const before = found.launch === 'continue' ? [] : await launchesOf(await reader(), identity);
  return { earlier: latestOfSame(found, before), before };
}

async function launchesOf(
  reader: Pick<LedgerReader, 'find' | 'overview'>,
  { name, hashes }: { name: string; hashes: CampaignHashes },
): Promise<CampaignOverview[]> {
  const same = (await launchesOfSameFiles(reader, hashes)).filter((campaign) => campaign.name === name);
  return Promise.all(same.map(async ({ n }) => reader.overview(n)));
}

/** All campaigns of the very same files: launches of one job, and its firings. */
export async function launchesOfSameFiles(
  reader: Pick<LedgerReader, 'find'>,
  hashes: CampaignHashes,
): Promise<Campaign[]> {
  // The empty prefix fits every id, and no messages of other files are counted.
  const all = await reader.find('');
  return all.filter((campaign) => differences(campaign.hashes, hashes).length === 0);
}

/**
 * What a launch is after others of its name: the rest of a canceled one, or other contacts, make the same files no new ones.
 * Reminders of them are: whom any campaign of the name reminded is found by each row.
 */
export function latestOfSame(earlier: Earlier, before: readonly CampaignOverview[]): Earlier {
  const [latest] = before;
  if (earlier.launch !== 'new' || latest === undefined) return earlier;
  const { campaign, state } = latest;
  if (campaign.settings.remind !== undefined) return earlier;
  if (state === 'canceled') return { launch: 'canceled', campaign };
  return { launch: state === 'finished' ? 'settled' : 'continue', campaign };
}

/** What a plan says where a launch of these files would not send all of what it shows: they were launched before, or it would be refused. */
export async function launchedWarnings(...asked: Parameters<typeof lookBack>): Promise<string[]> {
  return unlessRefused(async () => {
    const { earlier, before } = await lookBack(...asked);
    return earlierWarnings(earlier, before);
  });
}

/** What a plan says of corrected contacts that a launch does not take as they are. */
export async function correctionWarnings({ reminders, rejects }: PlannedJob): Promise<string[]> {
  const upload = reminders?.upload ?? null;
  if (upload === null) return [];
  return unlessRefused(() => {
    checkMissing(upload.changes, { rejects, allowed: false });
    return [];
  });
}

async function unlessRefused(warnings: () => string[] | Promise<string[]>): Promise<string[]> {
  try {
    return await warnings();
  } catch (error) {
    if (error instanceof TumaError) return [refusedWords(error)];
    throw error;
  }
}

function earlierWarnings(earlier: Earlier, before: readonly CampaignOverview[]): string[] {
  if (earlier.launch === 'new') return sentBeforeWarnings(before);
  const { launch, campaign } = earlier;
  if (launch === 'canceled') return [refusedWords(canceledBefore(campaign, before))];
  return {
    continue: [`these files are ${campaign.id}, which is open: a launch goes on with it`],
    settled: [`these files were sent as ${campaign.id}: a launch shows its report; --again sends them anew`],
    // The plan shows what it corrects.
    upload: [],
  }[launch];
}

function refusedWords({ message, hint }: TumaError): string {
  return `a launch is refused: ${message.replace(/\.$/, '')}. ${hint}`;
}

/** What a plan says of those who had it by earlier launches. A reminder that went out is past and never goes again. */
export function sentBeforeWarnings(before: readonly Before[]): string[] {
  const by = before
    .filter((launch) => launch.campaign.settings.remind === undefined && mayBeSent(launch) > 0)
    .map(
      (launch) =>
        `${whole(mayBeSent(launch))} of these were sent, or may have been, by ${launch.campaign.id}`,
    );
  const named = by.slice(0, MOST_NAMED).map((words) => `${words}: they get it again`);
  return by.length > MOST_NAMED ? [...named, `and so for ${by.length - MOST_NAMED} launches before`] : named;
}

/** Of files that were canceled: a launch would be what somebody stopped, so only `--again` begins it anew. */
export function canceledBefore({ id }: { id: string }, before: readonly Before[]): TumaError {
  const canceled = before.find(({ campaign }) => campaign.id === id);
  // What its firings sent is theirs.
  if (canceled?.campaign.settings.every !== undefined)
    return new TumaError('state_forbids', {
      message: `These files were launched as ${id}, a recurring job that was canceled: it fires no more.`,
      hint: '--again launches them anew.',
      where: id,
    });
  const reached = canceled === undefined ? 0 : mayBeSent(canceled);
  if (canceled !== undefined && reached > 0) return canceledInTheMiddle(id, canceled);
  const earlier = sentBeforeWarnings(before).map((words) => ` ${words}.`);
  return new TumaError('state_forbids', {
    message: `These files were launched as ${id}, which was canceled before anything was sent.`,
    hint: `--again launches them anew.${earlier.join('')}`,
    where: id,
  });
}

function canceledInTheMiddle(id: string, canceled: Before): TumaError {
  const { queued, canceled: stopped } = canceled.messages;
  const others = `The others: ${restWay({ id })}. `;
  return new TumaError('state_forbids', {
    message: `These files were launched as ${id}, which was canceled after ${sentWords(canceled)}.`,
    hint: `${queued + stopped > 0 ? others : ''}--again ${againWords(canceled)}.`,
    where: id,
  });
}

/** The moment of a reminder that went out is past, so that one goes to nobody again. */
function againWords(canceled: Before): string {
  if (canceled.campaign.settings.remind !== undefined)
    return 'plans them anew, but for those whose moment is past';
  return `sends all ${whole(totalOf(canceled))}, those ${whole(mayBeSent(canceled))} too`;
}

/** How far a launch came, such as `26 of 60 were sent, and 1 may have been`. */
export function sentWords(launch: Before): string {
  const { sent } = launch.messages;
  const perhaps = mayBeSent(launch) - sent;
  const uncertain = perhaps > 0 ? `, and ${whole(perhaps)} may have been` : '';
  return `${whole(sent)} of ${whole(totalOf(launch))} were sent${uncertain}`;
}

/** How many went out, or may have. Uncertain ones that were written off count: nobody knows that they were not sent. */
function mayBeSent({ messages: { sent, sending, uncertain } }: Before): number {
  return sent + sending + uncertain;
}
