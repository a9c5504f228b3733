import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { compareCredit } from '../../src/campaign/compare-credit.ts';
import type { Provider } from '../../src/provider/provider.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { LedgerStory } from '../support/ledger-story.ts';

/* Of an account with 100.00, ten messages at 0.80 each, in batches of four. */

const CREDIT = 100_000_000;
const PRICE = 800_000;
let story: LedgerStory;
let n: number;

beforeEach(async () => {
  story = await LedgerStory.begin();
  n = await story.launch({ messages: 10 });
  await story.readBalance(CREDIT);
  story.now += 1_000;
});

/** What the comparison says when the service answers with that credit. `meanwhile` happens while it answers. */
async function compare(creditMicro: number, { ledger = story.ledger, meanwhile = async () => {} } = {}) {
  const balance: Provider['balance'] = async () => {
    await meanwhile();
    return { outcome: 'balance', clientId: 'acc', creditMicro };
  };
  const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => {} };
  return compareCredit({ ledger, clock, provider: async () => ({ balance }) });
}

async function sendAll(): Promise<void> {
  const claimed = await story.claim();
  await story.record(n, Object.fromEntries(claimed.map((seq) => [seq, { to: 'sent' }])));
}

/** The ledger as a backup of now will show it. */
async function backup(): Promise<() => Promise<Ledger>> {
  const file = join(story.directory, `backup-${story.now}.db`);
  await story.ledger.backup(file);
  return async () => {
    const ledger = await openSqliteLedger({ file });
    onTestFinished(() => ledger.close());
    return ledger;
  };
}

it('D9 a ledger that was put back with its note of claims is noticed by what was charged since', async () => {
  const older = await backup();
  await sendAll();
  story.now += 1_000;
  expect(await compare(CREDIT - 10 * PRICE)).toBeNull();
  const found = await compare(CREDIT - 10 * PRICE, { ledger: await older() });
  expect(found).toMatchObject({
    account: 'acc',
    missingMicro: 10 * PRICE,
    waiting: [{ id: 'bf-1', name: 'black-friday' }],
    sharedSince: null,
  });
});

it('D9 what is on the wire, uncertain, or of unknown cost explains a lower credit', async () => {
  const [first = 0, second = 0, third = 0, ...wire] = (await story.claim()).slice(0, 8);
  await story.record(n, {
    [first]: { to: 'sent', costMicro: null },
    [second]: { to: 'uncertain' },
    [third]: { to: 'sent' },
  });
  expect(wire).toHaveLength(5);
  story.now += 1_000;
  // All ten were claimed: seven are on the wire.
  expect(await compare(CREDIT - 10 * PRICE)).toBeNull();
  expect(await compare(CREDIT - 11 * PRICE)).toMatchObject({ missingMicro: PRICE });
  // A reading that finds messages on the wire turns what uncertain ones held back into spent.
  await story.readBalance(CREDIT - 10 * PRICE);
  story.now += 1_000;
  expect(await compare(CREDIT - 10 * PRICE)).toBeNull();
  expect(await compare(CREDIT - 11 * PRICE)).toMatchObject({ missingMicro: PRICE });
});

it('D9 what other processes charge while the credit is asked for is explained', async () => {
  expect(await compare(CREDIT - 10 * PRICE, { meanwhile: sendAll })).toBeNull();
});

it('D9 less than the cheapest message, a top-up, and a ledger of which nothing waits are no alarm', async () => {
  const [first = 0, ...others] = await story.claim();
  await story.record(n, { [first]: { to: 'sent' } });
  const kept = Object.fromEntries(others.map((seq) => [seq, { to: 'queued' as const }]));
  await story.record(n, kept);
  expect(await compare(CREDIT - 2 * PRICE + 1)).toBeNull();
  expect(await compare(CREDIT - 2 * PRICE)).toMatchObject({ missingMicro: PRICE });
  expect(await compare(2 * CREDIT)).toBeNull();
  await story.ledger.cancel(n, { now: story.now, by: 'operator' });
  expect(await compare(0)).toBeNull();
});

it('D9 a person who says that others spend from the account is remembered', async () => {
  const found = await compare(CREDIT - PRICE);
  if (found === null || found === 'unknown') throw new Error('nothing was found');
  const { account, missingMicro } = found;
  await story.ledger.acceptCredit({ now: story.now, by: 'operator', account, missingMicro });
  expect(await compare(CREDIT - PRICE)).toMatchObject({ sharedSince: story.now });
});
