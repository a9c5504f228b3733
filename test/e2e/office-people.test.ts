import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noBrowser, openWindow, type Window } from './browser.ts';
import { contacts, jobFile, openPlace } from './harness.ts';
import { Office } from './office.ts';
import { chooseContacts, chooseTime, PEOPLE, writeMessage } from './wizard.ts';

/* Several people with their own roles: how they get in, and what each of them may do. */

const settings = { TUMA_RATE: 'unlimited', TUMA_SENDER: 'DUKA' };
const place = openPlace({ env: settings });
const strict = openPlace({ env: { ...settings, TUMA_APPROVAL: 'on' } });
const PASSWORD = 'four plain words together';
let office: Office;

/** Adds somebody, who opens the link that the admin hands over, and sets a password. */
async function join({ place, origin }: Office, name: string, role: string): Promise<Window> {
  const { link } = await place.json(['users', 'add', name, '--role', role]);
  const { pathname, search } = new URL(String(link));
  const window = await openWindow(origin);
  await window.open(`${pathname}${search}`);
  await window.page.getByLabel('New password').fill(PASSWORD);
  await window.page.getByRole('button', { name: 'Keep this password and sign in' }).click();
  await window.page.waitForURL('**/campaigns');
  return window;
}

describe.skipIf(noBrowser !== null)('people of an office', () => {
  beforeAll(async () => {
    office = await Office.open(place());
    place().write('contacts.csv', contacts(5));
    place().write('job.yaml', jobFile({ name: 'rent', window: 'always' }));
    await place().json(['launch', 'job.yaml', '--yes', '--at', '2099-01-01T09:00']);
  });
  afterAll(() => office.kill());

  test('a viewer gets in by a link, sees masked numbers only, and has no button that changes anything', async () => {
    const window = await join(office, 'vera', 'viewer');
    const { page } = window;
    await page.getByRole('link', { name: 'rent' }).first().click();
    await page.getByRole('heading', { name: 'rent' }).waitFor();
    expect(await page.getByRole('button', { name: /pause|cancel|retry/i }).count()).toBe(0);
    expect(await page.locator('body').innerText()).not.toMatch(/254700\d{6}/);
    expect(window.wrong()).toEqual([]);
    expect(await window.open('/users')).toBe(403);
    expect(await window.open('/campaigns/new')).toBe(403);
  });

  test('a password opens the pages again after signing out; a wrong one does not', async () => {
    const window = await join(office, 'grace', 'operator');
    const { page } = window;
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in to Tuma' }).waitFor();
    expect(await window.open('/campaigns')).toBe(401);
    await window.open('/sign-in');
    await page.getByLabel('Name').fill('grace');
    await page.getByLabel('Password').fill('not her password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Name or password is wrong').first().waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/campaigns');
  });

  test('the link of the computer opens nothing once there are users', async () => {
    const window = await office.enter();
    expect(await window.open('/campaigns')).toBe(401);
  });
});

test.skipIf(noBrowser !== null)(
  'who prepared a campaign asks, and it goes out when a second person says yes',
  async () => {
    const careful = await Office.open(strict());
    onTestFinished(() => careful.kill());
    const grace = await join(careful, 'grace', 'operator');
    const peter = await join(careful, 'peter', 'approver');
    await chooseContacts(grace, 'dividend');
    await writeMessage(grace, 'your dividend is ready.');
    await chooseTime(grace);
    await grace.page.getByRole('link', { name: 'Go on to the launch' }).click();
    expect(await grace.page.getByRole('button', { name: /^Launch/ }).count()).toBe(0);
    await grace.page.getByRole('button', { name: 'Ask for approval' }).click();
    await grace.page.getByText('grace asked for approval').waitFor();
    expect(
      strict()
        .campaigns()
        .filter(({ state }) => state !== 'draft'),
    ).toEqual([]);

    await peter.open(new URL(grace.page.url()).pathname);
    await peter.page.getByLabel('Type the campaign’s name to launch it').fill('dividend');
    await peter.page.getByLabel('Nothing was ever sent from this installation').check();
    await peter.page.getByRole('button', { name: `Approve: Launch to ${PEOPLE} people` }).click();
    await peter.page.getByText('Finished').first().waitFor();
    expect(strict().sandbox.stats().accepted).toBe(PEOPLE);
    expect([...grace.wrong(), ...peter.wrong()]).toEqual([]);
  },
);
