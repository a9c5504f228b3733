import { expect, it } from 'vitest';
import { fireDue } from '../../../src/campaign/launch/fire.ts';
import { MemoryLog } from '../../collector/fake-store.ts';

const at = (iso: string) => Date.parse(iso);
/** 9 o'clock in Nairobi. */
const MONDAY = at('2026-11-23T06:00Z');
const DAY = 86_400_000;
const HOUR = 3_600_000;

/** What the ledger is told when daily jobs that were due since Monday are looked at so much later. */
async function fired(lateMs: number, crons = ['0 9 * * *']) {
  const now = MONDAY + lateMs;
  const told: unknown[][] = [];
  const log = new MemoryLog();
  const schedules = crons.map((cron, n) => ({
    nextAt: MONDAY,
    schedule: {
      n,
      id: `s${n}`,
      name: 'rent',
      startDeadlineMs: 2 * HOUR,
      settings: { every: { cron }, zone: 'Africa/Nairobi' },
    },
  }));
  const ledger = {
    dueSchedules: async () => schedules,
    fire: async ({ schedule, fireAt, missed, followingAt, name }: Record<string, unknown>) => {
      told.push([schedule, fireAt, missed, followingAt, name]);
      if (schedule === 0 && crons.length > 1) throw new Error('CHECK constraint failed');
      return fireAt === null ? null : { id: 'c1' };
    },
  };
  const clock = { now: () => now, monotonic: () => now, sleep: async () => undefined };
  await fireDue({ ledger, clock, log, random: () => 0.5 } as never);
  return { told, lines: log.lines.length };
}

it('fires the latest that is due, under the time it is of, until it is older than the deadline of its job', async () => {
  const tuesday = MONDAY + DAY;
  const late = await fired(DAY + 2 * HOUR);
  expect(late.told).toEqual([[0, tuesday, [MONDAY], tuesday + DAY, 'rent 2026-11-24 09:00']]);
  const tooLate = await fired(DAY + 2 * HOUR + 1);
  expect(tooLate.told).toEqual([[0, null, [MONDAY, tuesday], tuesday + DAY, 'rent 2026-11-23 09:00']]);
  expect([late.lines, tooLate.lines]).toEqual([1, 1]);
});

it('one that cannot fire holds up no other', async () => {
  const { told } = await fired(0, ['0 9 * * *', '0 9 * * *']);
  expect(told.map(([schedule]) => schedule)).toEqual([0, 1]);
});
