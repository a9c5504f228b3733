import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Pool } from 'undici';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, isOpen, unjoinedReports } from './check.ts';
import { openStage, WEBHOOK_TOKEN } from './harness.ts';
import { keepOpen } from './killing.ts';
import { PATIENCE_MS } from './provider.ts';
import { addRun } from './summary.ts';

vi.setConfig({ testTimeout: 300_000 });

const CONTACTS = 1_500;
const CONNECTIONS = 48;
const PER_MS = 5;
const MOST_MEGABYTES = 300;

/** Well-formed reports of ids that nobody gave out, 5,000 a second if they are answered as fast, until `over`. Answers the statuses. */
async function flood(port: number, over: () => boolean): Promise<Map<number, number>> {
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
  await pool.close();
  return seen;
}

test('W11 I14: in a flood of reports of unknown ids a campaign goes on to its end, and memory stays bounded', async () => {
  const stage = await openStage({
    contacts: CONTACTS,
    env: { TUMA_RATE: '60/s' },
    sandbox: { reportDelayMs: { min: 10, max: 500 } },
  });
  await keepOpen(stage);
  // The memory that bin/tuma allows.
  const serve = stage.serve(undefined, {
    nodeFlags: ['--max-semi-space-size=4', '--max-old-space-size=224'],
  });
  await serve.printed(/serving/, PATIENCE_MS);
  const state = { over: false };
  const flooding = flood(stage.collectorPort, () => state.over);
  // The flood ends with the campaign, so the campaign ends in the flood or not at all.
  await waitFor(() => !isOpen(stage), { what: 'the campaign to be settled', timeoutMs: 3 * PATIENCE_MS });
  state.over = true;
  const answers = await flooding;
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${serve.pid}/status`, 'utf8'))?.[1];
  expect([...answers.keys()].every((status) => [200, 429, 503].includes(status))).toBe(true);
  expect(answers.get(200) ?? 0).toBeGreaterThan(10 * CONTACTS);
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
