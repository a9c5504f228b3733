import type { Campaign, Reread } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { strangersWords } from '../../domain/text/mask.ts';
import type { Firing } from '../../ledger/contracts/records.ts';
import type { Env } from '../env.ts';
import { discardAfter, planJob, type PlannedJob, requireUsableRow } from '../planning/plan-job.ts';
import { refuseOther } from './edited-job.ts';
import { countsOf, least } from './launch.ts';
import { clearDrafts, type LaunchFiles, readLaunchFiles } from './preview-launch.ts';
import { type FilesLook, lookAtFiles, type LookedFiles } from './still-files.ts';

/* A recurring job with `contacts: reread`: each firing reads the job, its text and its contacts anew. */

/** The parts of the environment that a firing uses. */
export type AnewEnv = Pick<Env, 'ledger' | 'clock' | 'random' | 'log'> & {
  /** The folder of copies of contacts, which goes with this process. */
  copies: string;
  /** As of RejectsPlace. */
  noteUnfinished?: (file: string) => () => void;
  /** Aborted: planning stops and leaves no draft. */
  signal: AbortSignal;
  /** Left out: the files themselves are looked at. */
  lookAtFiles?: (reread: Reread) => Promise<LookedFiles>;
};

/** Errors of the files, which a person must correct. Other errors are tried again. */
const OF_THE_FILES: ReadonlySet<string> = new Set([
  'not_found',
  'job_invalid',
  'template_invalid',
  'contacts_invalid',
  'no_usable_row',
  'file_unwritable',
  // Since it was launched, the rule of approval was turned on.
  'approval_needed',
]);

/** A firing with its time, and the files to read. */
export interface FiringAnew extends Firing {
  fireAt: number;
  reread: Reread;
  /** The first look at the files; null: there was none. */
  look: FilesLook | null;
}

/**
 * The end of one try. `look`: the files are not the same as at the first look, and this is the new one. A campaign
 * of null: the job is paused, or another process fired it.
 */
export type FiredAnew = { look: FilesLook } | { campaign: Campaign | null };

/** Makes a campaign of one firing. */
export type FireAnew = (schedule: Campaign, firing: FiringAnew, signal: AbortSignal) => Promise<FiredAnew>;

/**
 * Makes a campaign of the files, if they are the same as at the first look, half a minute ago. Wrong files pause the
 * recurring job (`start`) with the reason, and nothing is sent until a person resumes it.
 */
export async function fireAnew(env: AnewEnv, schedule: Campaign, firing: FiringAnew): Promise<FiredAnew> {
  const looked = await lookOf(env)(firing.reread);
  const { look } = looked;
  if (look !== firing.look) return { look };
  try {
    return await planAndFire(env, schedule, { ...firing, looked });
  } catch (error) {
    if (!(error instanceof TumaError) || !OF_THE_FILES.has(error.code)) throw error;
    const { look: now } = await lookOf(env)(firing.reread);
    return now === look ? holdSchedule(env, schedule, { firing, error }) : { look: now };
  }
}

function lookOf(env: AnewEnv): NonNullable<AnewEnv['lookAtFiles']> {
  return env.lookAtFiles ?? lookAtFiles;
}

/** The files are wrong and nobody is writing them, so a person must see to them. */
async function holdSchedule(
  env: AnewEnv,
  schedule: Campaign,
  { firing, error }: { firing: FiringAnew; error: TumaError },
): Promise<FiredAnew> {
  const words = strangersWords(`${error.where ?? firing.reread.job}: ${error.message}`);
  const { nextAt, now } = firing;
  const held = await env.ledger.holdSchedule({ schedule: schedule.n, nextAt, words, now });
  if (held) env.log.error({ schedule: schedule.id, words }, 'a recurring job waits: its files are wrong');
  return { campaign: null };
}

async function planAndFire(
  env: AnewEnv,
  schedule: Campaign,
  firing: FiringAnew & { looked: LookedFiles },
): Promise<FiredAnew> {
  const { reread, looked } = firing;
  const place = { folder: env.copies, input: process.stdin };
  const files = await readLaunchFiles(reread.job, reread.contacts, place);
  await using contacts = files.contacts;
  if (!areOf(files, looked)) return { look: (await lookOf(env)(reread)).look };
  refuseOther(files.loaded, schedule);
  const planned = await planFiring(env, { ...files, schedule, firing });
  const { draft } = planned;
  try {
    await clearDrafts(env, draft);
    requireUsableRow(planned, contacts.path);
    // A third look shows that what was planned is what was there at the second one.
    const { look } = await lookOf(env)(reread);
    if (look !== looked.look) {
      await env.ledger.discardDraft(draft.n);
      return { look };
    }
    const { budgetMicro } = files.loaded.job;
    const activation = activationOf(schedule, { planned, firing, budgetMicro });
    const { activated } = await env.ledger.activate(activation);
    if (activated) return { campaign: await env.ledger.campaign(draft.n) };
    await env.ledger.discardDraft(draft.n);
    return { campaign: null };
  } catch (error) {
    await discardAfter(error, { ledger: env.ledger, draft });
    throw error;
  }
}

/** True: these are the bytes of the second look, and not what somebody wrote after it. */
function areOf({ loaded, contacts, hashes }: LaunchFiles, { contents }: LookedFiles): boolean {
  const read =
    contacts.file === contacts.path ? [...loaded.read, [contacts.path, hashes.contacts]] : loaded.read;
  return read.every(([path = '', sha256]) => contents.get(path) === sha256);
}

/** The firing is a campaign of its own name, which does not recur. The settings are those of the launch. */
function planFiring(
  env: AnewEnv,
  { loaded, contacts, hashes, schedule, firing }: LaunchFiles & { schedule: Campaign; firing: FiringAnew },
): Promise<PlannedJob> {
  const { zone, currency, optOutText, gsmSafe } = schedule.settings;
  const { ledger, signal, noteUnfinished } = env;
  const rejects = `${contacts.path.replace(/\.\w+$/, '')}.rejects.csv`;
  return planJob(env, {
    loaded: { ...loaded, job: { ...loaded.job, name: firing.name, every: null } },
    contacts,
    hashes,
    sender: loaded.job.sender ?? schedule.sender,
    rejectsPlace: { path: rejects, ifTaken: 'number', ...(noteUnfinished && { noteUnfinished }) },
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
