import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Campaign, CampaignSettings } from '../../../src/domain/campaign.ts';
import type { NewReminder } from '../../../src/ledger/contracts/schedules.ts';
import type { ClaimedMessage, Outcome } from '../../../src/ledger/contracts/sending.ts';
import { accountStatement } from '../../../src/reports/statement.ts';
import { ACCOUNT, PRICE, rejected, requeued, row, sent, type World } from '../contract-world.ts';
import { type Home, makeHome, open, putBack } from './older-ledger.ts';

/* What `--accept-loss` calls uncertain may have been sent: everything that asks what was sent has to see it. */

const DAY = 86_400_000;

type Verdict = (campaign: Campaign, message: ClaimedMessage) => Outcome;

/** Sends what is due after a backup, puts the backup back a minute later, and accepts the loss. */
async function loseWhatIsSent(home: Home, { ledger, world }: Awaited<ReturnType<typeof open>>) {
  const backup = `${home.file}.backup`;
  await ledger.backup(backup);
  await sendDue(world);
  await ledger.close();
  putBack(home, backup);
  const after = await open(home);
  after.world.now = world.now + 60_000;
  const behind = await after.ledger.behind(after.world.now);
  const lost = await after.ledger.acceptLoss(after.world.operator);
  // Who is asked was told of as many as that.
  expect(behind?.open.reduce((sum, { queued }) => sum + queued, 0)).toBe(lost);
  return { ...after, lost };
}

/** Claims what is due and has it accepted, or what `verdict` says. Answers the numbers that it went to. */
async function sendDue(world: World, verdict: Verdict = sent): Promise<string[]> {
  const worker = await world.worker();
  const gone: string[] = [];
  for (const due of await world.ledger.dueBatches({ now: world.now, perCampaign: 9 })) {
    const lease = await world.ledger.leaseBatch({ ...due, worker, now: world.now, leaseMs: 60_000 });
    if (lease === null) throw new Error('the batch could not be leased');
    const { messages } = await world.claim(lease, worker);
    gone.push(...messages.map(({ mobile }) => mobile));
    await world.record(
      worker,
      messages.map((message) => verdict(lease.campaign, message)),
    );
    await world.ledger.releaseBatch({ ...lease, now: world.now });
  }
  return gone;
}

/** Reminders, one a person, due in so many days. */
async function launchReminders(world: World, days: number[], budgetMicro: number | null = null) {
  const remind = { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: true };
  const draft = await world.draft(0, { name: 'rent', settings: { remind } });
  const rows: NewReminder[] = days.map((day, index) => ({
    ...row(index + 2),
    key: `inv-${index}`,
    occurrence: new Date(world.now + day * DAY).toISOString().slice(0, 10),
    notBefore: world.now + day * DAY,
    notAfter: world.now + day * DAY + DAY / 2,
    skip: null,
  }));
  await world.ledger.stageReminders(draft.n, rows);
  await world.ledger.arrangeReminders(draft.n, world.now);
  const options = { budgetMicro, priceMicro: PRICE };
  expect(await world.activate(draft, rows.length, options)).toEqual({ activated: true });
  return { draft, rows };
}

it('what was lost of a campaign whose canary had not passed is no fault of its gate, also when it is called not sent [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const canary = { first: 2, waitMs: 60_000, delivered: 0.6 };
  const { n } = await before.world.launch(5, { settings: { canary } });
  const { lost, ledger, world } = await loseWhatIsSent(home, before);
  expect(lost).toBe(5);
  await world.verify();
  world.now += 660_000;
  const notSent = { ...world.operator, decision: 'not_sent', before: world.now } as const;
  expect(await ledger.resolve(n, notSent)).toEqual({ resolved: 5, tooYoung: 0 });
  await world.verify();
});

it('a message that was held for its network at the backup, and let go before its time, is not sent again [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const { ledger, world } = before;
  const earlier = await world.sending(2, { name: 'earlier' });
  await world.record(
    earlier.worker,
    earlier.messages.map((message) => sent(earlier.campaign, message, { network: '9' })),
  );
  await ledger.releaseBatch({ ...earlier.lease, now: world.now });
  const campaign = await world.launch(2);
  const raw = new DatabaseSync(home.file, { timeout: 5_000 });
  raw
    .prepare(
      `INSERT INTO network_hold (campaign, network, state, why, since, until, wait_ms, counted_from)
       VALUES (?1, '9', 'held', 'failing', ?2, ?2 + 300000, 300000, ?2)`,
    )
    .run(campaign.n, world.now);
  raw.close();
  expect(await sendDue(world)).toEqual([]);

  const backup = `${home.file}.backup`;
  await ledger.backup(backup);
  world.now += 301_000;
  await ledger.watchNetworks(world.now);
  await ledger.bringBackHeld(world.now);
  expect(await sendDue(world)).toHaveLength(2);
  await ledger.close();

  putBack(home, backup);
  const after = await open(home);
  after.world.now = world.now + 60_000;
  const unknown = [{ id: campaign.id, name: 'promo', queued: 2 }];
  expect(await after.ledger.behind(after.world.now)).toMatchObject({ open: unknown });
  expect(await after.ledger.acceptLoss(after.world.operator)).toBe(2);
  await after.ledger.watchNetworks(after.world.now);
  await after.ledger.bringBackHeld(after.world.now);
  expect(await sendDue(after.world)).toEqual([]);
  expect(await after.world.states(campaign.n)).toEqual({ uncertain: 2 });
  await after.world.verify();
});

it('a reminder that was lost is not sent by the next launch either [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const { rows } = await launchReminders(before.world, [0]);
  const { ledger, world, lost } = await loseWhatIsSent(home, before);
  expect(lost).toBe(1);
  expect(await ledger.remindedBefore({ name: 'rent', keyed: true, rows, now: world.now })).toEqual([true]);
  await world.verify();
});

it('what an older campaign was made to send, and was lost, is not sent by a retry of a newer one [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const refuse = (campaign: Campaign, message: ClaimedMessage) => rejected(campaign, message, true);
  const older = await launchReminders(before.world, [0]);
  await sendDue(before.world, refuse);
  before.world.now += 1_000;
  const newer = await launchReminders(before.world, [0]);
  await sendDue(before.world, refuse);
  before.world.now += 1_000;
  expect(await before.ledger.retry(older.draft.n, before.world.operator)).toBe(1);
  const { ledger, world, lost } = await loseWhatIsSent(home, before);
  expect(lost).toBe(1);
  expect(await world.states(older.draft.n)).toEqual({ uncertain: 1 });
  expect(await ledger.retry(newer.draft.n, world.operator)).toBe(0);
  expect(await world.states(newer.draft.n)).toEqual({ skipped: 1 });
  await world.verify();
});

it.each([
  ['against the same text', { sameTextMs: DAY, most: null, perMs: DAY }],
  ['of most messages to a number', { sameTextMs: null, most: 1, perMs: DAY }],
])('what was lost counts for the guard %s, however long ago the launch was [D9]', async (_, guard) => {
  const home = makeHome();
  const before = await open(home);
  await launchText(before.world, guard);
  before.world.now += 3 * DAY;
  const { world, lost } = await loseWhatIsSent(home, before);
  expect(lost).toBe(1);
  const again = await launchText(world, guard);
  expect(await sendDue(world)).toEqual([]);
  expect(await world.states(again.n)).toEqual({ skipped: 1 });
});

async function launchText(world: World, guard: NonNullable<CampaignSettings['guard']>): Promise<Campaign> {
  const draft = await world.draft(0, { kind: 'promotional', settings: { guard } });
  await world.ledger.addMessages(draft.n, [{ ...row(2), textHash: 77 }], { now: world.now });
  expect(await world.activate(draft, 1)).toEqual({ activated: true });
  return draft;
}

function spentOf({ file }: Home, { n }: Campaign): number {
  const raw = new DatabaseSync(file, { readOnly: true });
  const found = raw.prepare('SELECT spent FROM campaign WHERE n = ?').get(n);
  raw.close();
  return Number(found?.['spent']);
}

it('where the steps of a campaign end with its last batch, the next campaign is looked through from its beginning [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  await before.world.launch(256, { name: 'one', settings: { batchSize: 1 } });
  const { n } = await before.world.launch(2, { name: 'two' });
  const { lost, world } = await loseWhatIsSent(home, before);
  expect(lost).toBe(258);
  expect(await world.states(n)).toEqual({ uncertain: 2 });
});

it('what starts later cannot have left, and starts then [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const startAt = before.world.now + DAY;
  const later = await before.world.launch(2, { name: 'later', startAt });
  await before.world.launch(1);
  const { lost, world } = await loseWhatIsSent(home, before);
  expect(lost).toBe(1);
  expect(await world.states(later.n)).toEqual({ queued: 2 });
});

it('what was lost counts for the budget, at the price of the launch [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const { draft } = await launchReminders(before.world, [0, 0, 1, 1], 2 * PRICE);
  const { world, lost } = await loseWhatIsSent(home, before);
  expect(lost).toBe(2);
  expect(spentOf(home, draft)).toBe(2 * PRICE);
  await world.verify();
  world.now += DAY;
  const worker = await world.worker();
  expect(await world.claim(await world.lease(worker), worker)).toMatchObject({
    messages: [],
    stop: 'budget',
  });
});

it('what was lost counts at the highest price that the account is known to pay [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  for (const [name, segments, costMicro, account] of [
    ['cheap', 1, PRICE, ACCOUNT],
    ['dear', 3, 9 * PRICE + 1, ACCOUNT],
    ['of another account', 1, 20 * PRICE, 'C-200'],
  ] as const) {
    const known = await before.world.sending(1, { name, segments, account });
    const [message] = known.messages;
    await before.world.record(known.worker, [sent(known.campaign, message as ClaimedMessage, { costMicro })]);
    await before.ledger.releaseBatch({ ...known.lease, now: before.world.now });
  }
  const campaign = await before.world.launch(2, { segments: 2, priceMicro: PRICE });
  const { world } = await loseWhatIsSent(home, before);
  // A segment of the dear one, rounded up.
  expect(spentOf(home, campaign)).toBe(2 * 2 * (3 * PRICE + 1));
  await world.verify();
});

it('a gift makes what was lost no cheaper than the price of the launch [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const gift = await before.world.sending(1, { name: 'gift' });
  const [message] = gift.messages as [ClaimedMessage];
  await before.world.record(gift.worker, [sent(gift.campaign, message, { costMicro: 0 })]);
  await before.ledger.releaseBatch({ ...gift.lease, now: before.world.now });
  const campaign = await before.world.launch(2, { priceMicro: PRICE });
  const { world } = await loseWhatIsSent(home, before);
  expect(spentOf(home, campaign)).toBe(2 * PRICE);
  await world.verify();
});

it('what waited to be tried again may have been let go before its time, by a clock that was set back [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const campaign = await before.world.launch(2);
  const worker = await before.world.worker();
  const lease = await before.world.lease(worker);
  const [first] = (await before.world.claim(lease, worker, { limit: 1 })).messages;
  const later = before.world.now + DAY;
  await before.world.record(worker, [requeued(campaign, first as ClaimedMessage, later)]);
  const raw = new DatabaseSync(home.file, { timeout: 5_000 });
  raw.prepare('UPDATE message SET not_before = ? WHERE seq = 2').run(later);
  raw.close();
  await before.ledger.releaseBatch({ ...lease, now: before.world.now });
  const backup = `${home.file}.backup`;
  await before.ledger.backup(backup);
  await before.world.sending(1, { name: 'since' });
  await before.ledger.close();
  putBack(home, backup);
  const after = await open(home);
  after.world.now = before.world.now + 60_000;
  const unknown = [{ id: campaign.id, queued: 1 }];
  expect(await after.ledger.behind(after.world.now)).toMatchObject({ open: unknown });
  expect(await after.ledger.acceptLoss(after.world.operator)).toBe(1);
  expect(await after.world.states(campaign.n)).toEqual({ uncertain: 1, queued: 1 });
});

it('what was lost and then called sent stands in the statement [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const campaign = await before.world.launch(3, { priceMicro: PRICE });
  const { ledger, world } = await loseWhatIsSent(home, before);
  await ledger.resolve(campaign.n, { ...world.operator, decision: 'sent', before: world.now });
  const day = new Date(world.now).toISOString().slice(0, 10);
  const reader = await world.reader();
  const statement = await accountStatement({ reader, from: day, to: day, zone: 'UTC', currency: 'KES' });
  expect(statement.accounts).toMatchObject([{ total: { sent: 3 } }]);
  await world.verify();
});

it('what was lost and then called sent had left when the loss was accepted, and not when it was decided [D9]', async () => {
  const home = makeHome();
  const before = await open(home);
  const campaign = await before.world.launch(3, { priceMicro: PRICE });
  const { ledger, world } = await loseWhatIsSent(home, before);
  const acceptedAt = world.now;
  world.now += DAY;
  await ledger.resolve(campaign.n, { ...world.operator, decision: 'sent', before: world.now });
  const reader = await world.reader();
  expect(await reader.overview(campaign.n)).toMatchObject({ state: 'finished', finishedAt: acceptedAt });
  expect((await world.messages(campaign.n)).map(({ sentAt }) => sentAt)).toEqual(Array(3).fill(acceptedAt));
  await world.verify();
});
