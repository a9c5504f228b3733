import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirmLaunch, discardLaunch } from '../../../src/campaign/launch/confirm-launch.ts';
import type { LaunchEnv } from '../../../src/campaign/launch/launch-settings.ts';
import {
  type LaunchPreview,
  type LaunchRequest,
  previewLaunch,
  readLaunchFiles,
} from '../../../src/campaign/launch/preview-launch.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../../src/ledger/contracts/reader.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { LAUNCH_SETTINGS } from '../../support/launch-settings.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import { makeTempDir } from '../../support/temp-home.ts';

/* The two steps of a launch, as pages use them: nothing is asked by the first, and the second is one commit. */

const KES = 1_000_000;
const ACTOR = 'Asha';
let directory: string;
let ledger: Ledger;
let reader: LedgerReader;
let env: LaunchEnv;

const JOB =
  'name: promo\nkind: transactional\nsender: DUKA\nmessage: "Hi <<name>>"\ncontacts: ./c.csv\nwindow: always\n';

beforeEach(async () => {
  directory = makeTempDir();
  const ledgerFile = join(directory, 'ledger.db');
  ledger = await openLedgerHere(ledgerFile);
  reader = await openReaderHere(ledgerFile);
  writeFileSync(join(directory, 'job.yaml'), JOB);
  writeFileSync(join(directory, 'c.csv'), 'phone,name\n254700000001,Asha\n254700000002,Juma\n');
  env = {
    clock: systemClock,
    random: Math.random,
    ledger,
    reader: async () => reader,
    isWorkerAlive: async () => false,
    provider: {
      send: () => Promise.reject(new Error('a launch sends nothing')),
      balance: async () => ({ outcome: 'balance', creditMicro: 100 * KES, clientId: 'C-1' }),
      mapAnswers: () => undefined,
      close: async () => undefined,
    },
    settings: { ...LAUNCH_SETTINGS, prices: [0.8 * KES], ratePerSecond: 50, ledgerPlace: ledgerFile },
  };
});
afterEach(async () => {
  await reader.close();
  await ledger.close();
});

async function preview(changes: Partial<LaunchRequest> = {}): Promise<LaunchPreview> {
  return previewLaunch(env, {
    files: await readLaunchFiles(join(directory, 'job.yaml'), null, {
      folder: directory,
      input: process.stdin,
    }),
    rejectsPlace: () => ({ path: join(directory, 'rejects.csv'), ifTaken: 'refuse' }),
    newLedger: 'accept',
    cancelMissing: 'refuse',
    startAt: null,
    at: false,
    gsm: false,
    partial: false,
    again: false,
    maxCostMicro: null,
    warnings: [],
    signal: new AbortController().signal,
    ...changes,
  });
}

async function drafted(changes: Partial<LaunchRequest> = {}) {
  const found = await preview(changes);
  if (found.preview !== 'draft') throw new Error(`no draft: ${found.preview}`);
  return found;
}

const campaigns = async () => (await reader.campaigns()).map(({ campaign }) => campaign.state);

describe('a preview', () => {
  it('shows the plan and asks about the cost; its draft is durable and invisible to workers', async () => {
    const { draft, plan } = await drafted();
    expect(draft.questions).toEqual(['cost']);
    expect(plan.cost).toMatchObject({ lowerMicro: 1.6 * KES, upperMicro: 1.6 * KES });
    expect((await ledger.campaign(draft.draft.n))?.state).toBe('draft');
    expect(await campaigns()).toEqual([]);
    expect(await ledger.dueBatches({ now: Date.now(), perCampaign: 9 })).toEqual([]);
  });

  it('asks about a new ledger, or refuses it where nobody can be asked', async () => {
    expect((await drafted({ newLedger: 'ask' })).draft.questions).toEqual(['new_ledger', 'cost']);
    await expect(preview({ newLedger: 'refuse' })).rejects.toMatchObject({ code: 'new_ledger' });
  });

  it('that is forbidden leaves no draft behind', async () => {
    await expect(preview({ maxCostMicro: KES })).rejects.toMatchObject({ code: 'over_max_cost' });
    writeFileSync(join(directory, 'c.csv'), 'phone,name\nnobody,Asha\n');
    await expect(preview()).rejects.toMatchObject({ code: 'no_usable_row' });
    expect(await campaigns()).toEqual([]);
  });
});

describe('a confirmation', () => {
  it('makes the draft a campaign in one commit, under the name of who confirmed', async () => {
    const { draft } = await drafted();
    const done = await confirmLaunch(env, draft, { accepted: ['cost'], actor: ACTOR });
    expect(done).toMatchObject({ launched: 'activated', campaign: { name: 'promo', state: 'running' } });
    expect(await preview()).toMatchObject({ preview: 'continued', campaign: { id: done.campaign.id } });
    const audit = new DatabaseSync(join(directory, 'ledger.db'), { readOnly: true });
    expect(audit.prepare('SELECT verb, by FROM audit').all()).toEqual([{ verb: 'launch', by: ACTOR }]);
    audit.close();
  });

  it('is refused while a question is open, and the draft goes', async () => {
    for (const [accepted, code] of [
      [[], 'new_ledger'],
      [['cost'], 'new_ledger'],
      [['new_ledger'], 'declined'],
    ] as const) {
      const { draft } = await drafted({ newLedger: 'ask' });
      const confirmed = confirmLaunch(env, draft, { accepted, actor: ACTOR });
      await expect(confirmed).rejects.toMatchObject({ code });
      expect(await ledger.campaign(draft.draft.n)).toBeNull();
    }
  });

  it('of a launch after a loss says how many people are known, until a person has looked', async () => {
    const { draft } = await drafted();
    await confirmLaunch(env, draft, { accepted: ['cost'], actor: ACTOR });
    const database = new DatabaseSync(join(directory, 'ledger.db'));
    database
      .prepare(
        "INSERT INTO audit (at, by, verb, campaign, detail) VALUES (7, 'x', 'accept-loss', NULL, '{}')",
      )
      .run();
    database.close();
    writeFileSync(join(directory, 'job.yaml'), JOB.replace('promo', 'second'));
    writeFileSync(join(directory, 'c.csv'), 'phone,name\n254700000001,Asha\n254700000009,Zawadi\n');
    for (const time of [1, 2]) {
      const { draft: second } = await drafted();
      expect(second, `${time}`).toMatchObject({
        questions: ['loss', 'cost'],
        loss: { acceptedAt: 7, people: 2, known: 1 },
      });
      const confirmed = confirmLaunch(env, second, { accepted: ['cost'], actor: ACTOR });
      await expect(confirmed).rejects.toMatchObject({ code: 'declined' });
    }
    await ledger.answerLoss({ now: Date.now(), by: ACTOR });
    expect((await drafted()).draft).toMatchObject({ questions: ['cost'], loss: null });
  });

  it('of a draft that is gone launches nothing', async () => {
    const { draft } = await drafted();
    await discardLaunch(env, draft, new Error('declined'));
    const confirmed = confirmLaunch(env, draft, { accepted: draft.questions, actor: ACTOR });
    await expect(confirmed).rejects.toMatchObject({ code: 'not_found' });
    expect(await campaigns()).toEqual([]);
  });

  it('of two previews activates one; the other goes on with it', async () => {
    const [first, second] = [await drafted(), await drafted()];
    const confirmation = { accepted: ['cost'], actor: ACTOR } as const;
    const one = await confirmLaunch(env, first.draft, confirmation);
    const other = await confirmLaunch(env, second.draft, confirmation);
    expect([one.launched, other.launched]).toEqual(['activated', 'continued']);
    expect(other.campaign.id).toBe(one.campaign.id);
    expect(await campaigns()).toEqual(['running']);
  });
});
