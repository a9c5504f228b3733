import { expect, test } from 'vitest';
import { postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { codeOf, postgresFault } from '../../../src/ledger/postgres/postgres-errors.ts';
import { openPostgresHere } from '../../support/ledger-here.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { type OpenLedger, World } from '../contract-world.ts';

const place = await postgresForTests();

test.skipIf(place === null)(
  'a database that is put back while a worker runs gives it no claim, though its session goes on [D9]',
  async () => {
    if (place === null) return;
    const ledger = await openPostgresHere(postgresAddress(place.url, null), makeTempDir());
    const world = new World({ ledger } as unknown as OpenLedger);
    const campaign = await world.launch(30);
    const worker = await world.worker();
    const lease = await world.lease(worker);
    expect((await world.claim(lease, worker, { limit: 5 })).messages).toHaveLength(5);
    // As a restore has it: the ledger knows fewer claims than this machine has noted.
    await place.sql('UPDATE account SET claims = 0');
    await expect(world.claim(lease, worker, { limit: 5 })).rejects.toMatchObject({ code: 'ledger_behind' });
    expect((await ledger.campaign(campaign.n))?.state).toBe('running');
    await ledger.close();
  },
);

const LOST =
  `EPIPE ECONNABORTED ECONNRESET ENETDOWN EHOSTUNREACH ETIMEDOUT ENOTCONN EPROTO EAI_AGAIN ENOTFOUND
  ERR_SSL_WRONG_VERSION_NUMBER ERR_STREAM_DESTROYED`.split(/\s+/);

test.each(LOST)('%s is a lost connection, and no error of the operation', (code) => {
  const error = Object.assign(new Error('write failed'), { code });
  expect([codeOf(error), postgresFault(error)]).toEqual([null, 'again']);
});

test.each(['EIO', 'ENOSPC', 'EACCES', 'ENOENT', 'EMFILE'])(
  '%s is of a file, as the notes of claims, so it is tried no more',
  (code) => {
    const error = Object.assign(new Error('read failed'), { code });
    expect([codeOf(error), postgresFault(error)]).toEqual([null, 'other']);
  },
);
