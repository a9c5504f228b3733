import { beforeAll, describe, expect, test } from 'vitest';
import { type Came, LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';
import { noBrowser, openWindow, type Window } from './browser.ts';

/* The page of a campaign in a real browser, while things happen to the campaign. */

const SENT = 30;

describe.skipIf(noBrowser !== null)('the page of a campaign', () => {
  let story: LedgerStory;
  let door: { origin: string; link: string };
  let n: number;
  let web: WebHere;

  beforeAll(async () => {
    story = await LedgerStory.begin();
    n = await story.launch({ id: 'agm-1', name: 'agm-notice', messages: 40, estimatedMicro: 32_000_000 });
    const claimed = await story.claim();
    const came: Record<number, Came> = {};
    for (const seq of claimed) came[seq] = seq <= SENT ? { to: 'sent' } : { to: 'queued' };
    story.now += 1_000;
    await story.record(n, came);
    await story.report(`m${n}-1`, 'delivered');
    web = await WebHere.open(story.directory, {}, story.now + 60_000);
    door = await web.listen();
  });

  async function enter(looking: Parameters<typeof openWindow>[1] = {}): Promise<Window> {
    const window = await openWindow(door.origin, looking);
    await window.open(door.link);
    await window.open('/campaigns/agm-1');
    return window;
  }

  const delivered = (window: Window) => window.page.locator('#live-numbers dd').first();

  /** The moments that the course writes when it is drawn anew. */
  async function labelsOf(page: Window['page']): Promise<string[]> {
    await page.evaluate(`{
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      window.drawn = [];
      prototype.fillText = function (words, ...place) {
        if (/^\\d\\d:\\d\\d$/.test(words)) window.drawn.push(words);
        return fillText.call(this, words, ...place);
      };
      dispatchEvent(new Event('resize'));
    }`);
    await page.waitForFunction('window.drawn.length > 0');
    return page.evaluate<string[]>('window.drawn');
  }

  test('changes in place while reports come, keeps the focus, and leaves what is open as it is', async () => {
    const window = await enter();
    const { page } = window;
    await page.locator('figure[data-plot="course"] canvas').waitFor();
    const labels = await labelsOf(page);
    expect(labels.filter((label, index) => label === labels[index - 1])).toEqual([]);
    await page.locator('figure[data-plot="course"] summary').click();
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.focus();
    story.now += 1_000;
    await story.report(`m${n}-2`, 'delivered');
    await delivered(window).filter({ hasText: /^2/ }).waitFor();
    await page.locator('#live-course .total td').nth(1).filter({ hasText: '2' }).waitFor();
    expect(await pause.evaluate((button) => button.matches(':focus'))).toBe(true);
    expect(await page.locator('#live-course').isVisible()).toBe(true);
    expect(await page.locator('[aria-live]').count()).toBe(1);
    expect(window.wrong()).toEqual([]);
  });

  test('of two windows the second sees at once what the first orders', async () => {
    const first = await enter();
    const second = await first.another();
    await second.open('/campaigns/agm-1');
    await first.page.getByRole('button', { name: 'Pause' }).click();
    await second.page.locator('#live-state', { hasText: 'Paused' }).waitFor();
    await second.page.getByRole('link', { name: 'Let it go on…' }).click();
    await second.page.getByRole('button', { name: 'Send to 10 people' }).click();
    await first.page.locator('#live-state', { hasText: 'Running' }).waitFor();
    expect([...first.wrong(), ...second.wrong()]).toEqual([]);
  });

  test('goes on by itself after the connection was lost, and after it could not even begin', async () => {
    const window = await openWindow(door.origin);
    await window.open(door.link);
    // The first stream is refused, as by a proxy that has just started.
    await window.page.route('**/live', (route) => route.abort(), { times: 1 });
    await window.open('/campaigns/agm-1');
    await window.page.waitForResponse('**/live');
    web.app.server.closeAllConnections();
    story.now += 1_000;
    await story.report(`m${n}-3`, 'delivered');
    await delivered(window).filter({ hasText: /^3/ }).waitFor();
    expect(await delivered(window).textContent()).toMatch(/^3/);
  });

  test('says everything without JavaScript, with the charts as tables', async () => {
    const { page } = await enter({ javaScript: false, width: 360 });
    expect(await page.locator('#live-numbers .all dd').textContent()).toBe('40');
    expect(await page.locator('canvas').count()).toBe(0);
    expect(await page.locator('#live-course').count()).toBe(1);
    await page.getByRole('link', { name: 'Cancel for good…' }).click();
    await page.getByLabel('Type the campaign’s name to cancel it').fill('other');
    await page.getByRole('button', { name: 'Cancel for 10 people' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('This is not the name of the campaign');
  });

  test('folds on a phone what is no answer yet, and fits', async () => {
    const window = await enter({ width: 360, scheme: 'dark' });
    expect(await window.page.locator('details.fold[open]').count()).toBe(0);
    await window.page.locator('details.fold summary').first().click();
    await window.page.locator('figure[data-plot="course"] canvas').waitFor();
    expect(await window.axe()).toEqual([]);
    expect(await window.tooWide()).toEqual([]);
    expect(window.wrong()).toEqual([]);
  });
});
