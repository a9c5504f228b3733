import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addDays } from '../../src/domain/time/dates.ts';
import { ROOT } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun } from '../faults/check.ts';
import { openStage, type Stage } from '../faults/harness.ts';
import { acceptedInOrder, claimTimes, document, launch, verified, write } from './world.ts';

/* Days of a campaign in real processes: hours that end before the sending does, and the reminders of the sample. */

/** More than two sweeps: what is due would be sent by then. */
const SWEEPS_MS = 2_500;
/** A claim is good for five seconds, and a busy machine takes its time on the wire. */
const CLAIMED_BEFORE_MS = 6_000;
const NAIROBI_MS = 3 * 3_600_000;
const MINUTE_MS = 60_000;
const OPENS_MS = 8 * 60 * MINUTE_MS;
/** 17:50: ten minutes before the hours end. */
const MARGIN_MS = (17 * 60 + 50) * MINUTE_MS;

const timeOfDay = (at: number) => (at + NAIROBI_MS) % (1_440 * MINUTE_MS);

const OFFER = `name: offer
kind: promotional
sender: DUKA
message: "Hi <<name>>, this weekend 20% off everything."
contacts: ./contacts.csv
columns: { mobile: Phone }
window: { from: "08:00", to: "18:00", days: mon-sat }
rate: 20/s
`;

async function untilPaused(stage: Stage): Promise<void> {
  const over = async () => {
    const { campaign, messages } = await document(stage, ['report', 'offer']);
    return campaign.reason === 'window' && messages['sending'] === 0;
  };
  await waitFor(over, { what: 'the hours to be over, and nothing on the wire' });
}

test('a campaign goes on over three days of hours, a Sunday between them, through a kill and a flush [S8]', async () => {
  const stage = await openStage({
    contacts: 120,
    sandbox: { latencyMs: 0 },
    env: { TUMA_ZONE: 'Africa/Nairobi', TUMA_RATE: 'unlimited' },
    from: Date.parse('2026-11-27T04:00Z'),
  });
  write(stage, 'offer.yaml', OFFER);
  await launch(stage, 'offer.yaml');
  let serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  const sentBy: { shift: number; count: number }[] = [];
  for (const day of ['2026-11-27', '2026-11-28']) {
    // A second and a half before the margin, 17:50 in Nairobi.
    stage.clock.jumpTo(Date.parse(`${day}T14:49:58.500Z`));
    const shift = stage.clock.now() - Date.now();
    const before = (await stage.provider.stats()).accepted;
    await stage.provider.accepted(before + 1);
    await untilPaused(stage);
    const { accepted: count } = await stage.provider.stats();
    expect(count).toBeLessThan(120);
    sentBy.push({ shift, count });
    if (day === '2026-11-27') {
      await stage.killWithRedis(serve);
      serve = stage.serve('worker,collector');
      await serve.printed(/serving/);
    } else await stage.redis.command('FLUSHALL');
  }
  for (const moment of ['2026-11-28T16:00Z', '2026-11-29T09:00Z', '2026-11-30T04:59:50Z']) {
    stage.clock.jumpTo(Date.parse(moment));
    await sleep(SWEEPS_MS);
    expect((await stage.provider.stats()).accepted, moment).toBe(sentBy.at(-1)?.count);
  }
  stage.clock.jumpTo(Date.parse('2026-11-30T05:00:01Z'));
  sentBy.push({ shift: stage.clock.now() - Date.now(), count: 120 });
  await stage.provider.accepted(120);
  await waitFor(async () => (await document(stage, ['report', 'offer'])).campaign.state === 'finished', {
    what: 'the campaign to be finished',
  });
  await serve.stop('SIGTERM');
  const days = new Set<string>();
  for (const [index, { at }] of (await acceptedInOrder(stage)).entries()) {
    const shift = sentBy.find(({ count }) => index < count)?.shift ?? 0;
    const sentAt = at + shift;
    expect(timeOfDay(sentAt)).toBeGreaterThanOrEqual(OPENS_MS);
    // Only the claim looks at the margin. What was claimed just before it and is late takes a new slot, within its claim's time.
    expect(timeOfDay(sentAt)).toBeLessThan(MARGIN_MS + CLAIMED_BEFORE_MS);
    days.add(new Date(sentAt + NAIROBI_MS).toISOString().slice(0, 10));
  }
  const claimed = claimTimes(stage).map(timeOfDay);
  expect(claimed).toHaveLength(120);
  expect(Math.min(...claimed)).toBeGreaterThanOrEqual(OPENS_MS);
  expect(Math.max(...claimed)).toBeLessThan(MARGIN_MS);
  expect([...days]).toEqual(['2026-11-27', '2026-11-28', '2026-11-30']);
  await verified(stage);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 120, sent: 120, uncertain: 0 });
});

/** The days, by the zone, on which the rows of the sample are reminded: two days before, on Mondays for Sundays. */
function momentsOf(csv: string): Map<string, number> {
  const moments = new Map<string, number>();
  for (const line of csv.trim().split('\n').slice(1)) {
    const [day = '', month = '', year = ''] = (line.split(',').at(-1) ?? '').split('/');
    const wanted = addDays(`${year}-${month}-${day}`, -2);
    const sunday = new Date(`${wanted}T00:00Z`).getUTCDay() === 0;
    // Its hours are 08:00 to 18:00, Monday to Saturday.
    const moment = sunday ? `${addDays(wanted, 1)}T05:00Z` : `${wanted}T06:00Z`;
    moments.set(moment, (moments.get(moment) ?? 0) + 1);
  }
  return new Map([...moments].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

test('jobs/reminder.yaml as it is sends every reminder of its contacts at its moment, and none before', async () => {
  const stage = await openStage({
    contacts: 60,
    sandbox: { latencyMs: 0 },
    env: { TUMA_ZONE: 'Africa/Nairobi' },
    from: Date.now(),
  });
  for (const folder of ['jobs', 'templates']) mkdirSync(join(stage.directory, folder));
  for (const file of ['jobs/reminder.yaml', 'templates/reminder.txt'])
    cpSync(join(ROOT, file), join(stage.directory, file));
  const csv = join(stage.directory, 'jobs/reminder.csv');
  execFileSync(process.execPath, [join(ROOT, 'scripts/reminder-dates.mjs'), csv]);
  expect(await launch(stage, 'jobs/reminder.yaml')).toMatchObject({ messages: { queued: 60 } });
  const serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  let due = 0;
  for (const [moment, count] of momentsOf(readFileSync(csv, 'utf8'))) {
    stage.clock.jumpTo(Date.parse(moment) - 5_000);
    if (due < 20) await sleep(SWEEPS_MS);
    expect((await stage.provider.stats()).accepted, `before ${moment}`).toBe(due);
    stage.clock.jumpTo(Date.parse(moment) + 500);
    due += count;
    await stage.provider.accepted(due);
  }
  await serve.stop('SIGTERM');
  expect(due).toBe(60);
  await verified(stage);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 60, sent: 60 });
});
