import { beforeAll, expect, test } from 'vitest';
import { ApiHere } from '../support/api-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';

const ANN = '254711000001';
const CSV = { 'content-type': 'text/csv' };

let story: LedgerStory;
let api: ApiHere;
beforeAll(async () => {
  story = await LedgerStory.begin();
  api = await ApiHere.open(story.directory);
});

test('a list of opt-outs is imported in parts that add up, and a repeat adds nothing', async () => {
  const list = 'Phone,Name\n0722000001,Ann\n0722000002,Ben\nnobody 254722000009,Cy\n0722000001,Ann\n';
  const send = () => api.post('/optouts/import?name=old.csv', list, CSV);
  const first = await send();
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ read: 4, added: 2, known: 1, dead: 0, invalid: 1, sheet: null });
  expect(first.body.rejected).toMatchObject([{ line: 4, reason: 'not a number' }]);
  expect(JSON.stringify(first.body)).not.toContain('254722000009');
  expect((await send()).body).toMatchObject({ added: 0, known: 3 });
  const {
    opt_outs: [found],
  } = (await api.post('/optouts/find', { mobile: '0722000001' })).body;
  expect(found).toMatchObject({ source: 'import', evidence: 'line of old.csv' });
  expect((await api.post('/optouts/import', { a: 1 })).body).toMatchObject({ code: 'wrong_type' });
  expect((await api.post('/optouts/import', 'Name\nAnn\n', CSV)).body).toMatchObject({
    code: 'contacts_invalid',
  });
  const viewer = await api.as('viewer');
  expect((await viewer.post('/optouts/import', list, CSV)).status).toBe(403);
});

test('a conversation has both sides, is read in pages, and a viewer sees no number', async () => {
  const n = await story.launch({ id: 'bf-7', name: 'black friday', rows: [{ mobile: ANN }] });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' } });
  for (const text of ['asante', `piga ${ANN}`]) {
    story.now += 60_000;
    await story.reply(ANN, text);
  }
  const { conversations } = (await api.get('/conversations')).body;
  const mine = conversations.find(({ mobile }: { mobile: string }) => mobile === ANN);
  expect(mine).toMatchObject({ text: `piga ${ANN}` });
  const path = `/conversations/${mine.id}`;
  const whole = (await api.get(path)).body;
  expect(whole).toMatchObject({ mobile: ANN, opt_outs: [], next: null });
  expect(whole.said).toMatchObject([
    { by: 'us', campaign: { id: 'bf-7' }, seq: 1, state: 'sent' },
    { by: 'them', reply: { text: 'asante' } },
    { by: 'them', reply: { text: `piga ${ANN}` } },
  ]);
  const seen: unknown[] = [];
  let next: string | null = '';
  while (next !== null) {
    const page: { said: unknown[]; next: string | null } = (
      await api.get(`${path}?limit=1${next === '' ? '' : `&cursor=${next}`}`)
    ).body;
    seen.push(...page.said);
    ({ next } = page);
  }
  expect(seen).toHaveLength(3);
  expect(seen).toEqual(expect.arrayContaining(whole.said));
  const viewer = await api.as('viewer');
  const masked = await viewer.get(path);
  expect(masked.status).toBe(200);
  expect(JSON.stringify([masked.body, (await viewer.get('/conversations')).body])).not.toContain(ANN);
  expect((await api.get('/conversations/999')).body).toMatchObject({ code: 'not_found' });
});
