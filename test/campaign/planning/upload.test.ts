import { expect, it } from 'vitest';
import {
  applyUpload,
  asksAboutMissing,
  finishUploads,
  openUpload,
} from '../../../src/campaign/planning/upload.ts';
import type { LoadedJob } from '../../../src/campaign/jobs/load-job.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import type { UploadTally } from '../../../src/domain/reminder-tally.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';

const HASHES = { job: 'j', template: 't', contacts: 'before' };
const campaign = {
  n: 3,
  id: 'k7',
  name: 'rent',
  account: 'acc',
  state: 'running',
  hashes: HASHES,
  settings: { remind: {} },
} as unknown as Campaign;

it.each([
  [0, 0, null],
  [10, 100, null],
  [11, 100, 'leave out 11 of 100'],
  [1, 9, 'leave out 1 of 9'],
  [1, 10, null],
])('contacts that leave out %i of %i open reminders: %s', (missing, open, refusal) => {
  const upload = { missing, open } as UploadTally;
  const asks = (decision: 'accept' | 'ask' | 'refuse') =>
    asksAboutMissing(upload, { rejects: null }, decision);
  expect([asks('accept'), asks('ask')]).toEqual([false, refusal !== null]);
  if (refusal === null) expect(asks('refuse')).toBe(false);
  else expect(() => asks('refuse')).toThrow(refusal);
});

const NEVER = () => Promise.reject(new Error('nobody reads'));

it('says where the rows are that cannot be used, for they are left out, too', () => {
  const upload = { missing: 2, open: 2 } as UploadTally;
  const check = () => asksAboutMissing(upload, { rejects: { path: './r.csv', rows: 2 } }, 'refuse');
  const hint = expect.stringContaining('count as left out: ./r.csv') as string;
  expect(check).toThrow(expect.objectContaining({ hint }));
});

it('corrects only what is open, of the same job and text', async () => {
  const loaded = { job: { name: 'rent' } } as LoadedJob;
  const found = async (latest: object | null, hashes: object = {}) => {
    const ledger = { latestNamed: async () => latest } as unknown as Ledger;
    return (
      (await openUpload({ ledger, reader: NEVER }, loaded, { ...HASHES, contacts: 'now', ...hashes }))
        ?.campaign.id ?? null
    );
  };
  expect(await found({ campaign, settled: false })).toBe('k7');
  expect(await found(null)).toBeNull();
  expect(await found({ campaign, settled: true })).toBeNull();
  expect(await found({ campaign, settled: false }, { job: 'x' })).toBeNull();
  expect(await found({ campaign, settled: false }, { template: 'x' })).toBeNull();
  expect(await found({ campaign: { ...campaign, state: 'canceled' }, settled: false })).toBeNull();
  expect(await found({ campaign: { ...campaign, settings: {} }, settled: false })).toBeNull();
});

it('is laid over by the account that launched it, once, and is finished before it is answered, if nobody canceled it', async () => {
  const done: string[] = [];
  let accepted = true;
  let state = 'running';
  let steps = 0;
  const ledger = {
    beginUpload: async ({ before }: { before: string }) => {
      done.push(`begin ${before}`);
      return accepted;
    },
    applyUploads: async () => {
      done.push('apply');
      steps += 1;
      return steps === 3;
    },
    campaign: async () => ({ ...campaign, state, name: 'as it is now' }),
  } as unknown as Ledger;
  let slept = 0;
  const clock = { now: () => 0, monotonic: () => slept, sleep: async (ms: number) => void (slept += ms) };
  const counts = { read: 1, planned: 1, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 };
  const given = {
    campaign: campaign.n,
    contacts: campaign.hashes.contacts,
    since: 0,
    draft: 9,
    counts,
    account: 'acc',
    estimatedMicro: null,
    actor: 'operator',
    preparation: null,
  };
  const env = { ledger, clock };
  await expect(applyUpload(env, { ...given, account: 'other' })).rejects.toThrow('belongs to account acc');
  expect(done).toEqual([]);
  expect(await applyUpload(env, given)).toMatchObject({ name: 'as it is now' });
  expect(done).toEqual(['begin before', 'apply', 'apply', 'apply']);
  state = 'canceled';
  steps = 2;
  await expect(applyUpload(env, given)).rejects.toMatchObject({
    code: 'state_forbids',
    advice: { action: 'send_rest', campaign: 'k7' },
  });
  accepted = false;
  await expect(applyUpload(env, given)).rejects.toMatchObject({ code: 'campaign_changed' });
  // Messages that stay on the wire for a minute are left to the workers.
  slept = 0;
  await finishUploads({ clock, ledger: { applyUploads: async () => false } });
  expect(slept).toBe(60_000);
});
