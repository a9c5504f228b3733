import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { contacts, jobFile, openPlace } from './harness.ts';

/* A worker that was killed three hours ago: its campaign waits, and whoever launches it again is told why. */

const COUNT = 100;
const place = openPlace({ env: { TUMA_RATE: '20/s' } });
const accepted = () => place().sandbox.stats().accepted;

/** As if everything in the ledger had happened three hours earlier. */
function threeHoursPass(): void {
  const database = new DatabaseSync(join(place().home, 'ledger.db'));
  const earlier = (column: string) => `${column} = ${column} - 10800000`;
  database.exec(`UPDATE worker SET ${earlier('registered_at')}, ${earlier('heartbeat_at')}`);
  database.exec(`UPDATE campaign SET ${earlier('last_claim_at')}`);
  database.close();
}

test('a campaign that was cut off three hours ago waits: a launch that goes on with it says what is known, and ends with 8', async () => {
  place().write('many.csv', contacts(COUNT));
  place().write('many.yaml', jobFile({ contacts: './many.csv' }));
  await place().json(['launch', 'many.yaml', '--yes']);
  const { env, held: waiting } = await place().holdAnswers(10);
  const worker = place().start(['serve', '--role', 'worker'], { env });
  await waitFor(() => waiting() > 0, { what: 'the middle of the campaign' });
  await worker.stop('SIGKILL');
  threeHoursPass();
  // What was on its way to the service is accepted by then.
  await place().json(['status', 'promo']);
  const before = accepted();

  const held = await place().tuma(['launch', 'many.yaml', '--wait', '--wait-paused', '1s']);
  expect(held.code).toBe(8);
  expect(held.stderr).toMatch(
    /Paused: it was cut off while it was sending\. Cut off at .*: this ledger knows of \d+ of 100 sent, .* tuma balance\. Send the rest: tuma resume \w{8}; or drop it: tuma cancel \w{8}\n/,
  );
  expect(held.stdout).toMatch(/^promo {2}paused: it was cut off while it was sending\n/);
  expect(accepted()).toBe(before);
  expect(await place().json(['status', 'promo'])).toMatchObject({
    reason: 'start',
    cut_off_at: expect.any(String),
  });

  await place().json(['resume', 'promo']);
  const last = ['launch', 'many.yaml', '--wait', '--wait-reports', '0s'];
  expect((await place().tuma(last, { env: { TUMA_RATE: 'unlimited' } })).code).not.toBe(8);
  expect(accepted()).toBeGreaterThan(before);
  expect(accepted()).toBeLessThanOrEqual(COUNT);
  expect((await place().json(['verify']))['violations']).toEqual([]);
});
