import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { erasePerson } from '../campaign/maintenance/erase.ts';
import { oldCampaigns, purge, rewriteLedger } from '../campaign/maintenance/purge.ts';
import { campaignWithId } from '../campaign/operator/campaign-with-id.ts';
import { exportFile, exportsFolder, removeOldFiles } from '../campaign/tasks/task-files.ts';
import { ERASE_STEPS } from '../campaign/tasks/begin-removal.ts';
import type { EraseAsked, ExportAsked, PurgeAsked, TaskAsked, TaskResult } from '../campaign/tasks/task.ts';
import type { DoTask, WorkEnv } from '../campaign/tasks/work-task.ts';
import { LEAST_FREE_FOR_FILES_BYTES, lackOfRoom } from '../domain/errors.ts';
import { freeBytesOf } from '../ledger/sqlite/disk-space.ts';
import { exportContent, type ExportWish, refusePurged } from '../reports/export.ts';
import type { TaskProcessOrder } from './task-apart.ts';

/** What the kinds of long work need. */
type DoEnv = WorkEnv & Pick<TaskProcessOrder, 'sharedFolder' | 'zone' | 'reportWaitMs'>;
type Work = Parameters<DoTask>[1];

/** Does what a task asks. */
export function doTask(env: DoEnv, asked: TaskAsked, work: Work): Promise<TaskResult> {
  if (asked.kind === 'export') return writeExport(env, asked, work);
  return asked.kind === 'purge' ? purgeOld(env, asked, work) : eraseOne(env, asked, work);
}

/** A task that stopped goes on up to a day later: what was sent again meanwhile is not old any more, and is left. */
async function purgeOld(
  env: DoEnv,
  { campaigns: shown, before }: PurgeAsked,
  { by, done, signal }: Work,
): Promise<TaskResult> {
  const { ledger, clock, reader } = env;
  const old = new Set((await oldCampaigns(reader, before)).map(({ campaign }) => campaign.n));
  const campaigns = shown.filter((campaign) => old.has(campaign));
  const notOld = shown.length - campaigns.length;
  const onCampaign = (campaign: number) => {
    signal.throwIfAborted();
    done(notOld + campaign);
  };
  const { left, ...purged } = await purge({ ledger, campaigns, before, now: clock.now(), by, onCampaign });
  const rewritten = await rewriteLedger(ledger, sightOf(env));
  await removeOldFiles(env.sharedFolder, clock.now());
  return { kind: 'purge', ...purged, left: notOld + left, rewritten };
}

async function eraseOne(env: DoEnv, { mobile }: EraseAsked, { by, done, signal }: Work): Promise<TaskResult> {
  const { ledger, clock } = env;
  if (mobile === undefined) throw new Error('it has ended already');
  const percent = (part: number) => {
    signal.throwIfAborted();
    done(Math.floor(part * ERASE_STEPS));
  };
  const erased = await erasePerson({ ledger, mobile, now: clock.now(), by, done: percent });
  return { kind: 'erase', ...erased, rewritten: await rewriteLedger(ledger, sightOf(env)) };
}

function sightOf({ clock, processes, reader }: DoEnv) {
  return { clock, processes, reader: async () => reader };
}

/** Writes the file of an export. A try that breaks leaves none. */
async function writeExport(
  env: DoEnv,
  asked: ExportAsked,
  { id, attempt, signal, done }: Work,
): Promise<TaskResult> {
  const { format, as, campaign } = asked;
  const folder = await exportsFolder(env.sharedFolder);
  const file = exportFile(id, { attempt, format });
  const path = join(folder, file);
  let rows = 0;
  const wish = await wishOf(env, asked);
  const counted = (more: number) => {
    const lack = lackOfRoom(freeBytesOf(folder), LEAST_FREE_FOR_FILES_BYTES);
    if (lack !== null) throw lack;
    done((rows += more));
  };
  const pages = exportContent({ ...env, now: env.clock.now() }, wish, counted);
  const stream = createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });
  try {
    await pipeline(Readable.from(pages, { objectMode: false }), stream, { signal });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { kind: 'export', file, name: `${as}-${campaign}.${format}`, rows, bytes: stream.bytesWritten };
}

/** Throws `not_found`, and `state_forbids` where the contacts were removed meanwhile. */
async function wishOf({ reader }: DoEnv, { campaign: id, ...asked }: ExportAsked): Promise<ExportWish> {
  const campaign = await campaignWithId(reader, id);
  if (asked.as === 'contacts') await refusePurged(reader, campaign);
  return { ...asked, campaign };
}
