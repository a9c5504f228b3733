import { beforeAll, expect, test } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

const ANN = '254711000001';

let story: LedgerStory;
let web: WebHere;

beforeAll(async () => {
  story = await LedgerStory.begin();
  const many = Array.from({ length: 150 }, (_, index) => `2547220${String(index).padStart(5, '0')}`);
  await story.ledger.addOptOuts(
    many.map((mobile) => ({ mobile, source: 'import', evidence: 'line of old.csv' })),
    story.now,
  );
  web = await WebHere.open(story.directory);
  await web.signIn();
});

async function numberPage(number: string): Promise<string> {
  return String((await web.post('/optouts', { number })).headers['location']);
}

test('the list comes in pages, masked, and no address holds a number', async () => {
  const first = (await web.get('/optouts')).text;
  expect(first.match(/2547\*{4}/g)).toHaveLength(100);
  const [, next = ''] = /href="(\/optouts\?after=[^"]+)"/.exec(first) ?? [];
  const second = (await web.get(next)).text;
  expect(second.match(/2547\*{4}/g)).toHaveLength(50);
  expect(second).toContain('Back to the newest');
  expect(`${first}${second}`).not.toMatch(/72200\d{3}/);
  expect((await web.get('/optouts?after=forged')).text.match(/2547\*{4}/g)).toHaveLength(100);
});

test('a number is opted out with a reason, and let back with one', async () => {
  const address = await numberPage('0711 000 001');
  expect((await web.get(address)).text).toContain('Offers may go to this number');
  const without = await web.post(`${address}/add`, { reason: '  ' });
  expect(without.status).toBe(422);
  expect(without.text).toContain('<a href="#reason">Write a reason');
  expect((await web.post(`${address}/add`, { reason: 'asked <by> phone' })).headers['location']).toBe(
    address,
  );
  const blocked = (await web.get(address)).text;
  expect(blocked).toContain('No offer goes to this number');
  expect(blocked).toContain('asked &lt;by&gt; phone');
  expect(blocked).toContain('this machine');
  await web.post(`${address}/remove`, { reason: 'asked again' });
  expect((await web.get(address)).text).toContain('Offers may go to this number');
  const history = await (await story.reader()).optOutHistory(ANN);
  expect(history.map(({ change, evidence }) => [change, evidence])).toEqual([
    ['added', 'asked <by> phone'],
    ['removed', 'asked again'],
  ]);
});

test('what is no number is said beside the field, and what was typed stays', async () => {
  const { status, text } = await web.post('/optouts', { number: '12"34' });
  expect(status).toBe(422);
  expect(text).toContain('value="12&quot;34"');
  expect(text).toContain('aria-invalid="true"');
  for (const path of ['/optouts/AAAA', '/optouts/x']) expect((await web.get(path)).status).toBe(404);
});

test('a list is imported in parts that add up, and its rows without a number are named', async () => {
  const csv = 'Phone,Name\n0711000009,Ann\n0722000000,Ben\nnobody,Carl\n';
  const { status, text } = await web.upload('/optouts/import', {
    name: 'file',
    filename: 'stop <list>.csv',
    content: csv,
  });
  expect(status).toBe(200);
  expect(text).toContain('The list stop &lt;list&gt;.csv was read');
  const counts = [...text.matchAll(/<td class="n">(\d+)<\/td>/g)].map(([, count]) => Number(count));
  expect(counts).toEqual([1, 1, 0, 1, 3]);
  expect(text).toContain('not a number');
  const [row] = await (await story.reader()).optOuts({ after: null, limit: 1 });
  expect(row).toMatchObject({ mobile: '254711000009', evidence: 'line of stop <list>.csv' });
  const none = await web.upload('/optouts/import', {
    name: 'file',
    filename: 'x.csv',
    content: 'Name\nAnn\n',
  });
  expect(none.status).toBe(422);
  const empty = await web.upload('/optouts/import', { name: 'file', filename: '', content: '' });
  expect([empty.status, empty.text.includes('Choose a file')]).toEqual([422, true]);
});

test('all come as a CSV', async () => {
  const { text, headers } = await web.get('/optouts.csv');
  expect(headers['content-disposition']).toContain('optouts.csv');
  expect(text.split('\n')[0]).toBe('mobile,kind,sender,source,since,evidence');
  expect(text.split('\n')).toHaveLength(153);
});
