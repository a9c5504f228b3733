import { describe, expect, it } from 'vitest';
import type { BalancePart } from '../../src/reports/balance-part.ts';
import { campaignReport } from '../../src/reports/campaign-report.ts';
import { type Came, LedgerStory } from '../support/ledger-story.ts';

/* Which readings a campaign's balance leans on, and which of them are none of its business. */

const SENT = { to: 'sent' } as const;
const NOTHING = { before: null, after: null, unexplained: null, shared_with: [], top_ups: [] };

async function balanceOf(story: LedgerStory, n: number): Promise<BalancePart> {
  const reader = await story.reader();
  const { campaign } = await reader.overview(n);
  return (await campaignReport({ reader, campaign, now: story.now, reportWaitMs: 1e9 })).balance;
}

/** Everything that waits is put on the wire, and a second later this came of it. */
async function send(story: LedgerStory, n: number, came: Record<number, Came>): Promise<void> {
  story.now += 1_000;
  await story.claim();
  story.now += 1_000;
  await story.record(n, came);
}

async function read(story: LedgerStory, creditMicro: number, account = 'acc'): Promise<void> {
  story.now += 1_000;
  await story.readBalance(creditMicro, account);
}

describe('who else was sending', () => {
  it('is asked of a campaign that is still sending, and of one that no reading came before', async () => {
    const story = await LedgerStory.begin();
    const mine = await story.launch({ id: 'a-1', name: 'a', messages: 1 });
    const other = await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    await send(story, other, { 1: SENT });
    expect(await balanceOf(story, mine)).toEqual({ ...NOTHING, shared_with: ['b-1'] });
  });

  it('is one that is still sending', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const mine = await story.launch({ id: 'a-1', name: 'a', messages: 1 });
    await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    await send(story, mine, { 1: SENT });
    expect(await balanceOf(story, mine)).toEqual({ ...NOTHING, shared_with: ['b-1'] });
  });

  it('is nobody who began when it had finished, before the balance was read again', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const mine = await story.launch({ id: 'a-1', name: 'a', messages: 1 });
    await send(story, mine, { 1: SENT });
    const other = await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    await send(story, other, { 1: SENT });
    expect(await balanceOf(story, mine)).toEqual({ ...NOTHING, before: '10.00' });
  });

  it('is nobody, where it has not begun itself', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const mine = await story.launch({ id: 'a-1', name: 'a', startAt: story.now + 60_000 });
    await story.launch({ id: 'b-1', name: 'b', messages: 1 });
    await story.claim();
    expect(await balanceOf(story, mine)).toEqual(NOTHING);
  });
});

describe('what is unexplained', () => {
  it('leans on no reading of another account', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    await read(story, 5_000_000, 'other');
    const n = await story.launch({ messages: 1 });
    await send(story, n, { 1: SENT });
    await read(story, 1_000_000, 'other');
    await read(story, 9_200_000);
    const told = { before: '10.00', after: '9.20', unexplained: '0.00' };
    expect(await balanceOf(story, n)).toEqual({ ...NOTHING, ...told });
  });

  it('is not told of a campaign without a reading before it', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 1 });
    await send(story, n, { 1: SENT });
    await read(story, 9_000_000);
    expect(await balanceOf(story, n)).toEqual({ ...NOTHING, after: '9.00' });
  });

  it('is not told before it has finished', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const n = await story.launch({ messages: 2 });
    await send(story, n, { 1: SENT, 2: { to: 'queued' } });
    await read(story, 5_000_000);
    expect(await balanceOf(story, n)).toEqual({ ...NOTHING, before: '10.00' });
  });

  it('ends, as the top-ups do, with the first reading after it', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const n = await story.launch({ messages: 1 });
    await send(story, n, { 1: SENT });
    await read(story, 9_100_000);
    const told = { ...NOTHING, before: '10.00', after: '9.10', unexplained: '0.10' };
    expect(await balanceOf(story, n)).toEqual(told);
    await read(story, 4_000_000);
    await read(story, 54_000_000);
    expect(await balanceOf(story, n)).toEqual(told);
  });

  it('leans on no reading among messages in flight: what they took is not known to the ledger yet', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10_000_000);
    const n = await story.launch({ messages: 2 });
    story.now += 1_000;
    await story.claim();
    await read(story, 58_400_000);
    story.now += 1_000;
    await story.record(n, { 1: SENT, 2: SENT });
    await read(story, 58_400_000);
    expect(await balanceOf(story, n)).toMatchObject({ unexplained: '0.00', top_ups: [{ amount: '50.00' }] });
  });

  it.each([
    { said: null, came: { to: 'sent', costMicro: null }, topUp: 'while it was sent' },
    { said: null, came: { to: 'uncertain' }, topUp: 'while it was sent' },
    { said: '0.00', came: SENT, topUp: 'while it was sent' },
    { said: '0.80', came: { to: 'sent', costMicro: null }, topUp: 'before' },
    { said: '0.80', came: { to: 'uncertain' }, topUp: 'afterwards' },
  ] as const)(
    'is null where a top-up may hide some: $came, topped up $topUp',
    async ({ said, came, topUp }) => {
      const story = await LedgerStory.begin();
      await story.readBalance(10_000_000);
      if (topUp === 'before') await read(story, 60_000_000);
      const n = await story.launch({ messages: 1 });
      await send(story, n, { 1: came });
      story.now += 600_000;
      if (topUp === 'afterwards') await story.readBalance(9_200_000);
      await read(story, 59_200_000);
      expect((await balanceOf(story, n)).unexplained).toBe(said);
    },
  );
});
