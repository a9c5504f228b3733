import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClaimedMessage } from '../../../src/ledger/contracts/sending.ts';
import { type PostgresAddress, postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { openLedger } from '../../../src/runtime/open-ledger.ts';
import { FollowingClock } from '../../../src/system/clock.ts';
import { openPostgresHere } from '../../support/ledger-here.ts';
import { type PostgresForTests, postgresForTests } from '../../support/postgres.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { type OpenLedger, sent, World } from '../contract-world.ts';

/* What two machines do at once on one ledger, and by which clock. */

const HOUR_MS = 3_600_000;
const isThere = (await postgresForTests()) !== null;

describe.skipIf(!isThere)('two machines on one ledger', () => {
  let place: PostgresForTests;
  let address: PostgresAddress;
  beforeEach(async () => {
    place = (await postgresForTests()) as PostgresForTests;
    address = postgresAddress(place.url, null);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await place.drop();
  });

  it('join every report that comes while its message is recorded on another machine [D14 W6]', async () => {
    const [one, two] = [await openPostgresHere(address), await openPostgresHere(address)];
    const [worker, collector] = [one, two].map((ledger) => new World({ ledger } as unknown as OpenLedger));
    if (worker === undefined || collector === undefined) throw new Error('no two worlds');
    const { campaign, worker: id, messages } = await worker.sending(60);
    const messageIdOf = ({ seq }: ClaimedMessage) => `race-${seq}`;
    const recordAll = async () => {
      for (const message of messages)
        await worker.record(id, [sent(campaign, message, { messageId: messageIdOf(message) })]);
    };
    const reportAll = async () => {
      for (const message of messages) await collector.report({ messageId: messageIdOf(message) });
    };
    await Promise.all([recordAll(), reportAll()]);
    await collector.ledger.joinWaiting(collector.now);
    expect(await place.sql('SELECT delivery, count(*) AS count FROM message GROUP BY delivery')).toEqual([
      { delivery: 'delivered', count: 60 },
    ]);
    expect(await place.sql('SELECT count(*) AS count FROM report WHERE joined IS NULL')).toEqual([
      { count: 0 },
    ]);
    for (const ledger of [one, two]) await ledger.close();
  });

  it('lease by the clock of the database, also where that of a machine is an hour ahead [D16]', async () => {
    const ahead = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => ahead() + HOUR_MS);
    const clock = new FollowingClock();
    expect(clock.now()).toBeGreaterThan(ahead() + HOUR_MS / 2);
    const home = makeTempDir();
    const postgres = { url: place.url, passwordFile: null };
    const file = { home, ledgerFile: `${home}/ledger.db`, ledgerPlace: 'postgres', stateFolder: null };
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const ledger = await openLedger({ ...file, postgres }, { clock, log: quiet, committed: () => undefined });
    const world = new World({ ledger } as unknown as OpenLedger);
    world.now = clock.now();
    await world.launch(1);
    const worker = await world.worker();
    world.now = clock.now();
    await world.lease(worker, 60_000);
    const [left] = await place.sql(
      'SELECT max(lease_until) - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms FROM batch',
    );
    expect(Number(left?.['ms'])).toBeLessThanOrEqual(60_000 + 1_000);
    expect(Number(left?.['ms'])).toBeGreaterThan(0);
    await ledger.close();
  });
});
