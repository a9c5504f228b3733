import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

let story: LedgerStory;
let web: WebHere;

beforeAll(async () => {
  story = await LedgerStory.begin();
  const n = await story.launch({ id: 'promo-1', name: 'black friday', messages: 10 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: { to: 'sent' }, 4: { to: 'sent' } });
  web = await WebHere.open(story.directory);
  await web.signIn();
});

test('x', async () => {
  const d = JSON.parse((await web.get('/api/v1/openapi.json')).text);
  console.log(JSON.stringify(d, null, 1).slice(0,200000));
});
