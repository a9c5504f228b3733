import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { countsOf } from '../../../src/campaign/launch/launch.ts';
import { loadJob } from '../../../src/campaign/jobs/load-job.ts';
import { hashesOf } from '../../../src/campaign/planning/job-contacts.ts';
import { planJob } from '../../../src/campaign/planning/plan-job.ts';
import { applyUpload, openUpload } from '../../../src/campaign/planning/upload.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { ACCOUNT, type Engine } from './engine.ts';

const START_DEADLINE_MS = 2 * 3_600_000;

/** Launches or corrects a reminder job as the command line does, and answers its campaign. */
export async function launchReminders(
  engine: Engine,
  files: { job: string; csv: string },
): Promise<Campaign> {
  const folder = makeTempDir();
  writeFileSync(join(folder, 'job.yaml'), files.job);
  writeFileSync(join(folder, 'due.csv'), files.csv);
  const { ledger, clock } = engine;
  const loaded = await loadJob(join(folder, 'job.yaml'));
  const path = join(folder, 'due.csv');
  const contacts = { path, file: path };
  const hashes = await hashesOf(loaded, contacts);
  const open = await openUpload({ ledger, reader: async () => engine.reader }, loaded, hashes);
  const planned = await planJob(
    { ledger, clock, random: Math.random },
    {
      loaded,
      contacts,
      hashes,
      sender: 'DUKA',
      rejectsPlace: { path: join(folder, 'rejects.csv'), ifTaken: 'number' },
      gsmSafe: false,
      countries: ['KE'],
      zone: 'Africa/Nairobi',
      currency: 'KES',
      optOutText: '',
      optOuts: null,
      earlier: ledger,
      upload: open,
    },
  );
  if (open !== null)
    return applyUpload(
      { ledger, clock },
      {
        campaign: open.campaign.n,
        contacts: open.campaign.hashes.contacts,
        since: (await ledger.facts()).audited,
        draft: planned.draft.n,
        counts: countsOf(planned.tally),
        account: ACCOUNT,
        estimatedMicro: null,
        actor: 'operator',
        preparation: null,
      },
    );
  await ledger.arrangeReminders(planned.draft.n, clock.now());
  await ledger.beginReading(ACCOUNT, clock.now());
  const activation = {
    since: null,
    campaign: planned.draft.n,
    account: ACCOUNT,
    budgetMicro: null,
    estimatedMicro: null,
    startAt: null,
    startDeadlineMs: START_DEADLINE_MS,
    counts: countsOf(planned.tally),
    now: clock.now(),
    by: 'operator',
  };
  expect(await ledger.activate(activation)).toEqual({ activated: true });
  return planned.draft;
}

/** A job that reminds a day before. */
export const JOB = (extra: string) =>
  `name: rent\nkind: transactional\nmessage: Hi <<name>>\nremind: { column: due, offset: -1d, at: "09:00" }\n${extra}`;

export interface Tenant {
  who: number;
  due: string;
}

/** The CSV of some tenants. */
export const csvOf = (tenants: Tenant[]) =>
  `phone,name,invoice,due\n${tenants.map(({ who, due }) => `${254_700_000_000 + who},T${who},i${who},${due}\n`).join('')}`;
