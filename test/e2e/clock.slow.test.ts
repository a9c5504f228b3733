import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { jobFile, mobile, openPlace } from './harness.ts';

/* By the machine's own clock, with nothing in place of it: minutes that really pass. */

const ZONE = 'Africa/Nairobi';
const MINUTE_MS = 60_000;
const place = openPlace({ env: { TUMA_RATE: 'unlimited', TUMA_ZONE: ZONE } });

/** Date and time of the day in the zone. */
function local(at: number): { date: string; time: string } {
  const [date = '', time = ''] = new Date(at).toLocaleString('sv', { timeZone: ZONE }).split(' ');
  return { date, time: time.slice(0, 5) };
}

test('a job of every minute fires at two minutes, each once, and reminders go at theirs, while `tuma serve` runs', async () => {
  place().write('people.csv', `phone,name\n${mobile(1)},Ann\n${mobile(2)},Ben\n`);
  const every = { name: 'news', contacts: './people.csv', every: '{ cron: "* * * * *" }' };
  place().write('news.yaml', jobFile(every));
  // The next minute but one, and not one of the next day.
  const moment = Math.ceil((Date.now() + MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
  const { date, time } = local(moment);
  place().write('due.csv', `phone,name,due\n${mobile(3)},Cho,${date}\n${mobile(4)},Dan,2037-01-01\n`);
  const remind = `{ column: due, offset: 0d, at: "${time}" }`;
  place().write('due.yaml', jobFile({ name: 'due', contacts: './due.csv', remind }));
  const serve = place().start(['serve']);
  await serve.printed(/serving/);
  await place().json(['launch', 'news.yaml', '--yes']);
  await place().json(['launch', 'due.yaml', '--yes']);
  const accepted = () => place().sandbox.stats().accepted;
  const firings = async () => (await place().json(['status', 'news']))['schedule'] as Schedule;
  await waitFor(async () => (await firings()).fired >= 2, { what: 'two firings', timeoutMs: 3 * MINUTE_MS });
  await place().json(['cancel', 'news', '--yes']);
  const { fired, missed, latest } = await firings();
  expect(missed).toBe(0);
  await waitFor(() => Date.now() > moment && accepted() >= 2 * fired + 1, {
    what: 'the reminder',
    timeoutMs: 2 * MINUTE_MS,
  });
  expect(latest.map(({ at }) => at.slice(16))).toEqual(Array.from({ length: fired }, () => ':00.000Z'));
  await waitFor(async () => (await place().json(['report', 'due'])).messages['sent'] === 1, {
    what: 'the reminder to be recorded',
  });
  expect((await place().json(['report', 'due'])).messages).toMatchObject({ sent: 1, queued: 1 });
  expect(accepted()).toBe(2 * fired + 1);
  await serve.stop('SIGTERM');
  // Each left within seconds of its minute.
  for (const { name, started_at } of (await place().json(['status']))['campaigns'] as Status[]) {
    if (!name.startsWith('news 2')) continue;
    const planned = name.slice('news '.length);
    const begun = Date.parse(started_at ?? '');
    expect(`${local(begun).date} ${local(begun).time}`).toBe(planned);
    expect(begun % MINUTE_MS).toBeLessThan(10_000);
  }
  expect(await place().json(['verify'])).toMatchObject({ violations: [] });
}, 300_000);

interface Schedule {
  fired: number;
  missed: number;
  latest: { at: string }[];
}

interface Status {
  name: string;
  started_at: string | null;
}
