import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addDays } from '../../src/domain/time/dates.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, unsettledBatches, workersSince } from '../faults/check.ts';
import { openStage, type Stage } from '../faults/harness.ts';
import { killAt } from '../faults/hooks.ts';
import { acceptedInOrder, document, killedLaunch, launch, verified, write } from './world.ts';

/*
 * A month of 50,000 reminders in real processes: two workers, and a CSV that is corrected three times while that day's
 * reminders go out. What was sent, on which day and with which date in its text, is read from the sandbox's log alone.
 */

const PEOPLE = 50_000;
const FIRST = '2026-12-01';
const DAYS = 28;
/** Days of the month on which corrected contacts come; the launch of the second is killed in the middle of it. */
const UPLOADS = [5, 12, 19];
/** More than two sweeps: what is due would be sent by then. */
const SWEEPS_MS = 2_500;
/** Less than the two hours after which a campaign without a living worker waits for a person. */
const STEP_MS = 6_600_000;
const PREFIXES = ['254700', '254733', '254771', '254763'];

const JOB = `name: rent
kind: transactional
sender: DUKA
message: "Hi <<name>>, the rent <<invoice>> is due on <<due>>."
contacts: ./tenants.csv
key: invoice
batch: 1000
remind: { column: due, offset: -1d, at: "09:00" }
`;

interface Tenant {
  who: number;
  due: string;
}

const mobileOf = (who: number) => `${PREFIXES[who % PREFIXES.length]}${String(who).padStart(6, '0')}`;
const csvOf = (tenants: Tenant[]) =>
  `phone,name,invoice,due\n${tenants.map(({ who, due }) => `${mobileOf(who)},T${who},i${who},${due}\n`).join('')}`;
const textHash = ({ who, due }: Tenant) =>
  createHash('sha256').update(`Hi T${who}, the rent i${who} is due on ${due}.`).digest('hex');

/** The tenants as they are corrected on that day: some move on, some leave, some are new, and all lines stand elsewhere. */
function corrected(tenants: Tenant[], today: string, number: number): Tenant[] {
  const settled = (tenant: Tenant) => tenant.due <= addDays(today, 2);
  const moved = tenants.map((tenant) =>
    settled(tenant) || tenant.who % 10 !== number ? tenant : { ...tenant, due: addDays(tenant.due, 1) },
  );
  const kept = moved.filter((tenant) => settled(tenant) || tenant.who % 50 !== 7 * number);
  const fresh = Array.from({ length: 500 }, (_, more) => ({
    who: PEOPLE + 1_000 * number + more,
    due: addDays(today, 3 + (more % 4)),
  }));
  return [...kept, ...fresh].toReversed();
}

/** The contacts as they are given: who was reminded already has another date in them now and then, and hears no more. */
const given = (tenants: Tenant[], today: string) =>
  tenants.map((tenant) =>
    tenant.who % 200 === 3 && addDays(tenant.due, -1) < today
      ? { ...tenant, due: addDays(today, 4) }
      : tenant,
  );

/** Lets the time pass in steps, because a campaign waits for a person after two hours without a living worker. */
async function passTo(stage: Stage, until: number, workers: number): Promise<void> {
  while (stage.clock.now() < until) {
    const next = Math.min(until, stage.clock.now() + STEP_MS);
    stage.clock.jumpTo(next);
    await waitFor(() => workersSince(stage, next) === workers, {
      what: `all workers to have seen ${new Date(next).toISOString()}`,
      timeoutMs: 60_000,
    });
  }
}

test('50,000 reminders of a month, corrected three times, are sent each once, on their day, with their last date', async () => {
  const stage = await openStage({
    env: { TUMA_ZONE: 'Africa/Nairobi' },
    sandbox: { latencyMs: 0, startBalance: '1000000.00' },
    from: Date.parse(`${FIRST}T03:00Z`),
  });
  let tenants: Tenant[] = Array.from({ length: PEOPLE }, (_, who) => ({
    who,
    due: addDays(FIRST, 2 + ((who * 7) % (DAYS - 2))),
  }));
  const seconds: Record<string, number> = {};
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    seconds[what] = Math.round((performance.now() - begun) / 100) / 10;
  };
  write(stage, 'rent.yaml', JOB);
  write(stage, 'tenants.csv', csvOf(tenants));
  let rowsRead = tenants.length;
  await timed('launch', () => launch(stage, 'rent.yaml'));
  const workers = [stage.serve('worker,collector'), stage.serve('worker')];
  await Promise.all(workers.map((worker) => worker.printed(/serving/)));
  /** How many were accepted when each day was over. */
  const until = new Map<string, number>();
  let accepted = 0;
  await timed('all days', async () => {
    for (let day = 1; day <= DAYS + 3; day++) {
      const today = addDays(FIRST, day);
      // Nothing of a day comes before its moment.
      await passTo(stage, Date.parse(`${today}T05:59:40Z`), workers.length);
      if (day === 1 || UPLOADS.includes(day - 1)) await sleep(SWEEPS_MS);
      expect((await stage.provider.stats()).accepted, `before ${today}`).toBe(accepted);
      stage.clock.jumpTo(Date.parse(`${today}T06:00:01Z`));
      const number = UPLOADS.indexOf(day);
      if (number >= 0) {
        tenants = corrected(tenants, today, number + 1);
        write(stage, 'tenants.csv', csvOf(given(tenants, today)));
        rowsRead += tenants.length;
        await timed(`upload ${number + 1}`, async () => {
          if (number === 1)
            await killedLaunch(stage, 'rent.yaml', killAt('applyUploads', 'during', 1, 30_000));
          expect((await launch(stage, 'rent.yaml')).campaign).toMatchObject({ name: 'rent', reason: null });
        });
      }
      const due = tenants.filter((tenant) => addDays(tenant.due, -1) <= today).length;
      await stage.provider.accepted(due, 60_000);
      // A jump over unrecorded answers would look like a worker that died, and its batch like a missed start.
      await waitFor(() => unsettledBatches(stage, stage.clock.now()) === 0, {
        what: `the reminders of ${today} to be settled`,
        timeoutMs: 60_000,
      });
      until.set(today, due);
      accepted = due;
    }
  });
  await waitFor(() => countState(stage, 'queued') + countState(stage, 'sending') === 0, {
    what: 'the campaign to be settled',
  });
  await Promise.all(workers.map((worker) => worker.stop('SIGTERM')));
  // First what really went out: the program's own account of it comes after.
  const sent = await acceptedInOrder(stage);
  const times = Map.groupBy(sent, ({ mobile }) => mobile);
  const notOnce = tenants.filter((tenant) => times.get(mobileOf(tenant.who))?.length !== 1);
  expect(notOnce).toEqual([]);
  expect(sent.length).toBe(tenants.length);
  const dayOf = (index: number) => [...until].find(([, count]) => index < count)?.[0];
  const really = new Map(sent.map(({ mobile, sha256 }, index) => [mobile, { day: dayOf(index), sha256 }]));
  const wrong = tenants.filter((tenant) => {
    const told = really.get(mobileOf(tenant.who));
    return told?.day !== addDays(tenant.due, -1) || told.sha256 !== textHash(tenant);
  });
  expect(wrong).toEqual([]);
  await timed('verify', () => verified(stage));
  const findings = await checkRun(stage, { kills: 0, read: rowsRead });
  const { messages } = await document(stage, ['report', 'rent']);
  console.info({ seconds, ...findings, ...messages });
  expect(messages['skipped']).toBeGreaterThan(0);
  expect(findings).toMatchObject({ accepted: tenants.length, sent: tenants.length, uncertain: 0 });
}, 900_000);
