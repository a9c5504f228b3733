import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';
import { SqlBehind } from '../../support/sql-behind.ts';
import { type WebAnswer, WebHere } from '../../support/web-here.ts';

const LIST = [
  'UMOJA SACCO',
  '',
  'Simu,Jina,Savings',
  '0712000001,Achieng,"1,200.00"',
  '0712000002,Brian,950.50',
  '0712000002,Brian again,1.00',
  'nobody,Cy,2.00',
].join('\n');

let launching: LaunchingHome;
let web: WebHere;

beforeAll(async () => {
  launching = await openLaunchingHome();
  web = await WebHere.open(launching.home, { ...launching.env, TUMA_SENDER: 'DUKA' });
  await web.signIn();
});
afterAll(() => launching.close());

const csv = (text = LIST, name = 'members.csv') => new File([text], name, { type: 'text/csv' });
const NEW = '/campaigns/new';

/** The path of a preparation from the answer that leads to one of its steps. */
function placeOf({ headers, status, text }: WebAnswer, step: string): string {
  expect(status, text).toBe(303);
  const place = /^(\/campaigns\/new\/[a-z0-9]+)\//.exec(String(headers['location']))?.[1] ?? '';
  expect(headers['location']).toBe(`${place}/${step}`);
  return place;
}

/** The hidden fields of the form of a page that is sent to `action`. */
async function hiddenOf(path: string, action = path): Promise<Record<string, string>> {
  const { text } = await web.get(path);
  const form = text.split('<form').find((each) => each.includes(`action="${action}`)) ?? '';
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  ) as Record<string, string>;
}

async function post(path: string, fields: Record<string, string>, from = path): Promise<WebAnswer> {
  return web.post(path, { ...(await hiddenOf(from, path)), ...fields }, from);
}

async function begun(name: string, file = csv()): Promise<string> {
  const place = placeOf(await web.uploadForm(NEW, { name, kind: 'promotional' }, { file }), 'contacts');
  const next = { ...(await hiddenOf(`${place}/contacts`)), name, kind: 'promotional', do: 'next' };
  placeOf(await web.uploadForm(`${place}/contacts`, next, { file: null }), 'message');
  return place;
}

describe('the way to a campaign', () => {
  test('a list, a text and a time become a campaign, and what was typed stays on each step', async () => {
    const place = placeOf(
      await web.uploadForm(NEW, { name: 'agm', kind: 'promotional' }, { file: csv() }),
      'contacts',
    );
    const contacts = await web.get(`${place}/contacts`);
    expect(contacts.text).toContain('<b>members.csv</b>');
    expect(contacts.text).toContain('The phone numbers are in <b>Simu</b>');
    expect(contacts.text).toContain('2547****0001'.slice(0, 4) && 'value="agm"');
    expect(contacts.text).not.toContain('0712000001');
    expect(contacts.text).toContain('2 of 4 rows can get it, 2 cannot');
    expect(contacts.text).toMatch(/The same number again<.*>6<.*<code>2547\*{4}0002</);
    expect(contacts.text).toMatch(/id="header"[^>]*value="3"/);

    const first = { ...(await hiddenOf(`${place}/contacts`)), name: 'agm', kind: 'promotional', do: 'next' };
    placeOf(await web.uploadForm(`${place}/contacts`, first, { file: null }), 'message');
    expect((await web.get(`${place}/message`)).text).toContain('value="money Savings"');
    placeOf(
      await post(`${place}/message`, {
        text: 'Hi <<Jina>>, you have <<money Savings>>.\r\nKaribu',
        do: 'next',
      }),
      'when',
    );
    expect((await web.get(`${place}/message`)).text).toContain('Hi Achieng, you have 1,200.00.\nKaribu');

    const when = { when: 'now', always: 'true', rate: '10', budget: '1,000', canary: '', do: 'next' };
    placeOf(await post(`${place}/when`, when), 'check');
    const check = await planned(`${place}/check`);
    expect(check).toContain('<dt>People who get it</dt><dd>2<small>of 4 rows</small></dd>');
    expect(check).toContain('<small>2 messages of 1 segment</small>');
    expect(check).toContain('<th scope="row" role="rowheader">Kenya</th>');
    expect(check).toMatch(/class="total">.*>2<.*>2<.*>1\.60</);
    expect(check).toContain('The same number again');
    expect((await web.get(`${place}/contacts`)).text).toContain('2 of 4 rows can get it, 2 cannot');
    const rejects = await web.get(`${place}/rejects`);
    expect(rejects.headers['content-disposition']).toBe('attachment; filename="rejects.csv"');
    expect(rejects.text).toContain('nobody,Cy');
    expect((await web.get(`${place}/when`)).text).toMatch(/id="budget"[^>]*value="1,000"/);

    const wrong = await post(`${place}/launch`, { name: 'other', new_ledger: 'true' });
    expect([wrong.status, wrong.text.includes('Type the name as it is: agm')]).toEqual([422, true]);
    const unasked = await post(`${place}/launch`, { name: 'agm' });
    expect([unasked.status, unasked.text.includes('Say that this is right')]).toEqual([422, true]);
    const launched = await post(`${place}/launch`, { name: 'agm', new_ledger: 'true' });
    expect(launched.status, launched.text).toBe(303);
    const campaign = await launchedTo(launched, place);
    expect((await web.get(campaign)).text).toContain('agm');
    expect(await checkOfSecond()).toMatch(/planned before it, about<\/th><td class="n">1\.60</);
    // A page that is left open leads to what it became.
    expect((await web.get(`${place}/message`)).headers['location']).toBe(campaign);
  });

  test('it begins with the text and the kind of an earlier campaign', async () => {
    const { id } = (await (await web.services.reader()).campaigns())[0]?.campaign ?? { id: '' };
    const answer = await web.uploadForm(NEW, { do: 'from', from: `campaign:${id}` }, { file: null });
    const place = placeOf(answer, 'contacts');
    expect((await web.get(`${place}/contacts`)).text).toContain('value="agm"');
    expect((await web.get(`${place}/message`)).text).toContain('Hi &lt;&lt;Jina&gt;&gt;');
  });
});

describe('the contacts', () => {
  test('a list without a sure column of numbers asks which one it is', async () => {
    const text = 'Home,Work,Name\n0712000001,0712000002,Ann\n0712000003,0712000004,Bo\n';
    const place = placeOf(
      await web.uploadForm(NEW, { name: 'two', kind: 'promotional' }, { file: csv(text) }),
      'contacts',
    );
    const path = `${place}/contacts`;
    expect((await web.get(path)).text).toContain('Say with a menu which column');
    const fields = { ...(await hiddenOf(path)), name: 'two', kind: 'promotional', do: 'next' };
    const unsaid = await web.uploadForm(path, { ...fields, 'column-0': 'text' }, { file: null });
    expect([unsaid.status, unsaid.text.includes('Say which column holds')]).toEqual([422, true]);
    const said = { ...fields, ...(await hiddenOf(path)), 'column-1': 'mobile' };
    placeOf(await web.uploadForm(path, said, { file: null }), 'message');
    expect((await web.get(path)).text).toContain('The phone numbers are in <b>Work</b>');
  });

  test('a file that is no list, or none at all, is an error at its field, and the name stays', async () => {
    for (const button of ['next', 'upload']) {
      const fields = { name: 'none', kind: 'promotional', do: button };
      const empty = await web.uploadForm(NEW, fields, { file: null });
      expect([button, empty.status]).toEqual([button, 422]);
      expect(empty.text).toContain('Choose the file of the contacts.');
      expect(empty.text).toMatch(/id="name"[^>]*value="none"/);
    }
    const old = new File([Buffer.from('d0cf11e0a1b11ae1', 'hex')], 'old.xls');
    const refused = await web.uploadForm(NEW, { name: 'none', kind: 'promotional' }, { file: old });
    expect([refused.status, refused.text.includes('old Excel workbook')]).toEqual([422, true]);
  });

  test('a name of a file is shown as text', async () => {
    const place = placeOf(
      await web.uploadForm(NEW, { name: 'x' }, { file: csv(LIST, '<img src=x>.csv') }),
      'contacts',
    );
    const { text } = await web.get(`${place}/contacts`);
    expect(text).toContain('&lt;img src=x&gt;.csv');
    expect(text).not.toContain('<img');
  });
});

describe('the message', () => {
  let place: string;
  beforeEach(async () => {
    place = await begun('preview');
  });

  test('a preview shows the text as it is typed, and keeps nothing of it', async () => {
    const typed = { text: 'Habari <<Jina>> – ’', show: 'next', line: '4' };
    const part = await post(`${place}/preview`, typed, `${place}/message`);
    expect(part.text).toContain('Habari Brian <mark>–</mark> <mark>’</mark>');
    expect(part.text).toContain('id="text-facts"');
    expect(part.text).not.toContain('<html');
    expect((await web.get(`${place}/message`)).text).not.toContain('Habari');
  });

  test('all characters that cost more are replaced by one button', async () => {
    const answer = await post(`${place}/message`, { text: 'It’s <<Jina>>', do: 'replace' });
    expect(answer.status).toBe(303);
    const { text } = await web.get(`${place}/message`);
    expect(text).toContain('It&#39;s &lt;&lt;Jina&gt;&gt;');
    expect(text).toMatch(/id="gsm"[^>]* checked/);
  });

  test('a field that the list lacks is said at the text, which stays', async () => {
    const answer = await post(`${place}/message`, { text: 'Hi <<Jena>>', do: 'next' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('There is no field &quot;Jena&quot;');
    expect(answer.text).toContain('Hi &lt;&lt;Jena&gt;&gt;</textarea>');
  });

  test('what another window has changed is not lost, and neither is what was typed', async () => {
    const stale = await hiddenOf(`${place}/message`);
    await post(`${place}/message`, { text: 'The other window', do: 'preview' });
    const answer = await web.post(
      `${place}/message`,
      { ...stale, text: 'My window', do: 'next' },
      `${place}/message`,
    );
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('changed in another window');
    expect(answer.text).toContain('My window</textarea>');
    expect((await web.get(`${place}/message`)).text).toContain('The other window');
  });
});

test('a time that is over is refused, and reminders show their days', async () => {
  const place = await begun(
    'times',
    csv('Simu,Jina,Due\n0712000001,Ann,2031-03-20\n0712000002,Bo,2031-03-21\n'),
  );
  placeOf(await post(`${place}/message`, { text: 'Due <<date Due>>', do: 'next' }), 'when');
  const past = { when: 'at', day: '2020-01-01', hour: '09:00', always: 'true', do: 'next' };
  const refused = await post(`${place}/when`, past);
  expect([refused.status, refused.text.includes('This time is over')]).toEqual([422, true]);
  expect(refused.text).toMatch(/id="day"[^>]*value="2020-01-01"/);
  const remind = {
    when: 'remind',
    column: 'Due',
    offsets: '2, 0',
    remindHour: '10:00',
    always: 'true',
    do: 'forecast',
  };
  placeOf(await post(`${place}/when`, remind), 'when');
  const when = await planned(`${place}/when`, () => web.get(`${place}/when`));
  expect(when).toContain('Reminders in March 2031');
  expect(when).toContain('4 reminders in all.');
  expect(when).toContain('<td><small>20</small><b>1</b></td>');
});

test('a draft is discarded with its contacts', async () => {
  const place = await begun('gone');
  const { revision = '' } = await hiddenOf(`${place}/contacts`, `${place}/discard`);
  const answer = await web.post(`${place}/discard`, { revision }, `${place}/contacts`);
  expect(answer.headers['location']).toBe('/campaigns');
  expect((await web.get(`${place}/contacts`)).status).toBe(404);
});

describe('without a price in the settings', () => {
  let other: LaunchingHome;
  let before: WebHere;
  beforeAll(async () => {
    before = web;
    other = await openLaunchingHome();
    const { TUMA_PRICE: _price, ...env } = other.env;
    web = await WebHere.open(other.home, { ...env, TUMA_SENDER: 'DUKA' });
    await web.signIn();
  });
  afterAll(async () => {
    web = before;
    await other.close();
  });

  /** As the first message of the account teaches it. */
  async function learnPrice(): Promise<void> {
    const ledger = new SqlBehind(join(other.home, 'ledger.db'));
    await ledger.run(`INSERT INTO price VALUES ('acc', '63902', 1, 800000, 1) ON CONFLICT DO NOTHING`);
    ledger.close();
  }

  async function unpriced(name: string): Promise<string> {
    const place = await begun(name);
    await post(`${place}/message`, { text: 'Hi', do: 'next' });
    await post(`${place}/when`, { when: 'now', always: 'true', do: 'next' });
    expect(await planned(`${place}/check`)).toContain('not known yet');
    return place;
  }

  test('a launch says what a price has changed since, and keeps the typed name; Check and Launch show the cost', async () => {
    const [late, early] = [await unpriced('late'), await unpriced('early')];
    const seen = await hiddenOf(`${late}/launch`);
    await learnPrice();
    const changed = await web.post(
      `${late}/launch`,
      { ...seen, name: 'late', new_ledger: 'true' },
      // The token of a page that plans nothing.
      `${late}/when`,
    );
    expect(changed.status, changed.text).toBe(303);
    const page = await planned(String(changed.headers['location']));
    expect(page).toContain('What would be sent has changed.');
    expect(page).toContain('The cost was not known yet, and is now 1.60.');
    expect(page).not.toContain('Messages: 2 before');
    expect(page).toMatch(/id="name"[^>]*value="late"/);

    await web.get(`${early}/check`);
    expect(await planned(`${early}/check`)).toMatch(/class="total">.*>2<.*>2<.*>1\.60</);
    const launched = await post(`${early}/launch`, { name: 'early', new_ledger: 'true' });
    expect(await launchedTo(launched, early)).toMatch(/^\/campaigns\/(?!new)/);
  });
});

/** The check of another campaign, while the first one is still to be sent. */
async function checkOfSecond(): Promise<string> {
  const place = await begun('second');
  await post(`${place}/message`, { text: 'Hi', do: 'next' });
  placeOf(await post(`${place}/when`, { when: 'now', always: 'true', do: 'next' }), 'check');
  return planned(`${place}/check`);
}

/** The page once its plan is there: it is made in a process of its own. */
async function planned(path: string, page = () => web.get(path)): Promise<string> {
  const id = path.split('/')[3] ?? '';
  await (await web.services.preparations()).planned(id);
  return (await page()).text;
}

/** The page of the campaign, where a launch leads once it is done. */
async function launchedTo({ headers }: WebAnswer, place: string): Promise<string> {
  const location = String(headers['location']);
  if (!location.startsWith(NEW)) return location;
  await planned(place);
  return String((await web.get(location)).headers['location']);
}
