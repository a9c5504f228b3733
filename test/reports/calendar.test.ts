import { expect, it } from 'vitest';
import { calendarOf } from '../../src/reports/calendar.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

const ZONE = 'Africa/Nairobi';
/** In a month that a test reaches before it ends, whatever the clock says. */
const MONTH = '2031-03';
const at = (day: number, hour: number) => Date.UTC(2031, 2, day, hour - 3);

/** A campaign of reminders at 9, a start, and a job that fires each Monday, all in one month. */
async function place(): Promise<LedgerStory> {
  const story = await LedgerStory.begin();
  const remind = { column: 'due', offset: '0d', atMinute: 540, format: null, keyed: false };
  const draft = await story.draft({ id: 'rent-1', name: 'rent <1>', settings: { remind } });
  const days = [3, 3, 4];
  await story.ledger.stageReminders(
    draft,
    days.map((day, index) => ({
      line: index + 2,
      mobile: `25471100000${index}`,
      key: '',
      occurrence: `2031-03-0${day}`,
      fields: ['', ''],
      segments: 1,
      notBefore: at(day, 9),
      notAfter: at(day, 18),
      skip: null,
    })),
  );
  await story.ledger.arrangeReminders(draft, story.now);
  const counts = { read: 3, planned: 3, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 };
  const money = { account: 'acc', budgetMicro: null, estimatedMicro: null };
  const activation = { campaign: draft, startAt: null, startDeadlineMs: 0, counts, ...money };
  await story.ledger.activate({ ...activation, now: story.now, by: 'test' });
  await story.launch({ id: 'sale-1', name: 'sale', startAt: at(3, 8), messages: 7 });
  const settings = { every: { cron: '0 9 * * 1' } };
  await story.launch({ id: 'weekly-1', name: 'weekly', settings, startAt: at(3, 9), messages: 2 });
  return story;
}

it('a month holds reminders, starts and firings by day, in order of time', async () => {
  const story = await place();
  const { days, isCut } = await calendarOf(await story.reader(), {
    month: MONTH,
    zone: ZONE,
    now: story.now,
  });
  const told = days.map(({ day, items }) => [day, items.map(({ what, messages }) => `${what} ${messages}`)]);
  expect(told).toEqual([
    ['2031-03-03', ['start 7', 'reminders 2', 'firing 2']],
    ['2031-03-04', ['reminders 1']],
    ['2031-03-10', ['firing 2']],
    ['2031-03-17', ['firing 2']],
    ['2031-03-24', ['firing 2']],
    ['2031-03-31', ['firing 2']],
  ]);
  expect(isCut).toBe(false);
  const past = await calendarOf(await story.reader(), { month: MONTH, zone: ZONE, now: at(5, 0) });
  expect(past.days[0]?.day).toBe('2031-03-10');
});

it('the page shows the month, its sums, and what waits for a resume', async () => {
  const story = await place();
  const [sale] = await (await story.reader()).find('sale-1');
  await story.ledger.pause(sale?.n ?? 0, { now: story.now, by: 'ann', reason: 'operator' });
  const web = await WebHere.open(story.directory);
  await web.signIn();
  const { status, text } = await web.get(`/reminders?month=${MONTH}`);
  expect(status).toBe(200);
  expect(text).toContain('20 messages on 6 days.');
  expect(text).toContain('<a href="#day-2031-03-03">3<small>11</small></a>');
  expect(text).toContain('rent &lt;1&gt;');
  expect(text).toContain('Paused: it comes only if the campaign is resumed.');
  expect(text).toContain('/reminders?month=2031-02');
  expect((await web.get('/reminders?month=2031-13')).status).toBe(200);
  expect((await web.get('/reminders?month=2030-01')).text).toContain('Nothing comes in this month');
});
