import { beforeAll, describe, expect, test } from 'vitest';
import { type LivedInHome, liveIn, numberOf } from '../support/lived-in-home.ts';
import { WebHere } from '../support/web-here.ts';
import { noBrowser, openWindow, type Window } from './browser.ts';

/* What somebody does in the pages, from the first click to what the ledger then holds. Nothing is sent here. */

let home: LivedInHome;
/** A campaign of which everything waits. */
const notice = 'n0t1ce00';
let door: { origin: string; link: string };

describe.skipIf(noBrowser !== null)('in a browser', () => {
  beforeAll(async () => {
    home = await liveIn({
      async also(story) {
        await story.launch({ id: notice, name: 'notice', contacts: notice, messages: 12 });
      },
    });
    const web = await WebHere.open(home.story.directory, home.env, home.story.now);
    door = await web.listen();
  });

  async function enter(): Promise<Window> {
    const window = await openWindow(door.origin);
    await window.open(door.link);
    return window;
  }

  test('the language changes by its button, stays, and comes back to the same page', async () => {
    const window = await enter();
    const { page } = window;
    await page.getByRole('button', { name: 'Kiswahili' }).click();
    await page.locator('html[lang=sw]').waitFor();
    await window.open('/campaigns/fin1shed');
    await page.getByRole('button', { name: 'English' }).click();
    await page.locator('html[lang=en]').waitFor();
    expect(new URL(page.url()).pathname).toBe('/campaigns/fin1shed');
    expect(window.wrong()).toEqual([]);
  });

  test('a form works without JavaScript', async () => {
    const window = await openWindow(door.origin, { javaScript: false });
    await window.open(door.link);
    await window.page.getByRole('button', { name: 'Kiswahili' }).click();
    await window.page.locator('html[lang=sw]').waitFor();
    expect(window.wrong()).toEqual([]);
  });

  const suppressed = async (mobile: string) =>
    (await home.story.ledger.suppressed({ mobiles: [mobile], sender: 'DUKA' })).has(mobile);

  test('a maybe-STOP is decided in the inbox, and offers to that number stop', async () => {
    const asker = numberOf(5);
    expect(await suppressed(asker)).toBe(false);
    const window = await enter();
    const { page } = window;
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByText('please stop texting me').first().waitFor();
    await page.getByRole('button', { name: 'Opt out' }).click();
    await page.waitForURL('**/inbox');
    expect(await page.getByRole('button', { name: 'Not a STOP' }).count()).toBe(0);
    expect(await suppressed(asker)).toBe(true);
    expect(window.wrong()).toEqual([]);
  });

  test('a pause in one window shows in the other, which lets it go on', async () => {
    const here = await enter();
    await here.open(`/campaigns/${notice}`);
    const there = await here.another();
    await there.open(`/campaigns/${notice}`);
    await here.page.getByRole('button', { name: 'Pause' }).click();
    await here.page.getByText('Paused by a person').first().waitFor();
    await there.page.getByText('Paused by a person').first().waitFor();
    await there.page.getByRole('link', { name: 'Let it go on' }).first().click();
    await there.page.getByRole('button', { name: 'Send to 12 people' }).click();
    await there.page.locator('.state', { hasText: 'Running' }).waitFor();
    await here.page.locator('.state', { hasText: 'Running' }).waitFor();
    expect([...here.wrong(), ...there.wrong()]).toEqual([]);
  });

  test('one person is canceled, the others stay, and the page says so', async () => {
    const window = await enter();
    const { page } = window;
    const [reminders] = await (await home.story.reader()).find('visit-reminders');
    await window.open(`/campaigns/${reminders?.id}`);
    await page.locator('main a[href$="/people"]').first().click();
    await page.getByRole('link', { name: 'Cancel' }).first().click();
    await page.getByRole('button', { name: 'Cancel 1 message' }).click();
    await page.getByText('Canceled').first().waitFor();
    const { messages } = await (await home.story.reader()).overview(reminders?.n ?? 0);
    expect([messages.canceled, messages.queued]).toEqual([1, 2]);
    expect(window.wrong()).toEqual([]);
  });
});
