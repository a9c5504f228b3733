import { expect, test } from 'vitest';
import { askedFrom } from '../../src/ledger/contracts/asked-from.ts';
import { auditFacts } from '../../src/reports/audit-facts.ts';
import { audit as swahili } from '../../src/web/words/sw/audit.ts';
import { liveIn } from '../support/lived-in-home.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeUser, signedIn } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

test('the audit says who did what and from where, in pages, of everything or of one campaign', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ id: 'promo-1', name: 'promo <1>', budgetMicro: 1_000_000 });
  await askedFrom.run({ from: '10.0.0.7' }, async () => {
    const entries = [{ mobile: '254711000001', source: 'operator', by: 'grace' } as const];
    await story.ledger.addOptOuts(entries, story.now);
    await story.ledger.resume(n, { now: story.now, by: 'grace', budgetMicro: 5_000_000 });
  });
  await askedFrom.run({ from: '::1' }, async () => {
    for (let index = 0; index < 60; index += 1) {
      await story.ledger.pause(n, { now: story.now, by: 'ann', reason: 'operator' });
      await story.ledger.resume(n, { now: story.now, by: 'ann' });
    }
  });
  const web = await WebHere.open(story.directory);
  await web.signIn();
  const first = (await web.get('/audit')).text;
  expect(first.match(/<tr role="row"/g)).toHaveLength(101);
  expect(first).toContain('data-label="From">::1</td>');
  const [, next = ''] = /href="(\/audit\?before=[^"]+)"/.exec(first) ?? [];
  const second = (await web.get(next)).text;
  expect(second).toContain('numbers 1, mobile 2547****0001, source operator');
  expect(second).toContain('>grace</td><td role="cell" class="" data-label="From">10.0.0.7</td>');
  expect(second).toContain('<a href="/campaigns/promo-1">promo &lt;1&gt;</a>');
  const own = (await web.get('/audit?campaign=promo-1')).text;
  expect(own).toContain('Only campaign promo &lt;1&gt;.');
  expect((await web.get('/audit?campaign=none')).status).toBe(404);
});

test('in Swahili each fact has its word, and what stays English is marked', async () => {
  const home = await liveIn();
  const web = await (await WebHere.open(home.story.directory, home.env, home.story.now)).signIn();
  await makeUser(web, 'ada', 'admin');
  const { entries } = await (await web.services.reader()).auditTrail({ campaign: null, limit: 200 });
  const names = new Set(entries.flatMap(({ detail }) => auditFacts(detail).map(({ name }) => name)));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !Object.hasOwn(swahili.facts, name))).toEqual([]);
  const ada = await signedIn(web, 'ada');
  const { text } = await ada.ask('/audit', { headers: { 'accept-language': 'sw' } });
  expect(text).toContain('jukumu msimamizi');
  expect(text).toMatch(/chanzo <span lang="en">\w+<\/span>/);
});
