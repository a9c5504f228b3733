import { resolve } from 'node:path';
import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import type { LoadedJob } from '../jobs/load-job.ts';
import type { JobEdit, LaunchPart } from '../planning/plan-warning.ts';

/*
 * A recurring job with `contacts: reread` reads its files itself, so an edit needs no launch: the next firing follows it.
 * Only its name, its kind and its times are fixed by the launch.
 */

/** The files that a person plans or launches. */
export interface EditedFiles {
  loaded: LoadedJob;
  /** The path of the contacts. */
  contacts: string;
}

/** True: the open campaign is a recurring job that reads these very files anew. */
export function readsAnew({ state, settings }: Campaign, { loaded, contacts }: EditedFiles): boolean {
  const reread = settings.every?.reread;
  if (reread === undefined || state !== 'scheduled') return false;
  if (resolve(loaded.file) !== reread.job) return false;
  const given = resolve(contacts);
  return reread.contacts === null ? given === loaded.contactsPath : given === reread.contacts;
}

/** What the edit changes. Throws like `refuseOther`. */
export function editOf(campaign: Campaign, files: EditedFiles, changed: LaunchPart[]): JobEdit {
  const { loaded } = files;
  refuseOther(loaded, campaign);
  const { id, startAt: at, startDeadlineMs, settings } = campaign;
  const keepsDeadline = loaded.job.startDeadlineMs !== startDeadlineMs;
  return { campaign: id, changed, at, zone: settings.zone, keepsDeadline };
}

/** Refuses a job file that is no longer that of the recurring job: its name, its kind, or its times. */
export function refuseOther({ job, file, placeOf }: LoadedJob, { id, name, kind, settings }: Campaign): void {
  const keys: [key: string, isSame: boolean][] = [
    ['name', job.name === name],
    ['kind', job.kind === kind],
    ['every', job.every?.cron === settings.every?.cron],
  ];
  const [other] = keys.find(([, isSame]) => !isSame) ?? [];
  if (other === undefined) return;
  throw new TumaError('job_invalid', {
    message: `\`${other}\` of ${file} is not that of the launch.`,
    advice: { action: 'cancel_and_launch', campaign: id },
    where: placeOf(other),
  });
}
