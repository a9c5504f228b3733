import { stat } from 'node:fs/promises';
import type { Campaign, Reread } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { strangersWords } from '../../domain/text/mask.ts';
import type { Firing } from '../../ledger/records.ts';
import type { Env } from '../env.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import { discardAfter, planJob, type PlannedJob, requireUsableRow } from '../planning/plan-job.ts';
import { countsOf, least } from './launch.ts';
import { clearDrafts, type LaunchFiles, readLaunchFiles } from './preview-launch.ts';

/* A recurring job with `contacts: reread`: each firing reads the job, its text and its contacts anew. */

/** The parts of the environment that a firing uses. */
export type AnewEnv = Pick<Env, 'ledger' | 'clock' | 'random' | 'log'> & {
  /** The folder of copies of contacts, inside the home. */
  copies: string;
  /** Aborted: planning stops and leaves no draft. */
  signal: AbortSignal;
};

/** Errors of the files, which a person must correct. Other errors are tried again. */
const OF_THE_FILES: ReadonlySet<string> = new Set([
  'not_found',
  'job_invalid',
  'template_invalid',
  'contacts_invalid',
  'no_usable_row',
  'file_unwritable',
]);

/** A file that changed so recently may still be written. */
const SETTLED_MS = 30_000;

/** A firing with its time, and the files to read. */
export interface FiringAnew extends Firing {
  fireAt: number;
  reread: Reread;
}

/** Makes a campaign of one firing; null: it is paused, or another process fired it. */
export type FireAnew = (
  schedule: Campaign,
  firing: FiringAnew,
  signal: AbortSignal,
) => Promise<Campaign | null>;

/**
 * Makes a campaign of the files as they are now. Wrong files pause the recurring job (`start`) with the reason, and
 * nothing is sent until a person resumes it. Null: it is paused, or another process fired it.
 */
export async function fireAnew(
  env: AnewEnv,
  schedule: Campaign,
  firing: FiringAnew,
): Promise<Campaign | null> {
  try {
    return await planAndFire(env, schedule, firing);
  } catch (error) {
    if (!(error instanceof TumaError) || !OF_THE_FILES.has(error.code)) throw error;
    if (await isFresh(error.where, env.clock.now())) throw error;
    const words = strangersWords(`${error.where ?? firing.reread.job}: ${error.message}`);
    const { nextAt, now } = firing;
    const held = await env.ledger.holdSchedule({ schedule: schedule.n, nextAt, words, now });
    if (held) env.log.error({ schedule: schedule.id, words }, 'a recurring job waits: its files are wrong');
    return null;
  }
}

async function planAndFire(env: AnewEnv, schedule: Campaign, firing: FiringAnew): Promise<Campaign | null> {
  const { reread } = firing;
  const place = { folder: env.copies, input: process.stdin };
  const files = await readLaunchFiles(reread.job, reread.contacts, place);
  await using contacts = files.contacts;
  refuseOther(files.loaded, schedule);
  await refuseFresh(contacts.path, env.clock.now());
  const planned = await planFiring(env, { ...files, schedule, firing });
  const { draft } = planned;
  try {
    await clearDrafts(env, draft);
    requireUsableRow(planned, contacts.path);
    const { budgetMicro } = files.loaded.job;
    const activation = activationOf(schedule, { planned, firing, budgetMicro });
    const { activated } = await env.ledger.activate(activation);
    if (activated) return await env.ledger.campaign(draft.n);
    await env.ledger.discardDraft(draft.n);
    return null;
  } catch (error) {
    await discardAfter(error, { ledger: env.ledger, draft });
    throw error;
  }
}

/** The firing is a campaign of its own name, which does not recur. The settings are those of the launch. */
function planFiring(
  env: AnewEnv,
  { loaded, contacts, hashes, schedule, firing }: LaunchFiles & { schedule: Campaign; firing: FiringAnew },
): Promise<PlannedJob> {
  const { zone, currency, optOutText, gsmSafe } = schedule.settings;
  const { ledger, signal } = env;
  const rejects = `${contacts.path.replace(/\.\w+$/, '')}.rejects.csv`;
  return planJob(env, {
    loaded: { ...loaded, job: { ...loaded.job, name: firing.name, every: null } },
    contacts,
    hashes,
    sender: loaded.job.sender ?? schedule.sender,
    rejectsPlace: { path: rejects, ifTaken: 'number' },
    gsmSafe,
    countries: firing.reread.countries,
    zone,
    currency,
    optOutText,
    optOuts: ledger,
    signal,
  });
}

function activationOf(
  schedule: Campaign,
  {
    planned,
    firing,
    budgetMicro,
  }: Pick<Campaign, 'budgetMicro'> & { planned: PlannedJob; firing: FiringAnew },
) {
  const { account, startDeadlineMs } = schedule;
  const { tally, draft } = planned;
  return {
    campaign: draft.n,
    account: account ?? '',
    budgetMicro: least(schedule.budgetMicro, budgetMicro),
    estimatedMicro: null,
    startAt: firing.fireAt,
    startDeadlineMs,
    counts: countsOf(tally),
    firing: { ...firing, segments: tally.segments.planned },
    now: firing.now,
    by: 'schedule',
  };
}

/** Half of a list that is being written would be sent as if it were whole. */
async function refuseFresh(path: string, now: number): Promise<void> {
  if (!(await isFresh(path, now))) return;
  throw new TumaError('contacts_invalid', {
    message: 'The contacts changed a moment ago and may still be written.',
    hint: 'They are read half a minute after their last change.',
    where: path,
  });
}

/** True for a file that changed a moment ago. `where` is a path, perhaps with a line. */
async function isFresh(where: string | null, now: number): Promise<boolean> {
  const found = await stat((where ?? '').replace(/(?::\d+)+$/, '')).catch(() => null);
  return found !== null && Math.abs(now - found.mtimeMs) < SETTLED_MS;
}

/** Refuses a job file that is no longer that of the schedule: its name, its kind, or its times. */
function refuseOther({ job, file, placeOf }: LoadedJob, { name, kind, settings }: Campaign): void {
  const keys: [key: string, isSame: boolean][] = [
    ['name', job.name === name],
    ['kind', job.kind === kind],
    ['every', job.every?.cron === settings.every?.cron],
  ];
  const [other] = keys.find(([, isSame]) => !isSame) ?? [];
  if (other === undefined) return;
  throw new TumaError('job_invalid', {
    message: `\`${other}\` of ${file} is not that of the launch.`,
    hint: 'Cancel the recurring job, and launch the file again.',
    where: placeOf(other),
  });
}
