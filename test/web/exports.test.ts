import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { MOST_STREAMED_ROWS } from '../../src/campaign/tasks/begin-export.ts';
import { ApiHere } from '../support/api-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { type WorkHere, workHere } from '../support/tasks-here.ts';
import { makeUser, signedIn, type WebBrowser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

/* Files of more rows than a page answers at once. */

const ROWS = MOST_STREAMED_ROWS + 1;
let story: LedgerStory;
let web: WebHere;
let work: WorkHere;
let otto: WebBrowser;

beforeAll(async () => {
  story = await LedgerStory.begin();
  await story.launch({ id: 'big-1', name: 'promo', messages: ROWS });
  web = await WebHere.open(story.directory, {}, story.now);
  work = await workHere(web.services);
  for (const [name, role] of [
    ['otto', 'operator'],
    ['olga', 'operator'],
    ['ada', 'admin'],
  ] as const)
    await makeUser(web, name, role);
  otto = await signedIn(web, 'otto');
}, 60_000);

const exportsOf = () => readdirSync(join(story.directory, 'exports'));
const taskOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['location']);

test('a large file is made apart, once for two clicks, and downloaded by who asked', async () => {
  const page = await otto.ask('/campaigns/big-1');
  expect(page.text).toContain('<a href="/campaigns/big-1/messages.csv">');
  const asked = await otto.ask('/campaigns/big-1/messages.csv');
  expect(asked.headers['content-type']).toContain('text/html');
  expect(asked.text).toContain('20,001 rows');
  const [one, two] = await Promise.all([
    otto.send('/campaigns/big-1/messages.csv', {}, '/campaigns/big-1/messages.csv'),
    otto.send('/campaigns/big-1/messages.csv', {}, '/campaigns/big-1/messages.csv'),
  ]);
  expect([one.status, taskOf(two)]).toEqual([303, taskOf(one)]);
  const id = taskOf(one).split('/').at(-1) ?? '';
  await work.tasks.ended(id);
  const done = await otto.ask(taskOf(one));
  expect(done.text).toContain('The file is ready');
  expect(done.text).toContain('20,001 rows');
  const file = await otto.ask(`${taskOf(one)}/file`);
  expect(file.headers['content-disposition']).toBe('attachment; filename="messages-big-1.csv"');
  expect(file.text.trim().split('\n')).toHaveLength(ROWS + 1);
  expect((await otto.ask('/campaigns/big-1')).text).toContain(`<a href="${taskOf(one)}">messages.csv</a>`);
  const [name = ''] = exportsOf();
  expect(statSync(join(story.directory, 'exports', name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(story.directory, 'exports')).mode & 0o777).toBe(0o700);
  const trail = await (await web.services.reader()).auditTrail({ campaign: 1, limit: 10 });
  expect(trail.entries.filter(({ verb }) => verb === 'export')).toMatchObject([
    { by: 'otto', detail: { format: 'csv', as: 'messages' } },
  ]);
});

test('another operator finds neither task nor file; an admin does', async () => {
  const begun = await otto.send('/campaigns/big-1/messages.xlsx', {}, '/campaigns/big-1/messages.csv');
  await work.tasks.ended(taskOf(begun).split('/').at(-1) ?? '');
  const olga = await signedIn(web, 'olga');
  for (const path of [taskOf(begun), `${taskOf(begun)}/file`])
    expect((await olga.ask(path)).status).toBe(404);
  expect((await olga.ask('/campaigns/big-1')).text).not.toContain(taskOf(begun));
  const ada = await signedIn(web, 'ada');
  expect((await ada.ask(`${taskOf(begun)}/file`)).text.slice(0, 2)).toBe('PK');
});

test('work whose process died is shown as stopped, and goes on with the button', async () => {
  work.dieNext();
  const begun = await otto.send(
    '/campaigns/big-1/contacts.csv',
    { state: 'queued' },
    '/campaigns/big-1/contacts.csv?state=queued',
  );
  const id = taskOf(begun).split('/').at(-1) ?? '';
  await work.tasks.ended(id);
  expect((await otto.ask(taskOf(begun))).text).toContain('It stopped before its end');
  const again = await otto.send(`/tasks/${id}/again`, {}, taskOf(begun));
  expect(again.status).toBe(303);
  await work.tasks.ended(id);
  expect((await otto.ask(`/tasks/${id}/file`)).text.trim().split('\n')).toHaveLength(ROWS + 1);
});

test('a day after its end task and file are gone, and so are files of no task', async () => {
  const stray = join(story.directory, 'exports', 'feedfeedfeedfeed-00000000.csv');
  writeFileSync(stray, 'left by a kill');
  const clock = { ...web.services.clock, now: () => story.now + 25 * 3_600_000 };
  Object.assign(web.services, { clock });
  const later = await workHere(web.services);
  await later.tasks.endOld();
  expect(existsSync(stray)).toBe(false);
  expect(exportsOf()).toEqual([]);
  expect(await later.tasks.list()).toEqual([]);
});

test('the API names the way to a large file, makes it once for a key, and hands it over', async () => {
  const api = await ApiHere.open(story.directory);
  const apart = await workHere(api.services);
  const refused = await api.get('/campaigns/big-1/export?format=csv');
  expect([refused.status, refused.body.code]).toEqual([422, 'too_many_rows']);
  expect(refused.body.hint).toContain('POST /campaigns/big-1/exports');
  const key = { 'idempotency-key': 'k-1' };
  const begun = await api.post('/campaigns/big-1/exports', { format: 'ndjson' }, key);
  expect([begun.status, begun.body.state, begun.body.total]).toEqual([202, 'working', ROWS]);
  expect((await api.post('/campaigns/big-1/exports', { format: 'ndjson' }, key)).body.id).toBe(begun.body.id);
  await apart.tasks.ended(begun.body.id);
  const done = (await api.get(`/tasks/${begun.body.id}`)).body;
  expect(done).toMatchObject({
    state: 'done',
    done: ROWS,
    file: { name: 'messages-big-1.ndjson', rows: ROWS },
  });
  const file = await api.get(`/tasks/${begun.body.id}/file`);
  expect(file.body.trim().split('\n')).toHaveLength(ROWS);
  const other = await api.as('operator');
  expect((await other.get(`/tasks/${begun.body.id}`)).status).toBe(200);
  expect((await (await api.as('viewer')).get(`/tasks/${begun.body.id}`)).status).toBe(403);
  expect((await api.post('/campaigns/big-1/exports', { as: 'contacts' })).status).toBe(422);
});
