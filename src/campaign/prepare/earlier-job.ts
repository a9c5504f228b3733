import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { TumaError } from '../../domain/errors.ts';
import { type JobKeys, keysOf } from '../jobs/job-text.ts';
import { loadJob } from '../jobs/load-job.ts';
import { campaignWithId } from '../operator/campaign-with-id.ts';
import { jobOf } from './preparation-row.ts';
import type { PrepareEnv } from './prepare-env.ts';

/** What a preparation begins with: an earlier campaign by its id, or a job file by its path in the folder of jobs. */
export type Earlier = { campaign: string } | { file: string };

/** The job files that one can begin from. A file that cannot be read is none. */
export async function jobFiles({
  jobs,
}: Pick<PrepareEnv, 'jobs'>): Promise<{ file: string; name: string }[]> {
  if (jobs === null) return [];
  const files = (await readdir(jobs).catch(() => [])).filter((file) => /\.ya?ml$/.test(file));
  const loaded = await Promise.all(
    files.toSorted().map((file) =>
      loadJob(join(jobs, file)).then(
        ({ job }) => ({ file, name: job.name }),
        () => null,
      ),
    ),
  );
  return loaded.filter((each) => each !== null);
}

/** Its keys, and all names of those who wrote them. Throws `not_found`, and what is wrong with a job file. */
export async function earlierJob(
  env: Pick<PrepareEnv, 'jobs' | 'reader'>,
  from: Earlier,
): Promise<{ job: Partial<JobKeys>; editors: string[] }> {
  if ('file' in from) return { job: await keysOfFile(env, from.file), editors: [] };
  const reader = await env.reader();
  const prepared = await reader.preparationOf(from.campaign);
  if (prepared !== null) return { job: jobOf(prepared), editors: prepared.editors };
  const campaign = await campaignWithId(reader, from.campaign);
  const { name, kind, sender, template: message, settings } = campaign;
  const language = settings.language === undefined ? {} : { language: settings.language };
  return { job: { name, kind, sender, message, ...language }, editors: [] };
}

async function keysOfFile({ jobs }: Pick<PrepareEnv, 'jobs'>, file: string): Promise<Partial<JobKeys>> {
  const inside = normalize(file);
  if (jobs === null || isAbsolute(inside) || inside.startsWith('..'))
    throw new TumaError('not_found', { message: 'There is no such job file.' });
  const { template } = await loadJob(join(jobs, inside));
  return { ...keysOf(await readFile(join(jobs, inside), 'utf8')), message: template.source };
}
