import { differences, type Earlier, findEarlier, type LaunchIdentity } from './launch.ts';
import type { LaunchEnv } from './launch-settings.ts';
import type { PlannedJob } from '../planning/plan-job.ts';
import type { PlanWarning } from '../planning/plan-warning.ts';
import { asksAboutMissing } from '../planning/upload.ts';
import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { totalOf } from '../../domain/message.ts';
import { whole } from '../../domain/money.ts';
import { hoursOf, type Offset } from '../../domain/time/occurrence.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/contracts/reader.ts';

/* Earlier launches of the same files. No guard prevents a repeat, so a person sees their extent. */

/** A launch and its counts. */
type Before = Pick<CampaignOverview, 'campaign' | 'messages'>;

/**
 * Finds the meaning of a launch of these files, and their earlier launches, newest first with counts. Throws
 * `campaign_changed` beside an open campaign of other files.
 */
export async function lookBack(
  { reader }: Pick<LaunchEnv, 'reader'>,
  ledger: Pick<Ledger, 'latestNamed'>,
  identity: LaunchIdentity,
): Promise<{ earlier: Earlier; before: CampaignOverview[] }> {
  const found = await findEarlier({ ledger }, identity);
  // An open campaign continues despite earlier launches, and each overview counts all its messages.
  const before =
    found.launch === 'continue' || found.launch === 'edited'
      ? []
      : await launchesOf(await reader(), identity);
  return { earlier: latestOfSame(found, before), before };
}

async function launchesOf(
  reader: Pick<LedgerReader, 'find' | 'overview'>,
  { name, hashes }: { name: string; hashes: CampaignHashes },
): Promise<CampaignOverview[]> {
  const same = (await launchesOfSameFiles(reader, hashes)).filter((campaign) => campaign.name === name);
  return Promise.all(same.map(async ({ n }) => reader.overview(n)));
}

/** All campaigns of the same files: launches of one job, and its firings. */
async function launchesOfSameFiles(
  reader: Pick<LedgerReader, 'find'>,
  hashes: CampaignHashes,
): Promise<Campaign[]> {
  // The empty prefix fits every id.
  const all = await reader.find('');
  return all.filter((campaign) => differences(campaign.hashes, hashes).length === 0);
}

/**
 * The same files stay the same launch after other launches of their name. Reminders are an exception, because
 * the ledger finds reminded people by each row.
 */
export function latestOfSame(earlier: Earlier, before: readonly CampaignOverview[]): Earlier {
  const [latest] = before;
  if (earlier.launch !== 'new' || latest === undefined) return earlier;
  const { campaign, state } = latest;
  if (campaign.settings.remind !== undefined) return earlier;
  if (state === 'canceled') return { launch: 'canceled', campaign };
  return { launch: state === 'finished' ? 'settled' : 'continue', campaign };
}

/** Warns in a plan that these files were launched before, or that a launch would be refused. */
export async function launchedWarnings(...asked: Parameters<typeof lookBack>): Promise<PlanWarning[]> {
  return unlessRefused(async () => {
    const { earlier, before } = await lookBack(...asked);
    return earlierWarnings(earlier, before);
  });
}

/** Warns in a plan that a launch would refuse the corrected contacts, because reminders are missing. */
export async function correctionWarnings({ reminders, rejects }: PlannedJob): Promise<PlanWarning[]> {
  const upload = reminders?.upload ?? null;
  if (upload === null) return [];
  return unlessRefused(() => {
    asksAboutMissing(upload.changes, { rejects }, 'refuse');
    return [];
  });
}

async function unlessRefused(warnings: () => PlanWarning[] | Promise<PlanWarning[]>): Promise<PlanWarning[]> {
  try {
    return await warnings();
  } catch (error) {
    if (error instanceof TumaError) return [refusal(error)];
    throw error;
  }
}

function earlierWarnings(earlier: Earlier, before: readonly CampaignOverview[]): PlanWarning[] {
  if (earlier.launch === 'new') return sentBeforeWarnings(before);
  const { launch, campaign } = earlier;
  if (launch === 'canceled') return [refusal(canceledBefore(campaign, before))];
  if (launch === 'edited') return [{ code: 'reads_itself', facts: earlier.edit }];
  // The plan shows the corrections itself.
  if (launch === 'upload') return [];
  return [
    { code: launch === 'continue' ? 'open_already' : 'sent_already', facts: { campaign: campaign.id } },
  ];
}

function refusal({ code: error, message, hint, advice }: TumaError): PlanWarning {
  return { code: 'launch_refused', facts: { error, message, hint, advice } };
}

/** Tells how many people got these messages before, by the latest launch. No reminder is sent twice. */
export function sentBeforeWarnings(before: readonly Before[]): PlanWarning[] {
  const latest = before.find(
    (launch) => launch.campaign.settings.remind === undefined && mayBeSent(launch) > 0,
  );
  if (latest === undefined) return [];
  const { id: campaign } = latest.campaign;
  return [{ code: 'sent_before', facts: { campaign, messages: mayBeSent(latest) } }];
}

/** Refuses (`state_forbids`) files of a canceled launch, because only another launch of them begins them anew. */
export function canceledBefore({ id }: { id: string }, before: readonly Before[]): TumaError {
  const canceled = before.find(({ campaign }) => campaign.id === id);
  const isReached = canceled !== undefined && mayBeSent(canceled) > 0;
  return new TumaError('state_forbids', {
    message: `These files were launched as ${id}, which was canceled${isReached ? ` after ${sentWords(canceled)}` : ''}.`,
    advice: { action: 'launch_anew', campaign: isReached ? id : null },
    where: id,
  });
}

/** The extent of a launch in words, such as `26 of 60 were sent, and 1 may have been`. */
function sentWords(launch: Before): string {
  const { sent } = launch.messages;
  const perhaps = mayBeSent(launch) - sent;
  const uncertain = perhaps > 0 ? `, and ${whole(perhaps)} may have been` : '';
  return `${whole(sent)} of ${whole(totalOf(launch))} were sent${uncertain}`;
}

/** Counts messages that were sent or may have been, also uncertain ones that were written off. */
function mayBeSent({ messages: { sent, sending, uncertain } }: Before): number {
  return sent + sending + uncertain;
}

/** A mistaken repeat comes within a day; a newsletter goes to the same people next week. */
const SPAN_MS = 24 * 60 * 60_000;

/** Warns of another campaign with the same contacts in the last day [B4], or of other offsets of reminders. */
export async function sameContactsWarnings(
  { clock, settings }: Pick<LaunchEnv, 'clock' | 'settings'>,
  ledger: Pick<Ledger, 'latestOfContacts' | 'latestNamed'> | null,
  { draft, hashes }: { draft: Campaign; hashes: CampaignHashes },
): Promise<PlanWarning[]> {
  if (ledger === null) return [];
  if (draft.settings.remind !== undefined) return offsetsWarnings(ledger, draft);
  const other = await ledger.latestOfContacts(hashes, clock.now() - SPAN_MS);
  if (other === null) return [];
  const { id: campaign, name, activatedAt, createdAt } = other;
  const facts = { campaign, name, at: activatedAt ?? createdAt, zone: settings.zone };
  return [{ code: 'same_contacts', facts }];
}

/** True: one of two is a series, or both name one moment in days and in hours. */
function isOtherKind(was: Offset[] | undefined, is: Offset[] | undefined): boolean {
  if (was === undefined || is === undefined) return was !== is;
  return is.some((offset) => was.some((before) => before !== offset && hoursOf(before) === hoursOf(offset)));
}

/** A series has other identities than one offset, so a reminder of today would go again. */
async function offsetsWarnings(
  ledger: Pick<Ledger, 'latestNamed'>,
  { name, settings: { remind } }: Campaign,
): Promise<PlanWarning[]> {
  const earlier = (await ledger.latestNamed(name))?.campaign;
  const rule = earlier?.settings.remind;
  if (earlier === undefined || rule === undefined || !isOtherKind(rule.series, remind?.series)) return [];
  return [{ code: 'other_offset', facts: { campaign: earlier.id } }];
}
