import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addDays } from '../../src/domain/time/dates.ts';
import { waitFor } from '../support/wait-for.ts';
import { openStage, type Stage } from '../faults/harness.ts';
import type { TestProcess } from '../support/processes.ts';
import { document, launch, verified, write } from './world.ts';

/*
 * A million reminders that wait: rows of the ledger, and nothing anywhere else. What Redis and the worker hold is measured
 * before they are there, while they wait, and while ten thousand of them go out. The figures are printed.
 */

const PEOPLE = 1_000_000;
const DAYS = 100;
const FIRST = '2027-01-10';
/** What BullMQ keeps about a queue that is empty. */
const EMPTY_BYTES = 1_000;
/** Batches of one campaign that are offered at once, those that are being sent, and as many that were just given back. */
const MOST_JOBS = 16 + 3 + 3;
const MB = 1_048_576;

const JOB = `name: rent
kind: transactional
sender: DUKA
message: "Hi <<name>>, the rent is due on <<due>>."
contacts: ./tenants.csv
key: invoice
remind: { column: due, offset: -1d, at: "09:00" }
`;

interface Held {
  /** `used_memory`: connections, scripts and buffers included. */
  redisBytes: number;
  /** Of all keys. */
  keyBytes: number;
  redisKeys: number;
  jobs: number;
  timers: number;
  residentMb: number;
}

async function held(stage: Stage, serve: TestProcess): Promise<Held> {
  const found = (await stage.redis.command('KEYS', '*')) as string[];
  // BullMQ sets this one and lets it expire, again and again.
  const keys = found.filter((key) => !key.endsWith(':stalled-check'));
  const sizes = await Promise.all(keys.map((key) => stage.redis.command('MEMORY', 'USAGE', key)));
  const info = String(await stage.redis.command('INFO', 'memory'));
  const url = /metrics +(\S+)/.exec(serve.stderr())?.[1] ?? '';
  const metrics = await (await fetch(url)).text();
  const metric = (name: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1] ?? 0,
    );
  return {
    redisBytes: Number(/used_memory:(\d+)/.exec(info)?.[1]),
    keyBytes: sizes.reduce<number>((sum, bytes) => sum + Number(bytes), 0),
    redisKeys: keys.length,
    jobs: metric('tuma_queue_jobs'),
    timers: metric('nodejs_active_resources{type="Timeout"}'),
    residentMb: Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${serve.pid}/status`, 'utf8'))?.[1]) / 1_024,
    ),
  };
}

test('a million reminders that wait are no timers and no bytes in Redis, and those that are due go out in a few jobs at a time', async () => {
  const stage = await openStage({
    sandbox: { latencyMs: 0, startBalance: '10000000.00' },
    from: Date.parse('2027-01-01T03:00Z'),
  });
  write(stage, 'rent.yaml', JOB);
  const rows = Array.from(
    { length: PEOPLE },
    (_, who) => `2547${String(who).padStart(8, '0')},T${who},i${who},${addDays(FIRST, (who * 7) % DAYS)}`,
  );
  writeFileSync(join(stage.directory, 'tenants.csv'), `${['phone,name,invoice,due', ...rows].join('\n')}\n`);
  const serve = stage.serve();
  await serve.printed(/metrics +http/);
  await sleep(3_000);
  const before = await held(stage, serve);
  const begun = performance.now();
  const launched = await launch(stage, 'rent.yaml');
  const launchSeconds = Math.round((performance.now() - begun) / 1_000);
  expect(launched.messages['queued']).toBe(PEOPLE);
  // Sweeps, a full one too, look at what is due: nothing.
  await sleep(12_000);
  const waiting = await held(stage, serve);
  const due = PEOPLE / DAYS;
  stage.clock.jumpTo(Date.parse(`${addDays(FIRST, -1)}T06:00:01Z`));
  const sending = { jobs: 0, redisBytes: 0, keyBytes: 0 };
  while ((await stage.provider.stats()).accepted < due) {
    const now = await held(stage, serve);
    sending.jobs = Math.max(sending.jobs, now.jobs);
    sending.keyBytes = Math.max(sending.keyBytes, now.keyBytes);
    sending.redisBytes = Math.max(sending.redisBytes, now.redisBytes);
    await sleep(50);
  }
  const rested = async () => (await held(stage, serve)).jobs === 0;
  await waitFor(rested, { what: 'the queue to be empty' });
  const after = await held(stage, serve);
  console.table({ before, waiting, 'most while sending': sending, after });
  console.info({ launchSeconds });
  expect(waiting.jobs).toBe(0);
  expect(waiting.redisKeys).toBe(before.redisKeys);
  expect(waiting.keyBytes).toBeLessThan(EMPTY_BYTES);
  expect(waiting.redisBytes - before.redisBytes).toBeLessThan(MB);
  expect(waiting.timers).toBeLessThanOrEqual(before.timers + 2);
  expect(sending.jobs).toBeLessThanOrEqual(MOST_JOBS);
  expect(sending.keyBytes).toBeLessThan(100_000);
  expect(sending.redisBytes - before.redisBytes).toBeLessThan(2 * MB);
  expect((await stage.provider.stats()).accepted).toBe(due);
  expect((await document(stage, ['report', 'rent'])).messages).toMatchObject({
    sent: due,
    queued: PEOPLE - due,
  });
  await serve.stop('SIGTERM');
  await verified(stage);
}, 600_000);
