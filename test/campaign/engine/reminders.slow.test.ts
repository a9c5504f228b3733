import { expect, test } from 'vitest';
import { addDays } from '../../../src/domain/dates.ts';
import { waitFor } from '../../support/wait-for.ts';
import { JumpClock, openEngine } from './engine.ts';
import { csvOf, JOB, launchReminders, type Tenant } from './reminder-world.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/** 50,000 reminders over ten days, corrected three times while they go out. The figures are printed, not asserted. */

const PEOPLE = 50_000;
const DAYS = 10;

test('50,000 reminders with three corrected uploads: each occurrence once, on its day, and the sums hold', async () => {
  const clock = new JumpClock(Date.parse('2026-11-01T03:00Z'));
  const engine = await openEngine(clock);
  const provider = new ScriptedProvider({ creditMicro: 1e15 });
  const sentOn = new Map<string, string>();
  const send = provider.send.bind(provider);
  provider.send = (request) => {
    sentOn.set(request.mobile, new Date(clock.now()).toISOString().slice(0, 10));
    return send(request);
  };
  const tenants: Tenant[] = Array.from({ length: PEOPLE }, (_, who) => {
    return { who, due: addDays('2026-11-03', (who * 7) % DAYS) };
  });
  const job = JOB('key: invoice\nbatch: 1000\n');
  const took: Record<string, number> = {};
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    took[name] = Math.round(performance.now() - begun);
  };
  const begun = performance.now();
  const campaign = await launchReminders(engine, { job, csv: csvOf(tenants) });
  took['first plan'] = Math.round(performance.now() - begun);
  await engine.start(provider, { concurrency: 64, claimLimit: 512 });
  let late = PEOPLE;
  for (let day = 1; day <= DAYS + 3; day++) {
    const today = addDays('2026-11-01', day);
    if (day === 2 || day === 4 || day === 6) {
      const movable = tenants.filter(({ due }, index) => due > addDays(today, 2) && index % 10 === 0);
      for (const tenant of movable) tenant.due = addDays(tenant.due, 1);
      const kept = tenants.filter(({ due, who }) => due <= addDays(today, 1) || who % 50 !== day);
      tenants.splice(0, tenants.length, ...kept);
      for (let more = 0; more < 500; more++)
        tenants.push({ who: (late += 1), due: addDays(today, 3 + (more % 3)) });
      await timed(`upload on day ${day}`, () =>
        launchReminders(engine, { job, csv: csvOf(tenants.toReversed()) }),
      );
    }
    clock.jumpTo(Date.parse(`${today}T06:00:01Z`));
    const due = tenants.filter((tenant) => addDays(tenant.due, -1) <= today).length;
    await timed(`day ${day}`, () =>
      waitFor(() => provider.acceptedCount >= due, { timeoutMs: 60_000, what: `${due} sent on day ${day}` }),
    );
  }
  const { messages } = await engine.until(campaign, 'finished');
  await timed('verify', async () => expect(await engine.reader.violations(null)).toEqual([]));
  console.info({ ...took, ...messages, uploads: await engine.reader.uploads(campaign.n) });
  expect([messages.sent, provider.doubles, provider.acceptedCount]).toEqual([
    tenants.length,
    0,
    tenants.length,
  ]);
  const wrong = tenants.filter(
    ({ who, due }) => sentOn.get(String(254_700_000_000 + who)) !== addDays(due, -1),
  );
  expect(wrong).toEqual([]);
}, 600_000);
