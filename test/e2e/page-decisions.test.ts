import { beforeAll, describe, expect, test } from 'vitest';
import { type LivedInHome, liveIn, numberOf } from '../support/lived-in-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebHere } from '../support/web-here.ts';
import { noBrowser, openWindow, WIDTHS, type Window } from './browser.ts';

/* What only a person can decide, in the pages, on a desk and on a phone, and what becomes of the sums. Nothing is sent. */

/** A campaign of which everything waits. */
const CALM = 'ca1m0000';

describe.skipIf(noBrowser !== null).each([WIDTHS.desk, WIDTHS.phone])('at %i pixels', (width) => {
  let home: LivedInHome;
  let door: { origin: string; link: string };

  beforeAll(async () => {
    home = await liveIn({
      async also(story) {
        await story.launch({ id: CALM, name: 'calm', contacts: CALM, messages: 8 });
      },
    });
    const web = await WebHere.open(home.story.directory, home.env, home.story.now);
    door = await web.listen();
  });

  async function enter(path: string): Promise<Window> {
    const window = await openWindow(door.origin, { width });
    await window.open(door.link);
    await window.open(path);
    return window;
  }

  /** Messages of a campaign by their state, and those that were sent by what is known of their delivery. */
  async function sums(id: string) {
    const reader = await home.story.reader();
    const [campaign] = await reader.find(id);
    const { messages } = await reader.overview(campaign?.n ?? 0);
    const { tallies } = await reader.campaignCounters(campaign?.n ?? 0, home.story.now);
    return { ...messages, ...tallies.delivery };
  }

  /** A part of the sum of a campaign's page, as it stands there. */
  const part = ({ page }: Window, name: string) =>
    page
      .locator('#live-numbers div', { has: page.locator('dt', { hasText: name }) })
      .locator('dd')
      .first();
  const shows = (window: Window, name: string, count: number) =>
    waitFor(async () => (await part(window, name).innerText()).split('\n')[0] === String(count), {
      what: `${count} ${name}`,
    });

  /** Nothing wrong, and nothing out of place. */
  async function inOrder(window: Window): Promise<void> {
    expect(await window.tooWide()).toEqual([]);
    expect(window.wrong()).toEqual([]);
  }

  test('a word of reports gets a meaning, and the sums of its campaign change', async () => {
    const before = await sums('fin1shed');
    const window = await enter('/decisions');
    const { page } = window;
    const row = page.getByRole('row').filter({ hasText: 'Handset gone 2' });
    await row.getByRole('link', { name: 'Decide…' }).click();
    // What has the same letters has the same meaning, so it is counted and named.
    await page.getByText('2 reports have this word').waitFor();
    await page.getByText('With the same letters').getByText('Handset gone 4').waitFor();
    // Without a meaning nothing is decided.
    await page.getByRole('button', { name: 'Give it this meaning' }).click();
    await page.getByRole('link', { name: 'Choose what it means.' }).click();
    window.forgive();
    await page.getByLabel('The message did not arrive').check();
    await inOrder(window);
    await page.getByRole('button', { name: 'Give it this meaning' }).click();
    await page.waitForURL('**/decisions');
    await row.getByText('The message did not arrive').waitFor();
    const after = await sums('fin1shed');
    expect(after).toEqual({
      ...before,
      unreported: before.unreported - 2,
      undelivered: before.undelivered + 2,
    });
    await window.open('/campaigns/fin1shed');
    await shows(window, 'Failed', after.undelivered + after.rejected);
    await inOrder(window);
  });

  test('what a retry can help is sent again from the page of its campaign', async () => {
    const window = await enter('/campaigns/fin1shed');
    const { page } = window;
    const before = await sums('fin1shed');
    await page.getByRole('link', { name: 'Retry 1…' }).click();
    await page.getByRole('heading', { name: 'Retry 1 message?' }).waitFor();
    await inOrder(window);
    await page.getByRole('button', { name: 'Retry 1' }).click();
    await page.locator('#live-state', { hasText: 'Running' }).waitFor();
    await shows(window, 'Still to send', 1);
    expect(await sums('fin1shed')).toEqual({ ...before, rejected: before.rejected - 1, queued: 1 });
    await inOrder(window);
  });

  test('one uncertain message is decided by its evidence, and the others stay', async () => {
    const window = await enter('/campaigns/runn1ng1');
    const { page } = window;
    const before = await sums('runn1ng1');
    await page.getByRole('link', { name: /^All 5, with the raw answers/ }).click();
    await page.getByRole('link', { name: 'Line 6' }).click();
    await page.getByRole('link', { name: 'They were sent…' }).click();
    await page.getByRole('heading', { name: 'Count 1 uncertain message as sent?' }).waitFor();
    await inOrder(window);
    await page.getByRole('button', { name: 'Count 1 as sent' }).click();
    await page.locator('#live-uncertain h2').first().filter({ hasText: '4 uncertain' }).waitFor();
    expect(await sums('runn1ng1')).toMatchObject({ uncertain: before.uncertain - 1, sent: before.sent + 1 });
    await inOrder(window);
  });

  test('a number is opted out by hand, with a reason, and let back', async () => {
    const number = numberOf(9);
    const isOut = async () =>
      (await home.story.ledger.suppressed({ mobiles: [number], sender: 'DUKA' })).has(number);
    const window = await enter('/optouts');
    const { page } = window;
    await page.getByLabel('Number', { exact: true }).fill(`+${number}`);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByText('Offers may go to this number').waitFor();
    await page.getByLabel('Reason').fill('asked by phone on 26 November');
    await inOrder(window);
    await page.getByRole('button', { name: 'Opt out', exact: true }).click();
    await page.getByRole('heading', { name: 'No offer goes to this number' }).waitFor();
    expect(await isOut()).toBe(true);
    await page.getByLabel('Reason').fill('asked for offers again');
    await page.getByRole('button', { name: 'Let the number back' }).click();
    await page.getByText('Offers may go to this number').waitFor();
    await page.getByRole('cell', { name: 'asked by phone on 26 November' }).waitFor();
    expect(await isOut()).toBe(false);
    await inOrder(window);
  });

  test('a verb of a window that is out of date is asked again, with the number as it is now', async () => {
    const stale = await enter('/campaigns/paus3d01');
    const { page } = stale;
    await page.getByRole('link', { name: 'Let it go on…' }).first().click();
    await page.getByRole('button', { name: 'Send to 12 people' }).waitFor();
    const other = await stale.another();
    await other.open('/campaigns/paus3d01/people');
    await other.page.getByRole('link', { name: 'Cancel' }).first().click();
    await other.page.getByRole('button', { name: 'Cancel 1 message' }).click();
    await other.page.getByText('Canceled').first().waitFor();
    await page.getByRole('button', { name: 'Send to 12 people' }).click();
    await page.getByText('The numbers have changed since you looked').waitFor();
    expect(await sums('paus3d01')).toMatchObject({ queued: 11, canceled: 1 });
    expect((await (await home.story.reader()).find('paus3d01'))[0]?.state).toBe('paused');
    // Such a page is an answer with 409, which a browser notes on its console.
    stale.forgive();
    await page.getByRole('button', { name: 'Send to 11 people' }).click();
    await page.locator('#live-state', { hasText: 'Running' }).waitFor();
    await inOrder(stale);
    expect(other.wrong()).toEqual([]);
  });

  test('a tab that nobody sees rests, and shows the newest when somebody looks again', async () => {
    const watched = await enter(`/campaigns/${CALM}`);
    const hidden = await watched.another();
    const asked: string[] = [];
    hidden.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const stream = `/campaigns/${CALM}/live`;
    const ended = hidden.page.waitForEvent('requestfailed', (request) => request.url().endsWith(stream));
    await hidden.open(`/campaigns/${CALM}`);
    // The stream has begun when something of it stands in the page.
    const isOpen = 'document.getElementById("live")._htmx?.sse?.reader != null';
    await waitFor(() => hidden.page.evaluate(isOpen), { what: 'the stream' });
    await seenBySomebody(hidden, false);
    await ended;
    asked.length = 0;
    const [campaign] = await (await home.story.reader()).find(CALM);
    const pause = { now: home.story.now, by: 'test', reason: 'operator' } as const;
    await home.story.ledger.pause(campaign?.n ?? 0, pause);
    await watched.page.locator('#live-state', { hasText: 'Paused' }).waitFor();
    expect(await hidden.page.locator('#live-state').textContent()).toBe('Running');
    expect(asked).toEqual([]);
    await seenBySomebody(hidden, true);
    await hidden.page.locator('#live-state', { hasText: 'Paused' }).waitFor();
    expect(asked).toEqual([stream]);
    expect([...watched.wrong(), ...hidden.wrong()]).toEqual([]);
  });
});

/** As a browser says it to the page when its tab comes to the front or goes behind another one. */
async function seenBySomebody({ page }: Window, isSeen: boolean): Promise<void> {
  const [hidden, state] = isSeen ? ['false', 'visible'] : ['true', 'hidden'];
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));`);
}
