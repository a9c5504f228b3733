import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeUser, signedIn } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

let web: WebHere;
let story: LedgerStory;

beforeAll(async () => {
  story = await LedgerStory.begin();
  await story.readBalance(3_000_000);
  const done = await story.launch({ id: 'done-1', name: 'harvest-offer', contacts: 'a', messages: 4 });
  await story.claim();
  story.now += 1_000;
  await story.record(done, {
    1: { to: 'sent' },
    2: { to: 'sent' },
    3: { to: 'sent' },
    4: { to: 'uncertain', reason: 'no answer' },
  });
  for (const seq of [1, 2, 3]) await story.report(`m${done}-${seq}`, 'delivered');
  const paused = await story.launch({
    id: 'fees-1',
    name: 'school-fees',
    contacts: 'b',
    messages: 5,
    budgetMicro: 1_000_000,
    estimatedMicro: 4_000_000,
  });
  await story.ledger.pause(paused, { now: story.now, by: 'worker', reason: 'budget' });
  await story.launch({
    id: 'loan-1',
    name: 'loan-due',
    contacts: 'c',
    messages: 2,
    estimatedMicro: 1_600_000,
    startAt: story.now + 86_400_000,
  });
  web = await (await WebHere.open(story.directory, {}, story.now)).signIn();
});

/** The names of the campaigns in the list, in order. */
async function listed(address: string): Promise<string[]> {
  const { text } = await web.get(address);
  const table = text.slice(text.indexOf('id="all"'));
  return [...table.matchAll(/rowheader"><a href="\/campaigns\/[^"]+">([^<]+)</g)].map(
    ([, name]) => name ?? '',
  );
}

test('the list shows each campaign with what it came to', async () => {
  expect(await listed('/campaigns')).toEqual(['loan-due', 'school-fees', 'harvest-offer']);
  const { text } = await web.get('/campaigns');
  expect(text).toContain('3 of 4');
  expect(text).toContain('100.0 %');
  expect(text).toContain('2 people');
});

test('the list is asked by state and by a part of the name', async () => {
  expect(await listed('/campaigns?state=paused')).toEqual(['school-fees']);
  expect(await listed('/campaigns?name=LOAN')).toEqual(['loan-due']);
  expect(await listed('/campaigns?name=nobody')).toEqual([]);
  expect(await listed('/campaigns?state=nonsense')).toHaveLength(3);
});

test('what waits for a person has one thing to do about it', async () => {
  const { text } = await web.get('/campaigns');
  expect(text).toContain('is paused: the budget is used up');
  expect(text).toContain('<a class="button" href="/campaigns/fees-1/budget">Raise the budget</a>');
  expect(text).toContain('<a class="button" href="/campaigns/done-1/uncertain">Decide</a>');
});

test('what comes next tells what the balance lacks by then', async () => {
  const { text } = await web.get('/campaigns');
  const next = text.slice(text.indexOf('id="next"'), text.indexOf('id="all"'));
  expect(next).toContain('loan-due');
  expect(next).toContain('5.00 short');
});

test('a home in which nothing was sent says what to do first', async () => {
  const empty = await (await WebHere.open((await LedgerStory.begin()).directory)).signIn();
  const { text } = await empty.get('/campaigns');
  expect(text).toContain('Nothing has been sent yet');
  expect(text).toContain('Make a campaign from your contacts');
  await makeUser(empty, 'vera', 'viewer');
  const seen = (await (await signedIn(empty, 'vera')).ask('/campaigns')).text;
  expect(seen).toContain('once an operator makes them');
  expect(seen).not.toContain('Make a campaign');
  expect(text).toContain('href="/campaigns/new"');
});

test('the budget is raised to an amount above it, and the campaign goes on', async () => {
  const low = await web.post('/campaigns/fees-1/budget', { shown: '5', budget: '1.00' });
  expect(low.status).toBe(422);
  expect(low.text).toContain('The budget is KES 1.00 now, and it is never lowered');
  expect((await web.post('/campaigns/fees-1/budget', { shown: '5', budget: 'much' })).status).toBe(422);
  expect((await web.post('/campaigns/fees-1/budget', { shown: '5', budget: 'KES 5,000' })).status).toBe(303);
  const [campaign] = await (await web.services.reader()).find('fees-1');
  expect([campaign?.state, campaign?.budgetMicro]).toEqual(['running', 5_000_000_000]);
});
