import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { contacts, jobFile, openPlace } from './harness.ts';

/* Ordinary kills: what was on the wire may have been charged, and the credit is asked about by nobody. */

const KILLS = 10;
/** Messages between two kills; a kill leaves at most 16 more uncertain. */
const STRETCH = 10;
const CONTACTS = 400;
const place = openPlace({ env: { TUMA_PRICE: '' }, sandbox: { faults: { rate: 0.05 } } });

test('D9 a worker that is killed in the middle and started again at once is never refused for the credit', async () => {
  place().write('many.csv', contacts(CONTACTS));
  place().write('many.yaml', jobFile({ contacts: './many.csv' }));
  const env = { TUMA_RATE: '60/s', TUMA_CONCURRENCY: '16', TUMA_CLAIM_LIMIT: '16' };
  await place().json(['launch', 'many.yaml', '--yes'], { env });
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = place().sandbox.stats().accepted;
    const worker = place().start(['serve', '--role', 'worker'], { env });
    await worker.printed(/serving worker/, 30_000);
    await waitFor(() => place().sandbox.stats().accepted >= before + STRETCH, {
      what: `the ${kill}. stretch`,
      timeoutMs: 60_000,
    });
    await worker.stop('SIGKILL');
    expect(worker.stderr()).not.toContain('credit_unexplained');
  }
  const { messages } = await place().json(['status', 'promo']);
  expect(messages['sent']).toBeGreaterThan(0);
}, 300_000);
