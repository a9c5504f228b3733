import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LaunchingHome, openLaunchingHome } from '../cli/launching-home.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { workHere } from '../support/tasks-here.ts';
import { makeUser, signedIn, WebBrowser } from '../support/web-browser.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebHere } from '../support/web-here.ts';

/* Two machines serve the pages of one ledger, and share a folder. A proxy sends a person to either of them. */

let launching: LaunchingHome;
let folder: string;
let one: WebHere;
let other: WebHere;
let mary: WebBrowser;
/** Mary's browser, whose next request reaches the other machine. */
let maryThere: WebBrowser;

beforeAll(async () => {
  launching = await openLaunchingHome();
  folder = makeTempDir();
  const shared = { ...launching.env, TUMA_SENDER: 'DUKA', TUMA_SHARED_FOLDER: folder };
  one = await WebHere.open(launching.home, shared);
  const { ledgerFile } = one.services.config;
  other = await WebHere.open(makeTempDir(), { ...shared, TUMA_DATABASE_URL: `sqlite:${ledgerFile}` });
  await makeUser(one, 'mary', 'operator');
  mary = await signedIn(one, 'mary');
  maryThere = new WebBrowser(other);
  for (const [name, value] of mary.cookies) maryThere.cookies.set(name, value);
});
afterAll(() => launching.close());

test('a form of one machine is taken by the other', async () => {
  const token = await mary.formToken('/campaigns');
  const answer = await maryThere.ask('/find', { method: 'POST', fields: { _csrf: token, q: '0712000001' } });
  expect(answer.status).toBe(303);
});

test('a draft that is uploaded at one machine is planned and launched at the other', async () => {
  const actor = { name: 'mary', identities: ['mary'], mayApprove: false };
  const job = { name: 'shared', kind: 'transactional', message: 'Hi <<name>>', window: 'always' } as const;
  const [here, there] = [await one.services.preparations(), await other.services.preparations()];
  const { id, revision } = await here.create(actor, { job });
  const stream = Readable.from([Buffer.from('phone,name\n0712000001,Ann\n')]);
  await here.keepContacts(id, { revision, actor, name: 'list.csv', stream, length: null });
  const place = `/campaigns/new/${id}`;
  await maryThere.send(`${place}/plan`, {}, `${place}/check`);
  await there.planned(id);
  const form = (await mary.ask(`${place}/launch`)).text;
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(form)?.[1] ?? '';
  const said = {
    revision: hidden('revision'),
    digest: hidden('digest'),
    name: 'shared',
    new_ledger: 'true',
    people: '1',
  };
  await maryThere.send(`${place}/launch`, said, `${place}/launch`);
  await there.planned(id);
  expect((await mary.ask('/campaigns')).text).toContain('shared');
  const left = () => readdirSync(join(folder, 'preparations'));
  await waitFor(() => left().length === 0, { what: 'the files of the launched draft to go' });
});

test('a file that is made at one machine is downloaded from the other', async () => {
  const work = await workHere(one.services);
  await workHere(other.services);
  const [overview] = await (await one.services.reader()).campaigns();
  const campaign = overview?.campaign.id ?? '';
  const wish = { format: 'csv', as: 'messages', state: null, delivery: null, reason: null } as const;
  const { id } = await work.tasks.begin(
    { name: 'mary', identities: ['mary'], isAdmin: false },
    {
      asked: { kind: 'export', campaign, ...wish, withText: false, withFields: false },
      total: 1,
      audit: null,
    },
  );
  await work.tasks.ended(id);
  const file = await maryThere.ask(`/tasks/${id}/file`);
  expect([file.status, file.text.split('\n').length]).toEqual([200, 3]);
});

test('a shared folder that is not mounted is refused and never made', async () => {
  const missing = join(makeTempDir(), 'not-mounted');
  await expect(WebHere.open(makeTempDir(), { TUMA_SHARED_FOLDER: missing })).rejects.toMatchObject({
    code: 'config_invalid',
    where: 'TUMA_SHARED_FOLDER',
  });
  expect(readdirSync(join(missing, '..'))).toEqual([]);
});
