import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addDays } from '../../src/domain/time/dates.ts';
import { checkRun, countState } from '../faults/check.ts';
import { openStage } from '../faults/harness.ts';
import { waitFor } from '../support/wait-for.ts';
import { acceptedInOrder, document, launch, verified, write } from './world.ts';

/* A year of a recurring job in real processes. The zone changes its clock twice, at the very time of the firing. */

const JOB = `name: rent
kind: transactional
sender: DUKA
message: "Hi <<name>>, the rent is due."
contacts: ./tenants.csv
window: always
every: { cron: "30 2 * * *" }
`;
const ENV = { TUMA_ZONE: 'Europe/Berlin', TUMA_PRICE: '0.80' };
const [GAP, OVERLAP] = ['2027-03-28', '2027-10-31'];
const DAYS = Array.from({ length: 365 }, (_, day) => addDays('2027-01-02', day));
/** More than two sweeps: what is due would be sent by then. */
const SWEEPS_MS = 2_500;

/** When 02:30 of that day is, said in UTC without the product's own reckoning. */
function firingOf(day: string): number {
  if (day === GAP) return Date.parse(`${day}T01:00Z`);
  const summer = day > GAP && day <= OVERLAP;
  return Date.parse(`${day}T${summer ? '00' : '01'}:30Z`);
}

test('a daily job of 02:30 fires 365 times in a year: once in the gap, once in the overlap, whatever is restarted or flushed', async () => {
  const stage = await openStage({
    contacts: 2,
    env: ENV,
    sandbox: { latencyMs: 0 },
    from: Date.parse('2027-01-01T11:00Z'),
  });
  write(stage, 'rent.yaml', JOB);
  write(stage, 'tenants.csv', 'phone,name\n254700000001,Ann\n254733000002,Ben\n');
  const launched = await launch(stage, 'rent.yaml');
  expect(launched.campaign.state).toBe('scheduled');
  let serve = stage.serve('worker,collector');
  await serve.printed(/serving/);
  const begun = performance.now();
  for (const [index, day] of DAYS.entries()) {
    const at = firingOf(day);
    if (day === GAP || day === OVERLAP || index === 50) {
      stage.clock.jumpTo(at - 20_000);
      await sleep(SWEEPS_MS);
      expect((await stage.provider.stats()).accepted, `before ${day}`).toBe(2 * index);
    }
    if (index === 100) await serve.stop('SIGTERM');
    if (index === 200) {
      // Accepted by the service is not yet recorded here, and a kill in between makes them uncertain, as it must.
      await waitFor(() => countState(stage, 'sending') === 0, { what: 'the verdicts of the day before' });
      await stage.killWithRedis(serve);
    }
    stage.clock.jumpTo(at + 500);
    if (index === 100 || index === 200) serve = stage.serve('worker,collector');
    if (index % 60 === 30) for (let flush = 0; flush < 5; flush++) await stage.redis.command('FLUSHALL');
    await stage.provider.accepted(2 * (index + 1));
    if (day === OVERLAP) {
      // The clock shows 02:30 for the second time.
      stage.clock.jumpTo(at + 3_600_500);
      await sleep(SWEEPS_MS);
    }
    expect((await stage.provider.stats()).accepted, day).toBe(2 * (index + 1));
  }
  console.info(`a year of firings took ${Math.round((performance.now() - begun) / 1_000)} s`);
  const { schedule } = await document(stage, ['status', 'rent']);
  expect(schedule).toMatchObject({ fired: 365, missed: 0, next_at: '2028-01-02T01:30:00.000Z' });
  await serve.stop('SIGTERM');
  const status = await document(stage, ['status']);
  const names = (status['campaigns'] as { name: string }[]).map(({ name }) => name);
  const times = DAYS.map((day) => `rent ${day} ${day === GAP ? '03:00' : '02:30'}`);
  expect(names.filter((name) => name !== 'rent').toSorted()).toEqual(times);
  const accepted = await acceptedInOrder(stage);
  for (const who of ['254700000001', '254733000002'])
    expect(accepted.filter(({ mobile }) => mobile === who)).toHaveLength(365);
  await document(stage, ['cancel', 'rent', '--yes']);
  await verified(stage);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 730, sent: 730 });
}, 900_000);
