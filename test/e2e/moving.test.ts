import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { postgresForTests } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, errorOf, openPlace } from './harness.ts';

/* A home whose campaign is half sent moves to Postgres, while its worker runs. */

const PEOPLE = 240;
const target = await postgresForTests();
const place = openPlace({ env: { TUMA_RATE: '40/s', TUMA_CONCURRENCY: '4', TUMA_CLAIM_LIMIT: '8' } });

describe.skipIf(target === null)('a home that moves to Postgres', () => {
  const url = target?.url ?? '';
  const onPostgres = { TUMA_DATABASE_URL: url };

  test('goes on there in mid-campaign, and sends to each number once', async () => {
    const serving = place().start(['serve', '--role', 'worker,collector']);
    await serving.printed(/serving/);
    place().write('contacts.csv', contacts(PEOPLE));
    await place().json(['launch', 'job.yaml', '--yes']);
    await waitFor(() => place().sandbox.stats().accepted >= 40, { what: 'some messages to be sent' });

    // The worker still sends: the move waits for what is on the wire, and for nothing else.
    const moved = await place().json(['migrate', '--to', url]);
    expect(moved).toMatchObject({ campaigns: 1, messages: PEOPLE, from: join(place().home, 'ledger.db') });
    const before = place().sandbox.stats().accepted;
    expect(before).toBeLessThan(PEOPLE);
    const health = await fetch(`http://127.0.0.1:${place().env['TUMA_PORT']}/health`);
    expect(health.status).toBe(503);
    const refused = await place().tuma(['resume', 'promo', '--json']);
    expect(errorOf(refused)).toMatchObject({ code: 'ledger_moved' });
    await serving.stop();
    expect(place().sandbox.stats().accepted).toBe(before);
    const old = await place().tuma(['serve', '--json']);
    expect(errorOf(old)).toMatchObject({
      code: 'ledger_moved',
      message: expect.stringContaining('moved to'),
    });

    const there = place().start(['serve', '--role', 'worker,collector'], { env: onPostgres });
    await there.printed(/serving/);
    expect((await place().tuma(['status', 'promo', '--watch'], { env: onPostgres })).code).toBe(0);
    const report = () => place().json(['report', 'promo'], { env: onPostgres });
    expect((await report()).messages).toMatchObject({ sent: PEOPLE });
    // Also of the messages whose first report met a collector that was closed.
    const unreported = async () => {
      const { delivery } = await report();
      return (delivery['pending'] ?? 0) + (delivery['unreported'] ?? 0);
    };
    await waitFor(async () => (await unreported()) === 0, { what: 'all reports' });
    await there.stop();
    expect(place().sandbox.stats().accepted).toBe(PEOPLE);
    expect(await place().json(['verify'], { env: onPostgres })).toMatchObject({ violations: [] });
    expect((await place().tuma(['migrate', '--to', url])).code).toBe(0);
  });
});
