import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { compareCredit } from '../../src/campaign/compare-credit.ts';
import { DEARER, LATE_CHARGE_MS, LEAST_DIFFERENCE } from '../../src/domain/credit-floor.ts';
import type { BalanceResult } from '../../src/provider/provider.ts';
import type { CreditReader } from '../../src/ledger/recovery.ts';
import { openSqliteReader } from '../../src/ledger/sqlite/reader.ts';
import { LedgerStory } from '../support/ledger-story.ts';

/* Of an account with 1,000.00, ten messages at 0.80 each. */

const CREDIT = 1_000_000_000;
const PRICE = 800_000;
const UNIT = LEAST_DIFFERENCE;
let story: LedgerStory;
let n: number;

interface Asked {
  reader?: CreditReader;
  prices?: number[] | null;
  account?: string;
  /** Happens while the service answers. */
  meanwhile?: () => Promise<unknown>;
}

/** What the comparison says when the service answers with that credit, or with that answer. */
async function compare(credit: number | BalanceResult, asked: Asked = {}) {
  const answer: BalanceResult =
    typeof credit === 'number'
      ? { outcome: 'balance', clientId: asked.account ?? 'acc', creditMicro: credit }
      : credit;
  const balance = async () => {
    await asked.meanwhile?.();
    return answer;
  };
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => {} };
  const reader = asked.reader ?? (await story.reader());
  return compareCredit({ reader, clock, prices: asked.prices ?? null, provider: async () => ({ balance }) });
}

async function sendAll(costMicro: number | null = PRICE): Promise<void> {
  const claimed = await story.claim();
  await story.record(n, Object.fromEntries(claimed.map((seq) => [seq, { to: 'sent', costMicro }])));
}

/** Another campaign that waits, so that there is something to send twice. */
async function keepOpen(): Promise<void> {
  const open = await story.launch({ id: 'open', name: 'open', messages: 1 });
  await story.ledger.pause(open, { now: story.now, by: 'test', reason: 'operator' });
}

/** The ledger as a backup of now will show it. */
async function backup(): Promise<() => Promise<CreditReader>> {
  const file = join(story.directory, `backup-${story.now}.db`);
  await story.ledger.backup(file);
  return async () => {
    const reader = await openSqliteReader({ file });
    onTestFinished(() => reader.close());
    return reader;
  };
}

beforeEach(async () => {
  story = await LedgerStory.begin();
  n = await story.launch({ messages: 10 });
  await story.readBalance(CREDIT);
  story.now += 1_000;
});

describe('D9 the credit against what the ledger explains', () => {
  it('notices a ledger that was put back with its note of claims, by what was charged since', async () => {
    const older = await backup();
    await sendAll();
    await keepOpen();
    story.now += 1_000;
    expect(await compare(CREDIT - 10 * PRICE)).toBeNull();
    const found = await compare(CREDIT - 10 * PRICE, { reader: await older() });
    expect(found).toMatchObject({
      account: 'acc',
      creditMicro: CREDIT,
      leastMicro: CREDIT,
      nowMicro: CREDIT - 10 * PRICE,
      waiting: [{ id: 'bf-1', name: 'black-friday', account: 'acc' }],
    });
  });

  it('takes what is on the wire, uncertain, of unknown cost, or called not sent for charged, at the dearest', async () => {
    const [first = 0, second = 0, third = 0, fourth = 0, ...wire] = await story.claim();
    await story.record(n, {
      [first]: { to: 'sent', costMicro: null },
      [second]: { to: 'uncertain' },
      [third]: { to: 'sent' },
      [fourth]: { to: 'uncertain' },
    });
    const change = { now: story.now, by: 'operator', before: story.now + 1, decision: 'not_sent' as const };
    expect(await story.ledger.resolve(n, { ...change, line: fourth + 1 })).toMatchObject({ resolved: 1 });
    expect(wire).toHaveLength(6);
    story.now += 1_000;
    const least = CREDIT - PRICE - 9 * DEARER * PRICE;
    expect(await compare(least)).toBeNull();
    expect(await compare(least - UNIT)).toMatchObject({ leastMicro: least });
    // A configured price that is dearer counts.
    expect(await compare(least - PRICE, { prices: [2 * PRICE] })).toBeNull();
  });

  it('says that it is unknown where a cost may have been charged and no price is known, and not before the credit fell', async () => {
    const [first = 0] = await story.claim({ priceMicro: null });
    await story.record(n, { [first]: { to: 'uncertain' } });
    expect(await compare(0)).toBe('unknown');
    expect(await compare(CREDIT)).toBeNull();
    expect(await compare(0, { prices: [PRICE] })).toMatchObject({ nowMicro: 0 });
  });

  it('takes what was answered up to ten minutes before the reading for charged after it, and not what came before', async () => {
    await sendAll();
    await keepOpen();
    story.now += LATE_CHARGE_MS;
    await story.readBalance(CREDIT);
    expect(await compare(CREDIT - 10 * PRICE)).toBeNull();
    expect(await compare(CREDIT - 10 * PRICE - UNIT)).toMatchObject({ leastMicro: CREDIT - 10 * PRICE });
    story.now += 1;
    await story.readBalance(CREDIT);
    expect(await compare(CREDIT - UNIT)).toMatchObject({ leastMicro: CREDIT });
  });

  it('takes what other processes charge while the credit is asked for for explained', async () => {
    await keepOpen();
    expect(await compare(CREDIT - 10 * PRICE, { meanwhile: () => sendAll() })).toBeNull();
    // The reading of another process comes after a top-up that this answer does not know of.
    const later = async () => {
      story.now += 1_000;
      await story.readBalance(2 * CREDIT);
    };
    expect(await compare(CREDIT - 10 * PRICE, { meanwhile: later })).toBeNull();
  });

  it('raises no alarm for less than a unit of the currency, after a top-up, or when nothing waits', async () => {
    const [first = 0, ...others] = await story.claim();
    const kept = Object.fromEntries(others.map((seq) => [seq, { to: 'queued' as const }]));
    await story.record(n, { [first]: { to: 'sent' }, ...kept });
    expect(await compare(CREDIT - PRICE - UNIT + 1)).toBeNull();
    expect(await compare(CREDIT - PRICE - UNIT)).toMatchObject({ leastMicro: CREDIT - PRICE });
    expect(await compare(2 * CREDIT)).toBeNull();
    await story.ledger.cancel(n, { now: story.now, by: 'operator' });
    expect(await compare(0)).toBeNull();
  });

  it('raises none for what is refused, for another account, or for one that was never read; what cannot be read is not explained', async () => {
    const evidence = { words: 'no', httpStatus: 500, code: null, raw: null };
    const unknown = { outcome: 'unknown', ...evidence } as const;
    expect(await compare(unknown)).toEqual({ unread: unknown });
    expect(await compare({ outcome: 'refused', refusal: 'credentials', ...evidence })).toBeNull();
    expect(await compare(0, { account: 'other' })).toBeNull();
    await story.readBalance(CREDIT, 'other');
    expect(await compare(0, { account: 'other' })).toBeNull();
    await story.launch({ id: 'never', name: 'never', account: 'never-read' });
    expect(await compare(0, { account: 'never-read' })).toBeNull();
    await story.ledger.cancel(n, { now: story.now, by: 'operator' });
    expect(await compare(unknown)).toBeNull();
  });

  it('asks the service nothing while no campaign is open, and of those to come counts only what is due', async () => {
    await story.ledger.cancel(n, { now: story.now, by: 'operator' });
    await story.launch({ id: 'later', name: 'later', startAt: story.now + 60_000 });
    let asked = 0;
    const meanwhile = async () => (asked += 1);
    expect([await compare(0, { meanwhile }), asked]).toEqual([null, 0]);
    story.now += 60_000;
    expect([await compare(0, { meanwhile }), asked]).toMatchObject([{ waiting: [{ id: 'later' }] }, 1]);
  });

  it('goes on from a credit that a person accepted, and from no lower one', async () => {
    const accepted = { account: 'acc', startedAt: story.now, creditMicro: CREDIT - 5 * PRICE };
    expect(await compare(accepted.creditMicro)).toMatchObject({ nowMicro: accepted.creditMicro });
    await story.ledger.acceptCredit({ ...accepted, now: story.now + 5, by: 'operator' });
    story.now += 10;
    expect(await compare(accepted.creditMicro)).toBeNull();
    expect(await compare(accepted.creditMicro - UNIT)).toMatchObject({ leastMicro: accepted.creditMicro });
    const readings = await (await story.reader()).readings('acc', { from: 0, to: story.now });
    // Nobody knows what was in flight when the service was asked.
    expect(readings.map(({ quiet }) => quiet)).toEqual([true, false]);
  });
});
