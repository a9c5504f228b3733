import { describe, expect, it } from 'vitest';
import { campaignReport } from '../../src/reports/campaign-report.ts';
import { type AccountStatement, accountStatement } from '../../src/reports/statement.ts';
import { countDays, isDate, statementDays } from '../../src/reports/statement-days.ts';
import { statementTable } from '../../src/reports/statement-table.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

const KES = 1_000_000;
const HOUR = 3_600_000;
const ZONE = 'Africa/Nairobi';
const PLAIN = { zone: ZONE, width: 100, paint: (_: string, text: string) => text };

async function statementOf(story: LedgerStory, from = '2026-11-27', to = from) {
  return accountStatement({ reader: await story.reader(), from, to, zone: ZONE, currency: 'KES' });
}

async function only(story: LedgerStory, from = '2026-11-27', to = from): Promise<AccountStatement> {
  const { accounts } = await statementOf(story, from, to);
  expect(accounts).toHaveLength(1);
  return accounts[0] as AccountStatement;
}

const micro = (amount: string) => Math.round(Number(amount) * KES);
const sum = (amounts: string[]) => amounts.reduce((total, amount) => total + micro(amount), 0);

/** Each list adds up to the total, and each campaign to its own report. */
async function addsUp(story: LedgerStory, statement: AccountStatement): Promise<void> {
  const { total, by_campaign, by_network, by_day } = statement;
  for (const parts of [by_campaign, by_network, by_day]) {
    for (const key of ['charged', 'unknown_price', 'at_stake'] as const)
      expect(sum(parts.map((part) => part[key]))).toBe(micro(total[key]));
    for (const key of ['sent', 'unknown', 'uncertain'] as const)
      expect(parts.reduce((count, part) => count + part[key], 0)).toBe(total[key]);
  }
  const reader = await story.reader();
  for (const { id, charged, charged_on_other_days } of by_campaign) {
    const [campaign] = await reader.find(id);
    if (campaign === undefined) throw new Error('no such campaign');
    const report = await campaignReport({ reader, campaign, now: story.now, reportWaitMs: 72 * HOUR });
    expect(micro(charged) + micro(charged_on_other_days)).toBe(micro(report.cost.charged));
  }
  const { movement, charged, unexplained, charged_outside } = statement.balance;
  if (movement === null || charged === null || unexplained === null || charged_outside === null) return;
  expect(micro(movement)).toBe(micro(charged) + micro(unexplained));
  expect(micro(charged) + micro(charged_outside)).toBe(micro(total.charged));
}

describe('the statement of an account', () => {
  it('two campaigns at once, an unknown cost, an uncertain message and a top-up in the middle: every cent has its place', async () => {
    const story = await LedgerStory.begin();
    const one = await story.launch({ id: 'a-1', name: 'one', messages: 4, estimatedMicro: 4 * KES });
    const two = await story.launch({ id: 'b-1', name: 'two', messages: 3, estimatedMicro: 3 * KES });
    await story.readBalance(100 * KES);
    await story.claim();
    await story.readBalance(99 * KES);
    story.now += 60_000;
    await story.record(one, {
      1: { to: 'sent', costMicro: 805_000 },
      2: { to: 'sent', costMicro: null },
      3: { to: 'uncertain' },
      4: { to: 'rejected' },
    });
    await story.record(two, { 1: { to: 'sent', network: '2' }, 2: { to: 'sent' }, 3: { to: 'sent' } });
    // Known: 0.805 + 3 × 0.80. The one of unknown cost took 0.80, the uncertain one 0.80.
    await story.readBalance(100 * KES - 4_805_000);
    story.now += 60_000;
    await story.readBalance(150 * KES);
    const statement = await only(story);
    expect(statement).toMatchObject({
      account: 'acc',
      currency: 'KES',
      total: {
        campaigns: 2,
        estimated: '7.00',
        sent: 5,
        charged: '3.205',
        unknown: 1,
        unknown_price: '0.80',
        uncertain: 1,
        at_stake: '0.80',
      },
      balance: {
        first: { credit: '100.00' },
        last: { credit: '150.00' },
        top_ups: [{ at: '2026-11-27T06:02:00.000Z', amount: '54.805' }],
        movement: '4.805',
        charged: '3.205',
        unexplained: '1.60',
        charged_outside: '0.00',
        reason: null,
      },
      by_campaign: [
        {
          id: 'a-1',
          name: 'one',
          sent: 2,
          charged: '0.805',
          estimated: '4.00',
          charged_on_other_days: '0.00',
        },
        { id: 'b-1', name: 'two', sent: 3, charged: '2.40', estimated: '3.00' },
      ],
      by_network: [
        { network: '1', sent: 4, charged: '2.405', unknown: 1 },
        { network: '2', sent: 1, charged: '0.80' },
        { network: null, sent: 0, charged: '0.00', uncertain: 1 },
      ],
      by_day: [{ day: '2026-11-27', sent: 5, charged: '3.205' }],
    });
    await addsUp(story, statement);
  });

  it('an unknown cost of a message that left before any price was known counts the price that is known now', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 3 });
    await story.readBalance(100 * KES);
    await story.claim({ priceMicro: null });
    await story.record(n, {
      1: { to: 'sent', costMicro: null },
      2: { to: 'sent', costMicro: 900_000 },
      3: { to: 'uncertain' },
    });
    await story.readBalance(97 * KES);
    const { total } = await only(story);
    expect(total).toMatchObject({ unknown: 1, unknown_price: '0.90', uncertain: 1, at_stake: '0.90' });
  });

  it('what is sent before midnight and reported after belongs to the day that it was sent on', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 2 });
    story.now = Date.parse('2026-11-27T23:59:58+03:00');
    await story.readBalance(10 * KES);
    await story.claim();
    story.now += 1_999;
    await story.record(n, { 1: { to: 'sent' } });
    story.now += 1;
    await story.record(n, { 2: { to: 'sent' } });
    await story.readBalance(10 * KES - 1_600_000);
    await story.report(`m${n}-1`, 'delivered');
    const both = await only(story, '2026-11-27', '2026-11-28');
    expect(both.by_day).toMatchObject([
      { day: '2026-11-27', sent: 1, charged: '0.80', balance: { movement: null, unexplained: null } },
      { day: '2026-11-28', sent: 1, charged: '0.80', balance: { movement: '1.60', unexplained: '0.00' } },
    ]);
    await addsUp(story, both);
    const first = await only(story, '2026-11-27');
    expect(first.by_campaign).toMatchObject([{ sent: 1, charged: '0.80', charged_on_other_days: '0.80' }]);
    expect(first.total).toMatchObject({ sent: 1, charged: '0.80', estimated: null });
    expect(first.balance).toMatchObject({
      movement: null,
      charged: null,
      unexplained: null,
      charged_outside: null,
      reason: 'only one balance reading of these days was taken with nothing in flight',
    });
    await addsUp(story, first);
  });

  it('a verdict that comes days later is charged on the day that it comes, and the days still add up', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 2 });
    await story.readBalance(10 * KES);
    await story.claim();
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'uncertain' } });
    story.now += 1_000;
    await story.readBalance(10 * KES - 1_600_000);
    const before = await only(story);
    expect(before.balance).toMatchObject({ movement: '1.60', charged: '0.80', unexplained: '0.80' });
    story.now += 24 * HOUR;
    await story.record(n, { 2: { to: 'sent', costMicro: 800_000 } });
    await story.readBalance(10 * KES - 1_600_000);
    const after = await only(story, '2026-11-27', '2026-11-28');
    expect(after.balance).toMatchObject({ movement: '1.60', charged: '1.60', unexplained: '0.00' });
    expect(after.by_day).toMatchObject([
      { day: '2026-11-27', balance: { movement: '1.60', unexplained: '0.80' } },
      { day: '2026-11-28', balance: { movement: '0.00', charged: '0.80', unexplained: '-0.80' } },
    ]);
    await addsUp(story, after);
  });

  it('readings that were taken while something was in flight prove nothing and are left out', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 1 });
    await story.claim();
    await story.readBalance(10 * KES);
    await story.readBalance(9 * KES);
    await story.record(n, { 1: { to: 'sent' } });
    const { balance } = await only(story);
    expect(balance).toMatchObject({ first: null, last: null, movement: null, unexplained: null });
    expect(balance.reason).toBe('no balance reading of these days was taken with nothing in flight');
  });

  it('accounts are told apart, and one with nothing in these days is left out', async () => {
    const story = await LedgerStory.begin();
    const one = await story.launch({ id: 'a-1', name: 'one', messages: 1, account: 'acc-1' });
    const two = await story.launch({ id: 'b-1', name: 'two', messages: 1, account: 'acc-2' });
    await story.claim();
    await story.record(one, { 1: { to: 'sent' } });
    await story.record(two, { 1: { to: 'sent', costMicro: KES } });
    const { accounts } = await statementOf(story);
    expect(accounts.map(({ account, total }) => [account, total.charged])).toEqual([
      ['acc-1', '0.80'],
      ['acc-2', '1.00'],
    ]);
    expect((await statementOf(story, '2026-11-26')).accounts).toEqual([]);
    expect((await statementOf(story, '2026-11-28')).accounts).toEqual([]);
  });

  it('any day between is the same as all days together', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 12 });
    await story.claim();
    const costs = [800_000, 805_000, 1, null, 1_600_000, 800_000];
    for (let seq = 1; seq <= 12; seq += 1) {
      await story.record(n, {
        [seq]: { to: 'sent', costMicro: costs[seq % 6] ?? null, network: String(seq % 3) },
      });
      story.now += 7 * HOUR;
    }
    const whole = await only(story, '2026-11-27', '2026-11-30');
    await addsUp(story, whole);
    const days = ['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30'];
    const each = await Promise.all(days.map((day) => only(story, day)));
    expect(sum(each.map(({ total }) => total.charged))).toBe(micro(whole.total.charged));
    expect(whole.by_day.map(({ charged }) => charged)).toEqual(each.map(({ total }) => total.charged));
    for (const day of each) await addsUp(story, day);
  });
});

describe('what a statement cannot tell, and what it leaves out', () => {
  it('an account that nothing was sent from is told of its balance, in the currency of the settings', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10 * KES);
    story.now += 1_000;
    await story.readBalance(9 * KES);
    const request = { from: '2026-11-27', to: '2026-11-27', zone: ZONE, currency: 'UGX' };
    const { accounts } = await accountStatement({ reader: await story.reader(), ...request });
    expect(accounts).toMatchObject([
      {
        account: 'acc',
        currency: 'UGX',
        total: { campaigns: 0, charged: '0.00' },
        balance: { movement: '1.00', unexplained: '1.00', charged_outside: '0.00' },
      },
    ]);
  });

  it('there is no sum of estimates where one campaign has none', async () => {
    const story = await LedgerStory.begin();
    const one = await story.launch({ id: 'a-1', name: 'one', messages: 1, estimatedMicro: 4 * KES });
    const two = await story.launch({ id: 'b-1', name: 'two', messages: 1 });
    await story.claim();
    await story.record(one, { 1: { to: 'sent' } });
    await story.record(two, { 1: { to: 'sent' } });
    const { total, by_campaign } = await only(story);
    expect(total.estimated).toBeNull();
    expect(by_campaign.map(({ estimated }) => estimated)).toEqual(['4.00', null]);
  });

  it('what was charged before the first of two readings is told as outside of them', async () => {
    const story = await LedgerStory.begin();
    for (const id of ['a-1', 'b-1']) {
      const n = await story.launch({ id, name: id, messages: 1 });
      await story.claim();
      await story.record(n, { 1: { to: 'sent' } });
      story.now += 1_000;
      await story.readBalance((id === 'a-1' ? 10 : 9) * KES);
    }
    const statement = await only(story);
    expect(statement.balance).toMatchObject({
      movement: '1.00',
      charged: '0.80',
      unexplained: '0.20',
      charged_outside: '0.80',
    });
    await addsUp(story, statement);
  });

  it('a day is compared with the last reading before it, however many days ago, and one without anything is left out', async () => {
    const story = await LedgerStory.begin();
    await story.readBalance(10 * KES);
    story.now += 48 * HOUR;
    const n = await story.launch({ messages: 1 });
    await story.claim();
    await story.record(n, { 1: { to: 'sent' } });
    story.now += 24 * HOUR;
    await story.readBalance(9 * KES);
    const { by_day } = await only(story, '2026-11-26', '2026-11-30');
    expect(by_day).toMatchObject([
      { day: '2026-11-27', charged: '0.00', balance: { first: { credit: '10.00' }, movement: null } },
      {
        day: '2026-11-29',
        charged: '0.80',
        balance: {
          first: null,
          reason: 'no balance reading of this day was taken with nothing in flight',
        },
      },
      {
        day: '2026-11-30',
        charged: '0.00',
        balance: { movement: '1.00', charged: '0.80', unexplained: '0.20' },
      },
    ]);
  });
});

describe('the page of a statement', () => {
  it('adds up line by line, and says what may explain the rest', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 2, estimatedMicro: 1_600_000 });
    await story.readBalance(1_000 * KES);
    await story.claim();
    await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent', costMicro: null } });
    story.now += 1_000;
    await story.readBalance(1_000 * KES - 1_600_000);
    const page = statementTable(await statementOf(story), PLAIN);
    expect(page).toContain('Cost not known                       1  sent, up to KES 0.80 more');
    const amounts = [...page.matchAll(/^ {2}(First reading|[-=] \w+).*KES (-?[\d,]+\.\d+)/gm)];
    expect(amounts.map(([, label, amount]) => [label, amount])).toEqual([
      ['First reading', '1,000.00'],
      ['- charged', '0.80'],
      ['- unexplained', '0.80'],
      ['= last', '998.40'],
    ]);
    expect(page).toContain('1 of unknown cost or uncertain may explain it');
    expect(page).toMatch(/^2026-11-27 +2 +0\.80 +1 +0 +1\.60 +0\.80$/m);
  });

  it('does not call every cent accounted for where a top-up may hide some', async () => {
    for (const costMicro of [null, 800_000]) {
      const story = await LedgerStory.begin();
      const n = await story.launch({ messages: 1 });
      await story.readBalance(10 * KES);
      story.now += 1_000;
      await story.claim();
      await story.record(n, { 1: { to: 'sent', costMicro } });
      story.now += 1_000;
      await story.readBalance(60 * KES);
      expect(statementTable(await statementOf(story), PLAIN)).toMatch(
        costMicro === null
          ? /unexplained +KES 0\.00 +a top-up hides what/
          : /0\.00 +every cent is accounted for/,
      );
    }
  });

  it('says so when there is nothing', async () => {
    const story = await LedgerStory.begin();
    await story.launch();
    const page = statementTable(await statementOf(story), PLAIN);
    expect(page).toContain('Nothing was sent in these days');
  });
});

describe('the days of a statement', () => {
  it('begin at midnight of the zone', () => {
    const { days, midnights } = statementDays({ from: '2026-11-27', to: '2026-11-28', zone: ZONE });
    expect(days).toEqual(['2026-11-27', '2026-11-28']);
    expect(midnights).toEqual([T0 - 9 * HOUR, T0 + 15 * HOUR, T0 + 39 * HOUR]);
  });

  it('are 23 and 25 hours long when the clock changes, and one without a midnight begins when it does', () => {
    const lengths = (from: string, zone: string) => {
      const { midnights } = statementDays({ from, to: from, zone });
      return ((midnights[1] ?? 0) - (midnights[0] ?? 0)) / HOUR;
    };
    expect(lengths('2026-03-29', 'Europe/Berlin')).toBe(23);
    expect(lengths('2026-10-25', 'Europe/Berlin')).toBe(25);
    // Cairo's clock goes from 00:00 to 01:00.
    expect(lengths('2026-04-24', 'Africa/Cairo')).toBe(23);
    expect(lengths('2026-04-23', 'Africa/Cairo')).toBe(24);
  });

  it.each(['2026-02-29', '2026-13-01', '26-11-01', 'today', '2026-11-1'])('%s is none', (text) => {
    expect(isDate(text)).toBe(false);
  });

  it('are counted with both ends', () => {
    expect(countDays('2026-11-27', '2026-11-27')).toBe(1);
    expect(countDays('2026-11-27', '2026-11-26')).toBe(0);
  });
});
