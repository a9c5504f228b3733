import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LaunchingHome, openLaunchingHome } from '../cli/launching-home.ts';
import { WebHere } from '../support/web-here.ts';
import { noBrowser, openWindow, type Looking, type Window } from './browser.ts';

/* The five steps to a campaign in a real browser, on a desk and on a phone, with and without JavaScript. */

const ASHA = { name: 'asha', identities: ['asha'], mayApprove: false };

let launching: LaunchingHome;
let web: WebHere;
let door: { origin: string; link: string };

const LIST = Buffer.from(
  [
    'Simu,Jina,Savings',
    '0712000001,Achieng,"1,200.00"',
    '0712000002,Wanjiku-Nyambura,950.50',
    'nobody,Cy,2.00',
  ].join('\n'),
);

describe.skipIf(noBrowser !== null)('in a browser', () => {
  beforeAll(async () => {
    launching = await openLaunchingHome();
    web = await WebHere.open(launching.home, { ...launching.env, TUMA_SENDER: 'DUKA' });
    door = await web.listen();
  });
  afterAll(() => launching.close());

  async function enter(looking: Looking = {}): Promise<Window> {
    const window = await openWindow(door.origin, looking);
    await window.open(door.link);
    return window;
  }

  /** Nothing wrong, nothing out of place: at each step. */
  async function inOrder(window: Window, heading: string): Promise<void> {
    await window.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(await window.axe(), heading).toEqual([]);
    expect(await window.tooWide(), heading).toEqual([]);
    expect(window.wrong(), heading).toEqual([]);
  }

  async function chooseContacts({ page }: Window, name: string): Promise<void> {
    await page.getByLabel('Name of the campaign').fill(name);
    await page.getByLabel('About their own account').check();
    await page
      .getByLabel('Contacts: a CSV')
      .setInputFiles({ name: 'members.csv', mimeType: 'text/csv', buffer: LIST });
    await page.getByRole('button', { name: 'Read this file' }).click();
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor();
  }

  test.each<Looking>([{ width: 1280 }, { width: 360, scheme: 'dark' }])(
    'from a list to a launched campaign: %o',
    { timeout: 120_000 },
    async (looking) => {
      const window = await enter(looking);
      const { page } = window;
      const name = `savings ${looking.width}`;
      await window.open('/campaigns/new');
      await inOrder(window, 'Contacts');
      await chooseContacts(window, name);
      await inOrder(window, 'Contacts');
      // No choice of a column takes half of the phone, so the first rows are beside it.
      const widest = "Math.max(...[...document.querySelectorAll('.wide select')].map((e) => e.offsetWidth))";
      expect(await page.evaluate(widest)).toBeLessThan(180);
      await page.getByRole('button', { name: 'Go on to the message' }).click();

      await inOrder(window, 'Message');
      const text = page.getByLabel('Text', { exact: true });
      await text.fill('Habari , salio lako ni ’kubwa’ – asante');
      await page.evaluate("document.getElementById('text').setSelectionRange(7, 7)");
      await page.getByRole('button', { name: 'Jina' }).click();
      expect(await text.inputValue()).toBe('Habari <<Jina>>, salio lako ni ’kubwa’ – asante');
      await page.getByText('Habari Achieng, salio').waitFor();
      const next = page.getByRole('button', { name: 'Next' });
      await next.click();
      await page.getByText('Habari Wanjiku-Nyambura').waitFor();
      // The focus stays on the button, whatever changes around it.
      expect(await page.evaluate('document.activeElement.value')).toBe('next');
      await inOrder(window, 'Message');
      await page.getByRole('button', { name: 'Replace all 2' }).click();
      await page.getByText("ni 'kubwa' - asante").first().waitFor();
      await page.reload();
      expect(await text.inputValue()).toBe("Habari <<Jina>>, salio lako ni 'kubwa' - asante");
      await page.getByRole('button', { name: 'Go on to the time' }).click();

      await inOrder(window, 'When and how fast');
      await page.getByLabel('On a day').check();
      await page.getByLabel('Day', { exact: true }).fill('2020-01-01');
      await page.getByRole('button', { name: 'Go on to the check' }).click();
      await page.getByRole('link', { name: 'This time is over' }).click();
      expect(await page.getByLabel('Day', { exact: true }).inputValue()).toBe('2020-01-01');
      // The page of a refused form is an answer with 422, which a browser notes on its console.
      window.forgive();
      await inOrder(window, 'When and how fast');
      await page.getByLabel('At once').check();
      await page.getByLabel('Messages a second').fill('10');
      await page.getByRole('button', { name: 'Work it out' }).click();
      await page.getByText('All 2 are sent.').waitFor();
      await page.getByRole('button', { name: 'Go on to the check' }).click();

      await page.getByRole('heading', { name: 'What was looked at' }).waitFor();
      await inOrder(window, 'Check before you launch');
      await page.getByLabel('Your number').fill('0722000009');
      await page.getByRole('button', { name: 'Send to me' }).click();
      await page.getByText('It is on its way.').waitFor();
      await page.goBack();
      await page.goForward();
      await page.getByRole('link', { name: 'Go on to the launch' }).click();

      await inOrder(window, 'Launch');
      const accept = page.getByLabel('Nothing was ever sent from this installation');
      if (await accept.isVisible()) await accept.check();
      await page.getByLabel('Type the campaign’s name').fill(name);
      await page.getByRole('button', { name: 'Launch to 2 people' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      const found = (await (await web.services.reader()).campaigns()).find(
        ({ campaign }) => campaign.name === name,
      );
      expect(found?.campaign.template).toBe("Habari <<Jina>>, salio lako ni 'kubwa' - asante");
      expect(found?.messages.queued).toBe(2);
    },
  );

  test('what was typed is there again after the connection was cut while the form was sent', async () => {
    const window = await enter({ width: 360 });
    const { page } = window;
    await window.open('/campaigns/new');
    const name = page.getByLabel('Name of the campaign');
    await name.fill('came again');
    await page.getByLabel('About their own account').check();
    const file = { name: 'members.csv', mimeType: 'text/csv', buffer: LIST };
    await page.getByLabel('Contacts: a CSV').setInputFiles(file);
    const cut = (url: URL) => url.pathname.startsWith('/campaigns/new');
    await page.route(cut, (route) => route.abort('connectionreset'));
    const failed = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Read this file' }).click();
    await failed;
    await page.unroute(cut);
    await window.open('/campaigns/new');
    expect(await name.inputValue()).toBe('came again');
    expect(await page.getByLabel('About their own account').isChecked()).toBe(true);
    await page.getByLabel('Contacts: a CSV').setInputFiles(file);
    await page.getByRole('button', { name: 'Read this file' }).click();
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor();
    // It has arrived, so a new campaign begins empty.
    await window.open('/campaigns/new');
    expect(await name.inputValue()).toBe('');
  });

  test('an upload that is cut on its way leaves the contacts as they were, and the same file comes again', async () => {
    const window = await enter();
    const { page } = window;
    await window.open('/campaigns/new');
    await chooseContacts(window, 'cut');
    const id = new URL(page.url()).pathname.split('/').at(-2) ?? '';
    const kept = () => readdirSync(join(launching.home, 'preparations', id));
    const before = kept();
    const action = await page.locator('form[enctype="multipart/form-data"]').getAttribute('action');
    expect(action).toContain('_csrf=');
    const cookie = (await window.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const headers = {
      cookie,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 9_000,
      origin: door.origin,
    };
    const cut = request(new URL(action ?? '', door.origin), { method: 'POST', headers });
    const gone = new Promise<void>((ended) => cut.once('close', () => ended()));
    cut.on('error', () => undefined);
    // Its name ends at a NUL.
    const head =
      '--x\r\nContent-Disposition: form-data; name="contacts"; filename="a\0.csv"\r\n\r\nSimu,Jina\n0712';
    await new Promise<void>((sent) => cut.write(head, () => sent()));
    cut.destroy();
    await gone;
    const file = { name: 'again.csv', mimeType: 'text/csv', buffer: LIST };
    await page.reload();
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor();
    expect(kept().filter((each) => before.includes(each))).toEqual(before);
    await page.getByLabel('Contacts: a CSV').setInputFiles(file);
    await page.getByRole('button', { name: 'Read this file' }).click();
    await page.getByText('again.csv').first().waitFor();
    expect(window.wrong()).toEqual([]);
  });

  test.each([
    '../../../etc/passwd.csv',
    '<img src=x onerror=alert(1)>.csv',
    '\u202Evsc.exe\u2066.csv',
    `${'long '.repeat(60)}.csv`,
    'a"; filename="b.csv',
  ])('a file that is called %j is kept under a name of ours, and does nothing to the page', async (name) => {
    const window = await enter({ width: 360 });
    const { page } = window;
    await window.open('/campaigns/new');
    await page.getByLabel('Name of the campaign').fill('hostile');
    await page.getByLabel('About their own account').check();
    const file = { name, mimeType: 'text/csv', buffer: LIST };
    await page.getByLabel('Contacts: a CSV').setInputFiles(file);
    await page.getByRole('button', { name: 'Read this file' }).click();
    await inOrder(window, 'Contacts');
    await page.getByRole('heading', { name: 'What the columns are' }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    // Marks that turn the order of letters around would make another name of it.
    expect(await page.locator('main').innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    const id = new URL(page.url()).pathname.split('/').at(-2) ?? '';
    const kept = readdirSync(join(launching.home, 'preparations', id));
    expect(kept.filter((each) => !/^(contacts-[0-9a-f]{16}|sheet-[\w-]+\.csv)$/.test(each))).toEqual([]);
    expect(kept.length).toBeGreaterThan(0);
  });

  test.each<Looking>([{ width: 1280 }, { width: 360 }])(
    'corrected contacts that leave people out are launched with a yes to their number: %o',
    async (looking) => {
      const window = await enter(looking);
      const { page } = window;
      const name = `rent ${looking.width}`;
      const [first, fewer] = [await rent(name, 6), await rent(name, 4)];
      const preparations = await web.services.preparations();
      const { plan, revision } = await planned(first);
      const launch = { revision, actor: ASHA, digest: plan.digest, accepted: plan.questions };
      const { campaign } = await preparations.launch(first, launch);
      await planned(fewer);
      await window.open(`/campaigns/new/${fewer}/check`);
      await page.getByText('The new list leaves out 2 of the 6 reminders that wait.').waitFor();
      await inOrder(window, 'Check before you launch');
      await page.getByRole('link', { name: 'Go on to the launch' }).click();
      const yes = page.getByLabel('2 of the 6 reminders that wait are canceled, and that is right');
      await page.getByLabel('Type the campaign’s name').fill(name);
      const button = page.getByRole('button', { name: 'Correct the campaign' });
      await button.click();
      await page.getByText('Say that this is right, or do not launch.').first().waitFor();
      // The page of a refused form is an answer with 422, which a browser notes on its console.
      window.forgive();
      await inOrder(window, 'Launch');
      await yes.check();
      await page.getByLabel('Type the campaign’s name').fill(name);
      await button.click();
      await page.waitForURL(`**/campaigns/${campaign}`);
      const found = (await (await web.services.reader()).campaigns()).find(
        (each) => each.campaign.id === campaign,
      );
      expect(found?.messages).toMatchObject({ queued: 4, canceled: 2 });
      expect(window.wrong()).toEqual([]);
    },
  );

  /** A draft of reminders for so many people; its id. */
  async function rent(name: string, people: number): Promise<string> {
    const preparations = await web.services.preparations();
    const remind = { column: 'due', offset: '-2d', at: '09:00' };
    const job = { name, kind: 'transactional', message: 'Rent of <<due>>', key: 'id', remind } as const;
    const { id, revision } = await preparations.create(ASHA, { job });
    const rows = Array.from({ length: people }, (_, who) => `071200010${who},k${who},2035-12-05\n`);
    const stream = Readable.from([Buffer.from(`phone,id,due\n${rows.join('')}`)]);
    await preparations.keepContacts(id, { revision, actor: ASHA, name: 'rent.csv', stream, length: null });
    return id;
  }

  async function planned(id: string) {
    const preparations = await web.services.preparations();
    const { revision } = await preparations.find(id);
    await preparations.plan(id, { revision, actor: ASHA });
    const { plan } = await preparations.planned(id);
    if (plan?.planning !== 'done') throw new Error(JSON.stringify(plan));
    return { plan, revision };
  }

  test('what was typed is there after a reload and a look at another step, until it is sent', async () => {
    const window = await enter();
    const { page } = window;
    await window.open('/campaigns/new');
    await chooseContacts(window, 'kept');
    await page.getByRole('button', { name: 'Go on to the message' }).click();
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Habari <<Jina>>');
    await page.getByText('Habari Achieng').waitFor();
    await page.reload();
    expect(await text.inputValue()).toBe('Habari <<Jina>>');
    await page.getByText('Habari Achieng').waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
    await page.getByRole('button', { name: 'Go on to the message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
    expect(await text.inputValue()).toBe('Habari <<Jina>>');
    await page.getByRole('button', { name: 'Go on to the time' }).click();
    await page.getByLabel('Messages a second').fill('7');
    await page.getByLabel('On a day').check();
    await page.reload();
    expect(await page.getByLabel('Messages a second').inputValue()).toBe('7');
    expect(await page.getByLabel('On a day').isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
    // It was sent, so nothing older comes back over it.
    await text.fill('Karibu');
    await text.fill('Habari <<Jina>>');
    await page.reload();
    expect(await text.inputValue()).toBe('Habari <<Jina>>');
    expect(window.wrong()).toEqual([]);
  });

  test('without JavaScript a field goes to the end of the text, and a button shows the preview', async () => {
    const window = await enter({ javaScript: false });
    const { page } = window;
    await window.open('/campaigns/new');
    await chooseContacts(window, 'no script');
    await page.getByRole('button', { name: 'Go on to the message' }).click();
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Habari ');
    await page.getByRole('button', { name: 'Jina' }).click();
    await page.getByText('Habari Achieng').waitFor();
    await page.getByRole('button', { name: 'The longest' }).click();
    await page.getByText('Habari Wanjiku-Nyambura').waitFor();
    expect(await text.inputValue()).toBe('Habari <<Jina>>');
    // Enter in a field shows the preview: it puts in no field, and leads nowhere.
    await page.getByLabel('Sender').press('Enter');
    await page.getByText('Habari ').first().waitFor();
    expect(await text.inputValue()).toBe('Habari <<Jina>>');
    expect(window.wrong()).toEqual([]);
  });

  test('in Swahili the first step fits as well', async () => {
    const window = await enter({ language: 'sw' });
    await window.open('/campaigns/new');
    await window.page.getByRole('heading', { level: 1, name: 'Watu watakaopokea' }).waitFor();
    expect(await window.axe()).toEqual([]);
    expect(await window.tooWide()).toEqual([]);
  });
});
