import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Preparations } from '../../../src/campaign/prepare/preparations.ts';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';
import { makeUser, signedIn, type WebBrowser } from '../../support/web-browser.ts';
import { WebHere } from '../../support/web-here.ts';

let launching: LaunchingHome;
let web: WebHere;
let mary: WebBrowser;
let peter: WebBrowser;
let preparations: Preparations;

beforeAll(async () => {
  launching = await openLaunchingHome();
  web = await WebHere.open(launching.home, { ...launching.env, TUMA_SENDER: 'DUKA' });
  await makeUser(web, 'mary', 'approver');
  await makeUser(web, 'peter', 'approver');
  mary = await signedIn(web, 'mary');
  peter = await signedIn(web, 'peter');
  preparations = await web.services.preparations();
  await (await web.services.ledger()).setApproval({ on: true, now: web.services.clock.now(), by: 'test' });
});
afterAll(() => launching.close());

/** A planned draft of Mary's. */
async function preparedByMary(name: string): Promise<string> {
  const actor = { name: 'mary', identities: ['mary'], mayApprove: true };
  const job = { name, kind: 'transactional', message: 'Hi <<name>>', window: 'always' } as const;
  const { id, revision } = await preparations.create(actor, { job });
  const stream = Readable.from([Buffer.from('phone,name\n0712000001,Ann\n')]);
  await preparations.keepContacts(id, { revision, actor, name: 'list.csv', stream, length: null });
  const place = `/campaigns/new/${id}`;
  await mary.send(`${place}/plan`, {}, `${place}/check`);
  await preparations.planned(id);
  return place;
}

const hidden = (text: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';

test('who prepared it asks, another approver says no with a reason, and yes after a change', async () => {
  const place = await preparedByMary('reviewed');
  const own = (await mary.ask(`${place}/launch`)).text;
  expect(own).toContain('Somebody else must say yes first');
  expect(own).not.toContain('Type the campaign');
  const forced = { revision: hidden(own, 'revision'), name: 'reviewed', digest: 'x', new_ledger: 'true' };
  expect((await mary.send(`${place}/launch`, forced, `${place}/launch`)).status).toBe(403);
  await mary.send(`${place}/ask`, { revision: hidden(own, 'revision') }, `${place}/launch`);
  const waiting = (await mary.ask(`${place}/launch`)).text;
  expect(waiting).toContain('mary asked for approval');
  expect(waiting).toContain('Who may say yes: peter.');
  expect((await mary.ask('/campaigns')).text).toContain('Who may say yes: peter.');

  const seen = (await peter.ask(`${place}/launch`)).text;
  expect(seen).toContain('Approve: Launch to 1 person');
  const unsaid = await peter.send(
    `${place}/refuse`,
    { revision: hidden(seen, 'revision'), reason: ' ' },
    `${place}/launch`,
  );
  expect([unsaid.status, unsaid.text.includes('Say why,')]).toEqual([422, true]);
  const no = { revision: hidden(seen, 'revision'), reason: 'Wrong <b>price</b>' };
  await peter.send(`${place}/refuse`, no, `${place}/launch`);
  const refused = (await mary.ask(`${place}/launch`)).text;
  expect(refused).toContain('Approval was refused');
  expect(refused).toContain('Wrong &lt;b&gt;price&lt;/b&gt;');

  const text = { revision: hidden(refused, 'revision'), text: 'Hello <<name>>', do: 'next' };
  expect((await mary.send(`${place}/message`, text, `${place}/message`)).location).toBe(`${place}/when`);
  await preparations.planned(place.split('/')[3] ?? '');
  const again = (await mary.ask(`${place}/launch`)).text;
  await mary.send(`${place}/ask`, { revision: hidden(again, 'revision') }, `${place}/launch`);

  const form = (await peter.ask(`${place}/launch`)).text;
  const [revision, digest] = [hidden(form, 'revision'), hidden(form, 'digest')];
  await peter.send(
    `${place}/launch`,
    { revision, digest, name: 'reviewed', new_ledger: 'true' },
    `${place}/launch`,
  );
  const { campaign } = await preparations.planned(place.split('/')[3] ?? '');
  expect(campaign).not.toBeNull();
  expect((await peter.ask(`${place}/launch`)).location).toBe(`/campaigns/${campaign}`);
});

test('nobody asks where nobody may say yes, and a page says so when the last approver has gone', async () => {
  const place = await preparedByMary('lonely');
  const [ledger, now] = [await web.services.ledger(), web.services.clock.now()];
  const own = (await mary.ask(`${place}/launch`)).text;
  const revision = hidden(own, 'revision');
  await ledger.changeRole({ name: 'peter', role: 'operator', now, by: 'test' });
  try {
    const alone = (await mary.ask(`${place}/launch`)).text;
    expect(alone).toContain('Nobody here may say yes to it');
    expect(alone).not.toContain('Ask for approval');
    const forced = await mary.send(`${place}/ask`, { revision }, '/campaigns');
    expect(forced.status).toBe(403);
    expect((await preparations.find(place.split('/')[3] ?? '')).state).toBe('open');
  } finally {
    await ledger.changeRole({ name: 'peter', role: 'approver', now, by: 'test' });
  }
  await mary.send(`${place}/ask`, { revision }, `${place}/launch`);
  await ledger.changeRole({ name: 'peter', role: 'operator', now, by: 'test' });
  expect((await mary.ask('/campaigns')).text).toContain('Nobody here may say yes to it');
});
