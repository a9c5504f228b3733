import { expect, test } from 'vitest';
import { jobFile, openPlace } from './harness.ts';

/* Two homes that spend from one account. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });

test('D9 a credit that the ledger does not explain keeps serve from sending until a person says that others spend', async () => {
  const other = { env: { TUMA_HOME: place().path('other') } };
  const launch = ['launch', 'job.yaml', '--yes', '--new-ledger'];
  await place().json(launch);
  await place().json([...launch, '--wait', '--wait-reports', '0s'], other);

  const refused = await place().tuma(['serve', '--role', 'worker']);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(
    /The credit is KES 2\.40 lower than this ledger explains: .*\n +\w+ \(promo\)\n/,
  );
  place().write('again.yaml', jobFile({ name: 'again' }));
  const launched = await place().tuma(['launch', 'again.yaml', '--yes', '--json']);
  expect(launched).toMatchObject({ code: 1, stdout: '' });
  expect(launched.stderr).toContain('credit_unexplained');
  expect((await place().json(['status', 'promo'])).messages).toMatchObject({ queued: 3, sent: 0 });

  const told = place().start(['serve', '--role', 'worker', '--accept-credit']);
  await told.printed(/serving worker/);
  await told.stop();
  expect((await place().json(['verify']))['violations']).toEqual([]);
}, 60_000);
