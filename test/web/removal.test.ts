import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { taskDocument } from '../../src/web/api/schemas/task.ts';
import { ApiHere } from '../support/api-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { type WorkHere, workHere } from '../support/tasks-here.ts';
import { makeUser, signedIn, type WebBrowser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

/* Personal data is removed on the pages and by the API: of old campaigns, and of one person. */

const DAY = 86_400_000;
const ANN = '254711000001';
let story: LedgerStory;
let web: WebHere;
let work: WorkHere;
let ada: WebBrowser;
let n = 0;

beforeEach(async () => {
  story = await LedgerStory.begin();
  n = await story.launch({ id: 'old-1', name: 'promo', rows: [{ mobile: ANN }, {}] });
  await story.claim();
  await story.record(n, { 1: { to: 'sent', messageId: 'X-1' }, 2: { to: 'sent' } });
  await story.report('X-1', 'delivered');
  await story.reply(ANN, 'my secret answer', null);
});

async function openAt(now: number): Promise<void> {
  web = await WebHere.open(story.directory, {}, now);
  work = await workHere(web.services);
  await makeUser(web, 'ada', 'admin');
  await makeUser(web, 'otto', 'operator');
  ada = await signedIn(web, 'ada');
}

const idIn = (location: string | null) => location?.split('/').at(-1) ?? '';
const mobiles = async () =>
  (await (await story.reader()).messages({ campaign: n, afterSeq: 0, limit: 9, states: null })).map(
    ({ mobile }) => mobile,
  );

test('old data goes only for the numbers that were shown and for the typed word; the page says what went', async () => {
  await openAt(story.now + 200 * DAY);
  const page = await ada.ask('/purge?days=180');
  expect(page.text).toContain('Remove the data of 2 messages');
  expect(page.text).toContain('Opt-outs and dead numbers');
  const [, before = ''] = /name="before" value="(\d+)"/.exec(page.text) ?? [];
  const form = { days: '180', before, shown: '1-2', word: 'remove' };
  const send = (changed: object) => ada.send('/purge', { ...form, ...changed }, '/purge');
  expect((await send({ shown: '1-3' })).status).toBe(409);
  expect((await send({ word: 'yes' })).status).toBe(422);
  expect((await send({ before: String(story.now + 200 * DAY) })).status).toBe(409);
  expect((await mobiles())[0]).toBe(ANN);
  const { status, location } = await send({});
  expect(status).toBe(303);
  await work.tasks.ended(idIn(location));
  const done = await ada.ask(location ?? '');
  expect(done.text).toContain('Removed from 2 messages in 1 campaign.');
  expect(await mobiles()).toEqual(['purged-1', 'purged-2']);
  expect((await ada.ask('/purge')).text).toContain(`href="${location}"`);
  const otto = await signedIn(web, 'otto');
  expect((await otto.ask('/purge')).status).toBe(403);
  expect((await ada.ask('/purge?days=1')).status).toBe(422);
});

test('one person is erased from Find: what waits is named first, and afterwards no text of the person is left', async () => {
  const later = await story.launch({ id: 'late-1', name: 'later', rows: [{ mobile: ANN }] });
  await openAt(story.now + 1_000);
  const found = (await ada.send('/find', { q: '0711000001' }, '/find')).location ?? '';
  const page = (await ada.ask(found)).text;
  const [, at = ''] = /href="(\/erase\/[^"]+)"/.exec(page) ?? [];
  expect(at).not.toContain('711000001');
  const asked = await ada.ask(at);
  expect(asked.text).toContain('Messages still to send: 1.');
  expect(asked.text).not.toContain('name="word"');
  expect((await ada.send(at, { shown: '3', word: 'remove' }, found)).status).toBe(409);
  await story.ledger.cancelPerson(later, { mobile: ANN, now: story.now, by: 'test' });
  expect((await ada.ask(at)).text).toContain('name="word"');
  expect((await ada.send(at, { shown: '2', word: 'remove' })).status).toBe(409);
  expect((await ada.send(at, { shown: '3', word: 'no' })).status).toBe(422);
  const { location } = await ada.send(at, { shown: '3', word: 'Remove' });
  await work.tasks.ended(idIn(location));
  expect((await ada.ask(location ?? '')).text).toContain('Removed from 2 messages and 1 answer.');
  expect(await mobiles()).toEqual(['purged-1', expect.stringMatching(/^2547/)]);
  expect((await ada.ask('/messages/old-1/1')).text).not.toContain('/erase/');
  const marks = await (await story.reader()).task(idIn(location));
  expect(JSON.stringify(marks)).not.toContain(ANN);
  const otto = await signedIn(web, 'otto');
  expect((await otto.ask(at)).status).toBe(403);
  expect((await otto.ask(found)).text).not.toContain('/erase/');
  expect(await (await story.reader()).violations(null)).toEqual([]);
});

test('the API looks, refuses another count, and does the same as a task', async () => {
  const api = await (await ApiHere.open(story.directory)).as('admin');
  const apart = await workHere(api.services);
  expect((await api.post('/erasures/look', { mobile: '0711 000 001' })).body).toMatchObject({
    messages: 1,
    replies: 1,
    campaigns: ['old-1'],
    waits: { queued: 0, maybe_stops: 0 },
  });
  expect((await api.post('/erasures', { mobile: ANN, found: 9 })).body).toMatchObject({
    code: 'count_changed',
    now: 2,
  });
  const begun = await api.post('/erasures', { mobile: ANN, found: 2 });
  expect([begun.status, begun.body.kind]).toEqual([202, 'erase']);
  await apart.tasks.ended(begun.body.id);
  const done = (await api.get(`/tasks/${begun.body.id}`)).body;
  expect(done).toMatchObject({ state: 'done', removed: { messages: 1, replies: 1, shared: 0 } });
  expect(readFileSync(story.file).toString('latin1')).not.toContain('my secret answer');
  expect((await api.get('/purges/look?older_than=1h')).body.code).toBe('usage');
  const look = (await api.get('/purges/look?older_than=30d')).body;
  expect((await api.post('/purges', { older_than: '30d', messages: look.messages + 1 })).status).toBe(409);
  const purged = await api.post('/purges', { older_than: '30d', messages: look.messages });
  await apart.tasks.ended(purged.body.id);
  expect((await api.get(`/tasks/${purged.body.id}`)).body).toMatchObject({ state: 'done', kind: 'purge' });
  const operator = await api.as('operator');
  expect((await operator.post('/erasures/look', { mobile: ANN })).status).toBe(403);
});

test('the API says what of a person waits, and where its uncertain message is found', async () => {
  const other = '254711000002';
  const late = await story.launch({ id: 'late-1', name: 'later', rows: [{ mobile: other }] });
  const api = await (await ApiHere.open(story.directory)).as('admin');
  const refused = () => api.post('/erasures', { mobile: other, found: 1 });
  expect(await refused()).toMatchObject({ status: 409, body: { code: 'person_waits', advice: null } });
  await story.claim();
  await story.record(late, { 1: { to: 'uncertain' } });
  expect((await refused()).body).toMatchObject({
    hint: '1 uncertain message: decide first.',
    advice: { action: 'find_uncertain', campaign: 'late-1' },
  });
});

test('an erasure takes the files of exports with it, and whoever looks for one learns why', async () => {
  await openAt(story.now + 1_000);
  const { tasks } = work;
  const actor = { name: 'ada', identities: ['ada'], isAdmin: true };
  const only = { as: 'messages', format: 'csv', state: null, delivery: null, reason: null } as const;
  const asked = { kind: 'export', campaign: 'old-1', ...only, withText: false, withFields: false } as const;
  const file = await tasks.begin(actor, { asked, total: 2, audit: null });
  await tasks.ended(file.id);
  const { path } = await tasks.file(file.id, actor);
  const erasing = await tasks.begin(actor, {
    asked: { kind: 'erase', mobile: ANN },
    total: 100,
    audit: null,
  });
  await tasks.ended(erasing.id);
  expect(await tasks.find(erasing.id, actor)).toMatchObject({ state: 'done', asked: { kind: 'erase' } });
  expect(existsSync(path)).toBe(false);
  expect(await tasks.find(file.id, actor)).toMatchObject({
    state: 'done',
    result: { kind: 'export_erased' },
  });
  await expect(tasks.file(file.id, actor)).rejects.toMatchObject({
    code: 'not_found',
    message: 'The file was removed because a person’s data was erased.',
  });
  const shown = taskDocument(await tasks.find(file.id, actor));
  expect([shown.state, shown.file, shown.removed]).toEqual(['done', null, null]);
  const why = 'The file was removed because a person’s data was erased. Make it again.';
  expect((await ada.ask(`/tasks/${file.id}`)).text).toContain(why);
});

test('whoever is no admin any more does not go on with a removal that they began [X21]', async () => {
  await openAt(story.now + 200 * DAY);
  await makeUser(web, 'bea', 'admin');
  const page = await ada.ask('/purge?days=180');
  const [, before = ''] = /name="before" value="(\d+)"/.exec(page.text) ?? [];
  work.dieNext();
  const { location } = await ada.send('/purge', { days: '180', before, shown: '1-2', word: 'remove' });
  await work.tasks.ended(idIn(location));
  const ledger = await web.services.ledger();
  await ledger.changeRole({ now: web.services.clock.now(), by: 'bea', name: 'ada', role: 'operator' });
  await signedIn(web, 'ada', ada);
  expect((await ada.send(`${location}/again`, {}, '/campaigns')).status).toBe(404);
  expect((await mobiles())[0]).toBe(ANN);
  const bea = await signedIn(web, 'bea');
  expect((await bea.send(`${location}/again`, {}, '/campaigns')).status).toBe(303);
  await work.tasks.ended(idIn(location));
  expect(await mobiles()).toEqual(['purged-1', 'purged-2']);
});

test('a purge that goes on later leaves a campaign whose last message is young by then', async () => {
  const other = await story.launch({ id: 'old-2', rows: [{ mobile: ANN }] });
  await story.claim();
  await story.record(other, { 1: { to: 'rejected', reason: 'invalid mobile', retryHelps: true } });
  await openAt(story.now + 200 * DAY);
  const page = await ada.ask('/purge?days=180');
  const [, before = ''] = /name="before" value="(\d+)"/.exec(page.text) ?? [];
  work.dieNext();
  const { location } = await ada.send('/purge', { days: '180', before, shown: '2-3', word: 'remove' });
  await work.tasks.ended(idIn(location));
  story.now += 200 * DAY;
  await story.ledger.retry(other, { now: story.now, by: 'test' });
  await story.claim();
  await story.record(other, { 1: { to: 'sent' } });
  await ada.send(`${location}/again`, {}, '/campaigns');
  await work.tasks.ended(idIn(location));
  const result = JSON.parse((await (await story.reader()).task(idIn(location)))?.result ?? '');
  expect(result).toMatchObject({ campaigns: 1, left: 1 });
  expect(await mobiles()).toEqual(['purged-1', 'purged-2']);
  const kept = { campaign: other, afterSeq: 0, limit: 9, states: null };
  expect(await (await story.reader()).messages(kept)).toMatchObject([{ mobile: ANN }]);
});
