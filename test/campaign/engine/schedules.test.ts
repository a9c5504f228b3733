import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { addDays } from '../../../src/domain/time/dates.ts';
import { waitFor } from '../../support/wait-for.ts';
import { JumpClock, openEngine } from './engine.ts';
import { csvOf, JOB, launchReminders } from './reminder-world.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/* Days pass by jumps of the engine's clock; ledger, planning and sending are the real ones. */

const MINUTE = 60_000;
const at = (iso: string) => Date.parse(iso);

async function setUp(from: string) {
  const clock = new JumpClock(at(from));
  const engine = await openEngine(clock);
  const provider = new ScriptedProvider();
  return { clock, engine, provider };
}

const sentTo = async (provider: ScriptedProvider, count: number) =>
  waitFor(() => provider.acceptedCount >= count, { what: `${count} accepted` });

describe('a month of reminders', () => {
  it.each([
    ['with a key', 'key: invoice\n'],
    ['without a key', ''],
  ])(
    '%s, its contacts corrected every week: each occurrence is sent once, on its day',
    async (_, extra) => {
      const { clock, engine, provider } = await setUp('2026-11-01T03:00Z');
      const sent = new Map<string, string[]>();
      const send = provider.send.bind(provider);
      provider.send = (request) => {
        const day = new Date(clock.now()).toISOString();
        sent.set(request.mobile, [...(sent.get(request.mobile) ?? []), day]);
        return send(request);
      };
      const tenants = Array.from({ length: 60 }, (__, who) => ({
        who,
        due: addDays('2026-11-03', who % 28),
      }));
      const job = JOB(extra);
      const campaign = await launchReminders(engine, { job, csv: csvOf(tenants) });
      await engine.start(provider);
      for (let day = 1; day <= 30; day++) {
        const today = addDays('2026-11-01', day);
        if (day % 7 === 3) {
          // Of those still to come one moves by two days, one leaves, one is new; every line stands elsewhere.
          const later = tenants.filter(({ due }) => due > addDays(today, 3));
          const [first, second] = [later[0], later[1]];
          if (first !== undefined) first.due = addDays(first.due, 2);
          if (second !== undefined) tenants.splice(tenants.indexOf(second), 1);
          tenants.unshift({ who: 100 + day, due: addDays(today, 5) });
          await launchReminders(engine, { job, csv: csvOf(tenants) });
        }
        clock.jumpTo(at(`${today}T06:00:01Z`));
        const due = tenants.filter(({ due }) => addDays(due, -1) <= today).length;
        await sentTo(provider, due);
      }
      const { messages, state } = await engine.until(campaign, 'finished');
      expect(state).toBe('finished');
      expect([messages.sent, messages.queued, provider.doubles]).toEqual([tenants.length, 0, 0]);
      for (const { who, due } of tenants) {
        const days = sent.get(String(254_700_000_000 + who));
        expect(days).toEqual([expect.stringMatching(new RegExp(`^${addDays(due, -1)}T06:0`))]);
      }
      expect(await engine.reader.violations(null)).toEqual([]);
    },
    40_000,
  );

  it.each([
    ['with a key', 'key: invoice\n'],
    ['without a key', ''],
  ])(
    '%s, with the time of a column: a corrected time moves the reminder',
    async (_, extra) => {
      const { clock, engine, provider } = await setUp('2026-11-01T03:00Z');
      const job = JOB(extra).replace('at: "09:00"', 'at: { column: due }');
      const csv = (time: string) => csvOf([{ who: 1, due: `2026-11-03 ${time}` }]);
      const campaign = await launchReminders(engine, { job, csv: csv('16:30') });
      await launchReminders(engine, { job, csv: csv('10:15') });
      expect(await engine.reader.agenda(campaign.n)).toMatchObject({
        due: [{ at: at('2026-11-02T07:15Z'), messages: 1 }],
      });
      await engine.start(provider);
      clock.jumpTo(at('2026-11-02T07:15:01Z'));
      await sentTo(provider, 1);
      await engine.until(campaign, 'finished');
      expect(provider.doubles).toBe(0);
    },
    40_000,
  );

  it('of a series each goes on its day, with its own text', async () => {
    const { clock, engine, provider } = await setUp('2026-11-01T03:00Z');
    const texts: string[] = [];
    const send = provider.send.bind(provider);
    provider.send = (request) => {
      texts.push(`${new Date(clock.now()).toISOString().slice(0, 10)} ${request.message}`);
      return send(request);
    };
    const job = JOB('key: invoice\n').replace(
      'offset: -1d',
      'offsets: [-2d, { offset: 0d, message: "Today, <<name>>" }]',
    );
    const csv = csvOf([
      { who: 1, due: '2026-11-05' },
      { who: 2, due: '2026-11-06' },
    ]);
    const campaign = await launchReminders(engine, { job, csv });
    // The same contacts again change nothing.
    await launchReminders(engine, { job, csv: `${csv}\n` });
    await engine.start(provider);
    for (const [day, count] of [
      ['03', 1],
      ['04', 2],
      ['05', 3],
      ['06', 4],
    ] as const) {
      clock.jumpTo(at(`2026-11-${day}T06:00:01Z`));
      await sentTo(provider, count);
    }
    expect((await engine.until(campaign, 'finished')).messages).toMatchObject({ sent: 4, canceled: 0 });
    expect(texts).toEqual([
      '2026-11-03 Hi T1',
      '2026-11-04 Hi T2',
      '2026-11-05 Today, T1',
      '2026-11-06 Today, T2',
    ]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it.each([
    ['with a key, whatever its date is now', 'key: invoice\n', '2026-11-06'],
    ['without a key, of the same date', '', '2026-11-03'],
  ])(
    '%s: what a settled campaign of the job sent is not sent again by fresh contacts',
    async (_, extra, due) => {
      const { clock, engine, provider } = await setUp('2026-11-01T03:00Z');
      const tenants = [{ who: 1, due: '2026-11-03' }];
      const before = await launchReminders(engine, { job: JOB(extra), csv: csvOf(tenants) });
      await engine.start(provider);
      clock.jumpTo(at('2026-11-02T06:00:01Z'));
      await engine.until(before, 'finished');
      // On the day itself instead of the day before: the moment of the first one is to come again.
      const job = JOB(extra).replace('offset: -1d', 'offset: 0d');
      const fresh = [
        { who: 1, due },
        { who: 2, due: '2026-11-05' },
      ];
      const campaign = await launchReminders(engine, { job, csv: csvOf(fresh) });
      clock.jumpTo(at('2026-11-05T06:00:01Z'));
      const { messages } = await engine.until(campaign, 'finished');
      expect(messages).toMatchObject({ sent: 1, skipped: 1, queued: 0 });
      const { reasons } = await engine.reader.tallies(campaign.n, 0);
      expect(reasons).toEqual([
        { state: 'skipped', reason: 'already reminded', count: 1, retryHelps: false },
      ]);
      expect([provider.acceptedCount, provider.doubles]).toEqual([2, 0]);
      expect(await engine.reader.violations(null)).toEqual([]);
    },
  );

  it('with a key: what a settled campaign sent is not sent again when its date, past at the next launch, is corrected', async () => {
    const { clock, engine, provider } = await setUp('2026-11-01T03:00Z');
    const job = JOB('key: invoice\n');
    const tenants = [{ who: 1, due: '2026-11-03' }];
    const before = await launchReminders(engine, { job, csv: csvOf(tenants) });
    await engine.start(provider);
    clock.jumpTo(at('2026-11-02T06:00:01Z'));
    await engine.until(before, 'finished');
    const fresh = [...tenants, { who: 2, due: '2026-11-09' }];
    const campaign = await launchReminders(engine, { job, csv: csvOf(fresh) });
    await launchReminders(engine, { job, csv: csvOf([{ who: 1, due: '2026-11-08' }, ...fresh.slice(1)]) });
    const { reasons } = await engine.reader.tallies(campaign.n, 0);
    expect(reasons).toEqual([{ state: 'skipped', reason: 'already reminded', count: 2, retryHelps: false }]);
  });

  it('with a worker that was away for a day: what its day is over for is skipped, never sent late', async () => {
    const { clock, engine, provider } = await setUp('2026-11-01T03:00Z');
    const tenants = [1, 2, 3].map((who) => ({ who, due: `2026-11-0${who + 2}` }));
    const campaign = await launchReminders(engine, { job: JOB(''), csv: csvOf(tenants) });
    clock.jumpTo(at('2026-11-03T08:00Z'));
    await engine.start(provider);
    await sentTo(provider, 1);
    clock.jumpTo(at('2026-11-04T06:00:01Z'));
    const { messages } = await engine.until(campaign, 'finished');
    expect(messages).toMatchObject({ sent: 2, skipped: 1 });
    expect([...provider.accepted.keys()]).toEqual(['254700000002', '254700000003']);
    const { reasons } = await engine.reader.tallies(campaign.n, 0);
    expect(reasons).toEqual([{ state: 'skipped', reason: 'moment past', count: 1, retryHelps: false }]);
  });
});

describe('a recurring job', () => {
  it('fires every Monday of a year in a zone that changes its clock, each firing once, at nine', async () => {
    const { clock, engine, provider } = await setUp('2026-01-01T12:00Z');
    const zone = 'Europe/Berlin';
    const first = at('2026-01-05T08:00Z');
    const every = { cron: '0 9 * * mon' };
    const schedule = await engine.launch(3, { kind: 'transactional', zone, every, startAt: first });
    await engine.start(provider);
    const mondays = Array.from({ length: 52 }, (_, week) => at(addDays('2026-01-05', 7 * week)));
    for (const [week, monday] of mondays.entries()) {
      const { startAt } = (await engine.ledger.campaign(schedule.n)) as Campaign;
      const hour = new Date(startAt ?? 0).toLocaleTimeString('en-GB', { timeZone: zone });
      expect([Math.floor((startAt ?? 0) / 86_400_000), hour]).toEqual([monday / 86_400_000, '09:00:00']);
      // A second before it nothing happens, whatever the number of looks.
      clock.jumpTo((startAt ?? 0) + 1_000);
      await sentTo(provider, 3 * (week + 1));
    }
    expect(provider.acceptedCount).toBe(3 * 52);
    const { schedule: agenda } = await engine.reader.agenda(schedule.n);
    expect(agenda).toMatchObject({ fired: 52, missed: 0 });
    const names = (await engine.reader.campaigns()).map(({ campaign }) => campaign.name);
    expect(new Set(names).size).toBe(53);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('after a downtime runs only the latest firing, and lists the others', async () => {
    const { clock, engine, provider } = await setUp('2026-11-01T00:00Z');
    const startAt = at('2026-11-01T06:00Z');
    const every = { cron: '0 9 * * *' };
    const schedule = await engine.launch(2, { kind: 'transactional', every, startAt });
    clock.jumpTo(at('2026-11-04T06:30Z'));
    await engine.start(provider);
    await sentTo(provider, 2);
    const agenda = (await engine.reader.agenda(schedule.n)).schedule;
    expect(agenda).toMatchObject({ fired: 1, missed: 3, nextAt: at('2026-11-05T06:00Z') });
    expect(agenda?.latest.map(({ at: time }) => new Date(time).getUTCDate())).toEqual([4, 3, 2, 1]);
    expect(provider.acceptedCount).toBe(2);
  });
});

describe('a start', () => {
  it('that comes while nobody works is kept within its deadline, and missed after it until a person resumes', async () => {
    const { clock, engine, provider } = await setUp('2026-11-27T00:00Z');
    const soon = await engine.launch(3, { startAt: at('2026-11-27T06:00Z'), kind: 'transactional' });
    const early = await engine.launch(3, { startAt: at('2026-11-27T04:00Z'), kind: 'transactional' });
    // The deadline of both is an hour.
    clock.jumpTo(at('2026-11-27T06:30Z'));
    await engine.start(provider);
    await engine.until(soon, 'finished');
    const missed = await engine.until(early, 'paused');
    expect([missed.reason, missed.messages.queued]).toEqual(['start', 3]);
    clock.jumpTo(at('2026-11-28T06:30Z'));
    expect((await engine.reader.overview(early.n)).state).toBe('paused');
    expect(await engine.ledger.resume(early.n, { now: clock.now(), by: 'operator' })).toBe(true);
    await engine.until(early, 'finished');
    expect([provider.acceptedCount, provider.accepted.size]).toEqual([6, 3]);
  });
});

describe('a campaign longer than the hours of a day', () => {
  it('pauses a margin before the window closes, and goes on by itself over three days [S8]', async () => {
    const { clock, engine, provider } = await setUp('2026-11-23T05:00:01Z');
    const window = { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6], marginMinutes: 10 };
    const times: number[] = [];
    const send = provider.send.bind(provider);
    // After ten of a day the service answers only when the day is over.
    let evening = Promise.withResolvers<void>();
    let answered = 0;
    provider.send = async (request) => {
      times.push(clock.now());
      if ((answered += 1) > 10) await evening.promise;
      return send(request);
    };
    const campaign = await engine.launch(200, { window, ratePerSecond: 60 });
    await engine.start(provider);
    for (const day of [23, 24, 25]) {
      await waitFor(() => answered > 10, { what: `the middle of day ${day}` });
      // The margin begins, 17:50 in Nairobi.
      clock.jumpTo(at(`2026-11-${day}T14:50Z`));
      evening.resolve();
      const { reason } = await engine.until(campaign, 'paused');
      expect(reason).toBe('window');
      clock.jumpTo(at(`2026-11-${day + 1}T04:59:50Z`));
      expect((await engine.reader.overview(campaign.n)).state).toBe('paused');
      [evening, answered] = [Promise.withResolvers<void>(), 0];
      clock.jumpTo(at(`2026-11-${day + 1}T05:00:01Z`));
    }
    evening.resolve();
    const { messages } = await engine.until(campaign, 'finished');
    expect([messages.sent, provider.doubles]).toEqual([200, 0]);
    for (const time of times) {
      const minute = ((time / MINUTE + 180) % 1440) - 480;
      expect(minute).toBeGreaterThanOrEqual(0);
      // The hours are checked at the claim, and what is claimed leaves within the claim's 5 s or not at all.
      expect(minute).toBeLessThan(590 + 5 / 60);
    }
    expect(new Set(times.map((time) => new Date(time).getUTCDate())).size).toBe(4);
  });
});
