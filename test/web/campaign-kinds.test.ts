import { beforeAll, expect, test } from 'vitest';
import { liveIn } from '../support/lived-in-home.ts';
import { WebHere } from '../support/web-here.ts';

let web: WebHere;
/** Ids by name. */
const ids = new Map<string, string>();

beforeAll(async () => {
  const home = await liveIn();
  web = await (await WebHere.open(home.story.directory, home.env, home.story.now)).signIn();
  for (const { campaign } of await (await web.services.reader()).campaigns())
    ids.set(campaign.name, campaign.id);
});

const at = (name: string, more = '') => `/campaigns/${ids.get(name)}${more}`;

test('every campaign of a home in which much has happened has its page, in both languages', async () => {
  expect(ids.size).toBeGreaterThan(5);
  for (const name of ids.keys())
    for (const language of ['en', 'sw']) {
      const { status, text } = await web.get(at(name), { 'accept-language': language });
      expect([name, status]).toEqual([name, 200]);
      expect(text).not.toContain('undefined');
      expect(text).not.toContain('NaN');
    }
});

test('the list asks for what nobody has explained, and for replies that may ask to stop', async () => {
  const { text } = await web.get('/campaigns');
  const todo = text.slice(text.indexOf('id="todo"'), text.indexOf('id="next"'));
  expect(todo).toMatch(/reports? says? <q>/);
  expect(todo).toMatch(/(reply|replies) may ask to stop/);
  expect(todo).toContain('href="/inbox"');
});

test('reminders tell their next moments, and how many go then', async () => {
  const { text } = await web.get(at('visit-reminders'));
  expect(text).toContain('Who gets what, and when');
  expect(text).toContain(`href="${at('visit-reminders', '/people')}"`);
  expect((await web.get(at('visit-reminders', '/people'))).status).toBe(200);
});

test('a recurring job tells when it sends, and the next sending can be left out once', async () => {
  const name = [...ids.keys()].find((each) => each.includes('weekly')) ?? '';
  const page = await web.get(at(name));
  expect(page.text).toContain('When it sends');
  const asked = await web.get(at(name, '/skip'));
  const shown = /name="at" value="(\d+)"/.exec(asked.text)?.[1] ?? '';
  expect((await web.post(at(name, '/skip'), { at: shown })).status).toBe(303);
  const after = await web.get(at(name));
  expect(after.text).toContain('left out by a person');
  // The same form again means the same sending, which is left out already.
  expect((await web.post(at(name, '/skip'), { at: shown })).status).toBe(303);
  const { schedule } = await (await web.services.reader()).agenda(
    (await (await web.services.reader()).find(ids.get(name) ?? ''))[0]?.n ?? 0,
  );
  expect(schedule?.latest.filter(({ leftOut }) => leftOut)).toHaveLength(1);
});

test('a page that asks about reminders counts messages, not people, in both languages', async () => {
  const path = (more: string) => at('visit-reminders', more);
  const asked = async (more: string, language: string) =>
    (await web.get(path(more), { 'accept-language': language })).text;
  const cancel = await asked('/cancel', 'en');
  expect(cancel).toContain('Messages that never go');
  expect(cancel).toContain('All messages');
  expect(cancel).toMatch(/Cancel \d+ messages?</);
  expect(cancel).not.toMatch(/All people|People who/);
  expect(await asked('/cancel', 'sw')).toContain('Jumbe ambazo hazitatumwa kamwe');
  await web.post(path('/pause'));
  expect(await asked('/resume', 'en')).toContain('Messages that go on');
  const swahili = await asked('/resume', 'sw');
  expect(swahili).toContain('Jumbe zote');
  expect(swahili).not.toMatch(/Watu wote|Watu (?:ambao|watakaopata)/);
});
