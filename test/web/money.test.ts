import { expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

async function pages(): Promise<WebHere> {
  const story = await LedgerStory.begin();
  await story.readBalance(100_000_000);
  const n = await story.launch({ id: 'promo-1', name: 'promo <1>', messages: 4 });
  await story.claim();
  story.now += 1_000;
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'sent', network: '2', costMicro: 1_600_000 },
    3: { to: 'sent', costMicro: null },
    4: { to: 'uncertain' },
  });
  story.now += 1_000;
  await story.ledger.resolve(n, { now: story.now, by: 'ann', decision: 'write_off', before: story.now });
  await story.readBalance(95_000_000);
  const web = await WebHere.open(story.directory);
  return web.signIn();
}

/** The amounts of each sum of a page, the total last. */
function sums(text: string): string[][] {
  return [...text.matchAll(/<table class="sum">(.*?)<\/table>/gs)].map(([, table = '']) =>
    [...table.matchAll(/<td class="n">([^<]+)<\/td>/g)].map(([, amount = '']) => amount.replace('KES ', '')),
  );
}

test('the sums of the page add up, and what the balance cannot explain is said', async () => {
  const { status, text } = await (await pages()).get('/money?from=2026-11-27&to=2026-11-28');
  expect(status).toBe(200);
  const [charged = [], balance = []] = sums(text).map((rows) => rows.map(Number));
  expect(charged.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(charged.at(-1) ?? 0);
  const [first = 0, minusCharged = 0, minusUnexplained = 0, last = 0] = balance;
  expect(first - minusCharged - minusUnexplained).toBeCloseTo(last);
  expect(text).toContain(
    'was taken without a known charge. What may explain it: messages of unknown cost or uncertain (2).',
  );
  expect(text).toContain('<a href="/campaigns/promo-1">promo &lt;1&gt;</a>');
});

test('other days, days that are none and days in the wrong order', async () => {
  const web = await pages();
  expect((await web.get('/money?from=2020-01-01&to=2020-01-31')).text).toContain(
    'Nothing was sent in these days',
  );
  const none = await web.get('/money?from=yesterday&to=2026-11-28');
  expect([none.status, none.text.includes('“yesterday” is no day')]).toEqual([422, true]);
  const back = await web.get('/money?from=2026-11-28&to=2026-11-27');
  expect([back.status, back.text.includes('after the last one')]).toEqual([422, true]);
});

test('each list comes as a CSV', async () => {
  const web = await pages();
  for (const by of ['campaign', 'network', 'day'])
    expect((await web.get(`/money.csv?by=${by}&from=2026-11-27&to=2026-11-27`)).text).toMatch(
      new RegExp(`^${by},`),
    );
  expect((await web.get('/money.csv?by=all')).status).toBe(404);
});
