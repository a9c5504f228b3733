import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { residentMb } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, isOpen, unjoinedReports } from './check.ts';
import { openStage, type Stage } from './harness.ts';
import { keepOpen } from './killing.ts';
import { addRun } from './summary.ts';

const MB = 2 ** 20;
/** A report for one message in four: those of all would take as long again. */
const REPORTS = { delivered: 0.2, undelivered: 0.03, absent: 0.02, optedOut: 0, never: 0.75 };
const MOST_UNREAD = 5_000;

/** Entries of the event streams of all queues together. */
async function lengthOfEvents(stage: Stage): Promise<number> {
  const keys = (await stage.redis.command('KEYS', '*:events')) as string[];
  const lengths = await Promise.all(keys.map((key) => stage.redis.command('XLEN', key)));
  return lengths.reduce((sum: number, length) => sum + Number(length), 0);
}

function countWebhooks(stage: Stage, where: string): number {
  const database = new DatabaseSync(stage.ledgerFile, { readOnly: true, timeout: 5_000 });
  try {
    return Number(database.prepare(`SELECT count(*) AS n FROM webhook WHERE ${where}`).get()?.['n']);
  } finally {
    database.close();
  }
}

test.runIf(process.platform === 'linux')(
  'a long run, of 120,000 messages with reports, grows neither the process nor Redis, its stream or what is unread [S12]',
  async () => {
    const stage = await openStage({
      contacts: 120_000,
      sandbox: { latencyMs: 2, reportDelayMs: { min: 10, max: 1_000 }, reportMix: REPORTS },
    });
    await keepOpen(stage);
    // The memory that bin/tuma allows.
    const worker = stage.serve('worker,collector', {
      nodeFlags: ['--max-semi-space-size=4', '--max-old-space-size=224', '--no-allocation-site-pretenuring'],
    });
    // The code is compiled and the caches are full by then; what grows after that has no end.
    await stage.provider.accepted(40_000);
    const resident: number[] = [];
    let [redisMb, events, unread] = [0, 0, 0];
    while (isOpen(stage)) {
      resident.push(residentMb(worker.pid));
      const info = String(await stage.redis.command('INFO', 'memory'));
      redisMb = Math.max(redisMb, Number(/used_memory:(\d+)/.exec(info)?.[1]) / MB);
      events = Math.max(events, await lengthOfEvents(stage));
      unread = Math.max(unread, countWebhooks(stage, 'kind IS NULL'));
      await sleep(500);
    }
    const third = Math.ceil(resident.length / 3);
    const most = (part: number[]) => Math.max(...part);
    expect(resident.length).toBeGreaterThan(6);
    expect(most(resident.slice(-third)) - most(resident.slice(0, third))).toBeLessThan(30);
    expect(redisMb).toBeLessThan(10);
    expect(await stage.redis.command('DBSIZE')).toBeLessThan(100);
    // BullMQ cuts its stream to about so many, a node of a hundred at a time.
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThan(500);
    // What comes is read as it comes: nothing heaps up.
    expect(unread).toBeLessThan(MOST_UNREAD);
    await waitFor(async () => (await unjoinedReports(stage)).length === 0, {
      what: 'every report to be joined',
    });
    await worker.stop('SIGTERM');
    expect(countWebhooks(stage, 'kind IS NOT NULL')).toBeGreaterThan(20_000);
    const findings = await checkRun(stage, { kills: 0 });
    expect(findings).toMatchObject({ accepted: 120_000, uncertain: 0 });
    addRun('nothing, for a long time', findings);
  },
);
