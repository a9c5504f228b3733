import { readFileSync } from 'node:fs';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, type Window } from './browser.ts';
import { contacts, jobFile, openPlace } from './harness.ts';
import { Office } from './office.ts';
import { chooseContacts, chooseTime, PEOPLE, uploadContacts, writeMessage } from './wizard.ts';

/* An office worker's day in the pages, with everything running: from a list of contacts to the report. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited', TUMA_SENDER: 'DUKA' } });
let office: Office;

/** A list as an office keeps it: a title above the headings, and numbers as a person types them. */
async function workbook() {
  const rows = Array.from({ length: PEOPLE }, (_, index) => [
    `Person ${index}`,
    `0700 0000${String(index).padStart(2, '0')}`,
  ]);
  const sheet = { name: 'Members', rows: [['Members of December'], [], ['name', 'Simu'], ...rows] };
  return {
    name: 'members.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: Buffer.from(await writeXlsx({ sheets: [sheet] })),
  };
}

/** The bytes of a file that a link saves, one a character. */
async function saved({ page }: Window, link: string): Promise<string> {
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: link }).click();
  return readFileSync(await (await coming).path(), 'latin1');
}

describe.skipIf(noBrowser !== null)('an office', () => {
  beforeAll(async () => {
    office = await Office.open(place());
  });
  afterAll(() => office.kill());

  test('prepares a campaign from a workbook in five steps, launches it, watches it, and saves its report', async () => {
    const window = await office.enter();
    const { page } = window;
    await chooseContacts(window, 'noon', await workbook());
    await writeMessage(window, 'we close at noon.');
    await chooseTime(window);
    await page.getByRole('link', { name: 'Go on to the launch' }).click();
    await page.getByLabel('Type the campaign’s name to launch it').fill('noon');
    await page.getByLabel('Nothing was ever sent from this installation').check();
    await page.getByRole('button', { name: `Launch to ${PEOPLE} people` }).click();
    await page.getByRole('heading', { name: 'noon' }).waitFor();
    await page.getByText('Finished').first().waitFor();
    expect(place().sandbox.stats().accepted).toBe(PEOPLE);
    expect(await saved(window, 'To print or mail (HTML)')).toContain('noon');
    const { sheets } = await readXlsx(Buffer.from(await saved(window, 'Excel, one row a message'), 'latin1'));
    expect(sheets[0]?.rows).toHaveLength(PEOPLE + 1);
    expect(window.wrong()).toEqual([]);
  });

  test('prepares a campaign while the computer dies between any two steps, and loses nothing', async () => {
    const window = await office.enter();
    const { page } = window;
    const powerCut = async () => {
      await office.kill();
      await office.start();
      await page.reload();
    };
    await uploadContacts(window, 'power-cut');
    await powerCut();
    await page.getByRole('button', { name: 'Go on to the message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
    await powerCut();
    await writeMessage(window, 'the power is back.');
    await powerCut();
    await chooseTime(window);
    await powerCut();
    const onward = page.getByRole('link', { name: 'Go on to the launch' });
    // A plan that died with the power is made again by a person.
    const again = page.getByRole('button', { name: 'Work it out again' });
    await onward.or(again).first().waitFor();
    if (await again.isVisible()) await again.click();
    await onward.click();
    await powerCut();
    await page.getByLabel('Type the campaign’s name to launch it').fill('power-cut');
    await page.getByRole('button', { name: `Launch to ${PEOPLE} people` }).click();
    await page.getByRole('heading', { name: 'power-cut' }).waitFor();
    await page.getByText('Finished').first().waitFor();
    const named = place()
      .campaigns()
      .filter(({ name }) => name === 'power-cut');
    // What a planning process had begun when it died stays a draft, of which nothing is sent.
    expect(named.filter(({ state }) => state !== 'draft')).toHaveLength(1);
    expect(await place().json(['verify'])).toMatchObject({ violations: [] });
  });

  test('sends one message to herself first, and nothing of the campaign', async () => {
    const window = await office.enter();
    const { page } = window;
    const before = place().sandbox.stats().accepted;
    await chooseContacts(window, 'to-me-first');
    await writeMessage(window, 'look at this first.');
    await chooseTime(window);
    await page.getByLabel('Your number').fill('0722 000 999');
    await page.getByRole('button', { name: 'Send to me' }).click();
    await page.getByText('It is on its way.').waitFor();
    await page.getByRole('link', { name: 'See what became of it' }).click();
    await page.getByText('Finished').first().waitFor();
    expect(place().sandbox.stats().accepted).toBe(before + 1);
    expect(place().campaigns()).not.toContainEqual(expect.objectContaining({ name: 'to-me-first' }));
    expect(window.wrong()).toEqual([]);
  });

  test('launches once although the computer dies while it launches', async () => {
    const window = await office.enter();
    const { page } = window;
    const before = place().sandbox.stats().accepted;
    await chooseContacts(window, 'dies-now');
    await writeMessage(window, 'the power goes now.');
    await chooseTime(window);
    await page.getByRole('link', { name: 'Go on to the launch' }).click();
    const name = page.getByLabel('Type the campaign’s name to launch it');
    const button = page.getByRole('button', { name: `Launch to ${PEOPLE} people` });
    const step = page.url();
    await name.fill('dies-now');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await button.click({ noWaitAfter: true });
    await asked;
    await office.kill();
    await office.start();
    await page.goto(step);
    // It was launched, or it is launched again; a plan that died is made again first.
    const onward = page.getByRole('link', { name: 'Go on to the launch' });
    const again = page.getByRole('button', { name: 'Work it out again' });
    const launched = page.getByRole('heading', { level: 1, name: 'dies-now' });
    for (;;) {
      await launched.or(name).or(again).or(onward).first().waitFor();
      if (await launched.isVisible()) break;
      if (await name.isVisible()) {
        await name.fill('dies-now');
        await button.click();
      } else if (await again.isVisible()) await again.click();
      else await onward.click();
    }
    await page.getByText('Finished').first().waitFor();
    expect(place().sandbox.stats().accepted).toBe(before + PEOPLE);
    expect(await place().json(['verify'])).toMatchObject({ violations: [] });
  });

  test('sees a campaign go on after the connection was lost, without a reload', async () => {
    const window = await office.enter();
    const { page } = window;
    place().write('slow.yaml', jobFile({ name: 'slow', rate: '40/s' }));
    place().write('contacts.csv', contacts(200, 1_000));
    const { campaign } = await place().json(['launch', 'slow.yaml', '--yes']);
    await window.open(`/campaigns/${campaign.id}`);
    await page.getByText('Running').first().waitFor();
    await office.kill();
    const lost = page.getByText('The connection is lost');
    await lost.waitFor();
    await office.start();
    await page.getByText('Finished').first().waitFor();
    await lost.waitFor({ state: 'hidden' });
    // The page itself was not loaded again.
    expect(await page.evaluate('performance.getEntriesByType("navigation").length')).toBe(1);
  });
});
