import type { Campaign, CampaignHashes } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { UploadTally } from '../../domain/reminder-tally.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { LaunchedPreparation, UploadCounts } from '../../ledger/contracts/records.ts';
import type { Env } from '../env.ts';
import { isUpload } from '../launch/launch.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import type { PlannedJob } from './plan-job.ts';
import type { OpenUpload } from './plan-reminders.ts';

/** The largest share of the open reminders that an upload may cancel without a question. */
const MISSING_WITHOUT_ASKING = 0.1;
/** The longest wait for messages on the wire; the workers finish later uploads. */
export const WIRE_MS = 60_000;
const LOOK_MS = 200;

/** The open campaign that a plan of these files would correct; null: there is none. */
export async function openUpload(
  { ledger, reader }: { ledger: Ledger; reader: OpenUpload['reader'] },
  { job: { name } }: LoadedJob,
  hashes: CampaignHashes,
): Promise<OpenUpload | null> {
  const latest = await ledger.latestNamed(name);
  if (latest === null || latest.settled || !isUpload(latest.campaign, hashes)) return null;
  return { campaign: latest.campaign, ledger, reader };
}

/**
 * True: an upload omits so many open reminders that a person must say that it is right. Unusable rows count as omitted.
 * Throws `cancel_missing` where nobody can be asked.
 */
export function asksAboutMissing(
  upload: UploadTally,
  { rejects }: Pick<PlannedJob, 'rejects'>,
  decision: 'accept' | 'ask' | 'refuse',
): boolean {
  if (decision === 'accept' || upload.missing <= upload.open * MISSING_WITHOUT_ASKING) return false;
  if (decision === 'ask') return true;
  throw new TumaError('cancel_missing', {
    message: `These contacts leave out ${upload.missing} of ${upload.open} open reminders, which would be canceled.`,
    hint: rejects === null ? null : `Rows that cannot be used count as left out: ${rejects.path}.`,
    advice: { action: 'accept_missing' },
  });
}

/**
 * Lays a planned upload over its campaign. One commit accepts it, and nothing stops it after that. Throws
 * `campaign_changed` when another upload came first or the campaign ended. Throws `state_forbids` when it was
 * canceled after that commit.
 */
export async function applyUpload(
  env: Pick<Env, 'clock'> & { ledger: Ledger },
  given: {
    /** The number of the campaign, and the hash of the contacts that it has. */
    campaign: number;
    contacts: string;
    /** As of LaunchFacts: what was brought back since is not among those that the person knows. */
    since: number;
    draft: number;
    counts: UploadCounts;
    account: string;
    estimatedMicro: MoneyMicro | null;
    /** The person who uploads, for the audit. */
    actor: string;
    preparation: LaunchedPreparation | null;
  },
): Promise<Campaign> {
  const { draft, since, counts, account, estimatedMicro, actor, preparation } = given;
  const campaign = await env.ledger.campaign(given.campaign);
  if (campaign === null) throw new Error(`there is no campaign number ${given.campaign}`);
  if (campaign.account !== account)
    throw new TumaError('state_forbids', {
      message: `Campaign ${campaign.id} belongs to account ${campaign.account}; these credentials are of ${account}.`,
      hint: 'Set the credentials that it was launched with.',
      where: campaign.id,
    });
  const accepted = await env.ledger.beginUpload({
    draft,
    campaign: campaign.n,
    before: given.contacts,
    since,
    counts: rejectedOf(counts),
    estimatedMicro,
    preparation,
    now: env.clock.now(),
    by: actor,
  });
  if (!accepted) throw overtaken(campaign);
  await finishUploads(env);
  const corrected = (await env.ledger.campaign(campaign.n)) ?? campaign;
  if (corrected.state === 'canceled') throw stopped(corrected);
  return corrected;
}

function rejectedOf({ duplicate, invalid, suppressed }: UploadCounts) {
  return { duplicate, invalid, suppressed };
}

/** Finishes accepted uploads. After a minute of messages on the wire it leaves them to the workers. */
export async function finishUploads({
  ledger,
  clock,
}: Pick<Env, 'clock'> & { ledger: Pick<Ledger, 'applyUploads'> }): Promise<void> {
  const until = clock.monotonic() + WIRE_MS;
  while (!(await ledger.applyUploads(clock.now())) && clock.monotonic() < until) await clock.sleep(LOOK_MS);
}

function overtaken(campaign: Campaign): TumaError {
  return new TumaError('campaign_changed', {
    message: `Campaign ${campaign.id} (${campaign.name}) changed while the contacts were compared with it. Nothing was changed.`,
    hint: 'Launch the same again: it is compared anew.',
    where: campaign.id,
  });
}

function stopped(campaign: Campaign): TumaError {
  return new TumaError('state_forbids', {
    message: `Campaign ${campaign.id} (${campaign.name}) was canceled while these contacts were laid over it: nothing more of it is sent.`,
    advice: { action: 'send_rest', campaign: campaign.id },
    where: campaign.id,
  });
}
