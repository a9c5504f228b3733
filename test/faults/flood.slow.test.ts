import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pool } from 'undici';
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts';
import { checkRun, isOpen, unjoinedReports } from './check.ts';
import { openStage, WEBHOOK_TOKEN } from './harness.ts';
import { keepOpen } from './killing.ts';
import { addRun } from './summary.ts';

const CONTACTS = 1_500;
const RATE = 60;
/** Twice what the rate alone takes for them, because the flood has every core of the machine. */
const MOST_SETTLED_MS = (CONTACTS / (0.96 * RATE)) * 2_000;
/** Sender, collector, worker, provider and Redis may share two slow cores with other tests: the flood is no weaker than this. */
const LEAST_PER_SECOND = 20 * RATE;
const CONNECTIONS = 48;
const PER_MS = 5;
const MOST_MEGABYTES = 300;

/** What a flood was answered with, and how many answers came in a second of it. */
interface Flooded {
  statuses: Map<number, number>;
  perSecond: number;
}

/** Well-formed reports of ids that nobody gave out, 5,000 a second if they are answered as fast, until `over`. */
async function flood(port: number, over: () => boolean): Promise<Flooded> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const seen = new Map<number, number>();
  let next = 0;
  const begun = performance.now();
  const one = async () => {
    while (!over()) {
      next += 1;
      await sleep(Math.max(0, begun + next / PER_MS - performance.now()));
      const { statusCode, body } = await pool.request({
        path: `/webhooks/${WEBHOOK_TOKEN}`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messageid: `nobody-${next}`, 'delivery-status': 'DeliveredToTerminal' }),
      });
      await body.dump();
      seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  const tookMs = performance.now() - begun;
  await pool.close();
  const answers = [...seen.values()].reduce((sum, count) => sum + count, 0);
  return { statuses: seen, perSecond: (answers * 1_000) / tookMs };
}

test('in a flood of reports of unknown ids a campaign goes on to its end, and memory stays bounded [W11 I14]', async () => {
  const stage = await openStage({
    contacts: CONTACTS,
    env: { TUMA_RATE: `${RATE}/s` },
    sandbox: { reportDelayMs: { min: 10, max: 500 } },
  });
  await keepOpen(stage);
  // The memory that bin/tuma allows.
  const serve = stage.serve(undefined, {
    nodeFlags: ['--max-semi-space-size=4', '--max-old-space-size=224', '--no-allocation-site-pretenuring'],
  });
  await serve.printed(/serving/);
  const state = { over: false };
  const begun = performance.now();
  const flooding = flood(stage.collectorPort, () => state.over);
  // The flood ends with the campaign, so the campaign ends in the flood or not at all.
  await waitFor(() => !isOpen(stage), { what: 'the campaign to be settled', timeoutMs: 3 * PATIENCE_MS });
  state.over = true;
  const settledMs = performance.now() - begun;
  const { statuses, perSecond } = await flooding;
  console.log(
    `a flood of ${Math.round(perSecond)} reports a second; settled in ${Math.round(settledMs / 1_000)} s`,
  );
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${serve.pid}/status`, 'utf8'))?.[1];
  expect([...statuses.keys()].every((status) => [200, 429, 503].includes(status))).toBe(true);
  expect(statuses.get(200) ?? 0).toBeGreaterThan(10 * CONTACTS);
  expect(perSecond).toBeGreaterThan(LEAST_PER_SECOND);
  expect(settledMs).toBeLessThan(MOST_SETTLED_MS);
  expect(Number(peak) / 1_024).toBeLessThan(MOST_MEGABYTES);
  await waitFor(async () => (await unjoinedReports(stage)).length === 0, {
    what: 'every acknowledged report of the campaign to be joined',
    timeoutMs: 3 * PATIENCE_MS,
  });
  await serve.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 0 });
  expect(findings).toMatchObject({ sent: CONTACTS, uncertain: 0 });
  addRun('flood of reports', findings, { runs: 1 });
});
