import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobKeys } from '../../../src/campaign/jobs/job-text.ts';
import type { Preparations } from '../../../src/campaign/prepare/preparations.ts';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';
import { WebHere } from '../../support/web-here.ts';

let launching: LaunchingHome;
let web: WebHere;
let preparations: Preparations;

beforeAll(async () => {
  launching = await openLaunchingHome();
  // No TUMA_SENDER: each campaign names its own.
  web = await WebHere.open(launching.home, launching.env);
  await web.signIn();
  preparations = await web.services.preparations();
});
afterAll(() => launching.close());

/** The address of the check of a planned draft. */
async function checkOf(job: Partial<JobKeys>, list: string): Promise<string> {
  const actor = { name: 'mary', identities: ['mary'], mayApprove: false };
  const { id, revision } = await preparations.create(actor, {
    job: { name: 'rent', kind: 'transactional', message: 'Hi <<name>>', window: 'always', ...job },
  });
  const stream = Readable.from([Buffer.from(list)]);
  const kept = await preparations.keepContacts(id, { revision, actor, name: 'l.csv', stream, length: null });
  await preparations.plan(id, { revision: kept.revision, actor });
  await preparations.planned(id);
  return `/campaigns/new/${id}/check`;
}

const english = { 'accept-language': 'en' };
const swahili = { 'accept-language': 'sw' };

test('without a sender the check names the field of the page, and the way to it', async () => {
  const check = await checkOf({}, 'phone,name\n0712000001,Ann\n');
  const { text } = await web.get(check, english);
  const message = check.replace(/check$/, 'message');
  expect(text).toContain(`<a href="${message}">Say who it is from: write the sender</a>`);
  expect(text).not.toMatch(/`|TUMA_SENDER|job file/);
});

test('warnings and reasons of rows stand in the language of the reader', async () => {
  const list = 'phone,name\n0712000001,Ann\n0712000002,N/A\n0712000003,\n+256772000001,Uma\n12,Cy\n';
  const check = await checkOf({ sender: 'DUKA', message: 'Hi <<name>>, {code}' }, list);
  const shown = (await web.get(check, english)).text;
  expect(shown).toContain('1 row has “N/A” or the like in name, and people would read that.');
  for (const reason of ['Nothing in name', 'Another country: Uganda', 'A short code'])
    expect(shown).toContain(reason);
  const { text } = await web.get(check, swahili);
  expect(text).toContain('Mstari 1 una “N/A” au mfano wake katika name');
  for (const reason of ['Hakuna kitu katika name', 'Nchi nyingine: Uganda', 'Namba fupi'])
    expect(text).toContain(reason);
  expect(text).not.toMatch(/people would read|program's word|missing name|short code/);
});
