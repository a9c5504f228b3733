import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { residentMb } from '../support/processes.ts';
import { checkRun, countState } from './check.ts';
import { openStage, type Stage } from './harness.ts';
import { untilSettled } from './killing.ts';
import { launchFor } from './orders.ts';
import { addRun } from './summary.ts';

/** The default of TUMA_CONCURRENCY. */
const IN_FLIGHT = 32;
const LATENCY_MS = 5_000;
const CONTACTS = 14 * IN_FLIGHT;
const MOST_GROWTH_MB = 20;

/** The names of the latest events of the queue's jobs: `active`, `completed`, and `stalled` where a lock was lost. */
async function jobEvents(stage: Stage): Promise<string[]> {
  const entries = (await stage.redis.command('XRANGE', '{tuma}:promotional:events', '-', '+')) as [
    string,
    string[],
  ][];
  return entries.map(([, fields]) => fields[fields.indexOf('event') + 1] ?? '');
}

test.runIf(process.platform === 'linux')(
  'a service that takes 5 s for every answer makes a campaign slow: it grows no memory and loses no lock [P18]',
  async () => {
    const stage = await openStage({
      contacts: CONTACTS,
      sandbox: { latencyMs: LATENCY_MS },
      env: { TUMA_DEADLINE: '30s' },
    });
    const worker = stage.serve('worker,collector');
    await worker.printed(/serving/);
    await launchFor(stage);
    // The first claims cannot know how slow it is.
    const { accepted: first } = await stage.provider.accepted(3 * IN_FLIGHT);
    const [from, residentAtFirst] = [performance.now(), residentMb(worker.pid)];
    const events = new Set<string>();
    let [accepted, mostSending, mostResident] = [first, 0, 0];
    while (accepted < CONTACTS - IN_FLIGHT) {
      for (const event of await jobEvents(stage)) events.add(event);
      mostSending = Math.max(mostSending, countState(stage, 'sending'));
      mostResident = Math.max(mostResident, residentMb(worker.pid));
      await sleep(250);
      ({ accepted } = await stage.provider.stats());
    }
    const seconds = (performance.now() - from) / 1_000;
    const perSecond = (accepted - first) / seconds;
    expect(seconds).toBeGreaterThan(40);
    expect(perSecond).toBeGreaterThan(0.75 * (IN_FLIGHT / (LATENCY_MS / 1_000)));
    expect(perSecond).toBeLessThan(1.1 * (IN_FLIGHT / (LATENCY_MS / 1_000)));
    expect(mostSending).toBeLessThanOrEqual(2 * IN_FLIGHT);
    expect(mostResident - residentAtFirst).toBeLessThan(MOST_GROWTH_MB);
    expect([events.has('completed'), events.has('stalled')]).toEqual([true, false]);
    await untilSettled(stage);
    await worker.stop('SIGTERM');
    expect(worker.stderr()).not.toMatch(/has trouble|are restarted|is ill/);
    const findings = await checkRun(stage, { kills: 0 });
    expect(findings).toMatchObject({ sent: CONTACTS, accepted: CONTACTS });
    addRun('a service that takes 5 s for every answer', findings);
  },
);
