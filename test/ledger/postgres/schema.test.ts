import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { type PostgresAddress, postgresAddress } from '../../../src/ledger/postgres/address.ts';
import { shippedMigrations } from '../../../src/ledger/sqlite/migrate.ts';
import { openPostgresHere, openPostgresReaderHere } from '../../support/ledger-here.ts';
import { type PostgresForTests, postgresForTests } from '../../support/postgres.ts';
import { findPrograms, type PostgresPrograms } from '../../support/postgres/programs.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { type OpenLedger, sent, World } from '../contract-world.ts';

/* The making of a ledger's tables on Postgres, and tables of a newer Tuma. */

const isThere = (await postgresForTests()) !== null;
const NEWEST = shippedMigrations().at(-1)?.version ?? 0;

describe.skipIf(!isThere)('the schema of a ledger on Postgres', () => {
  let place: PostgresForTests;
  let address: PostgresAddress;
  beforeEach(async () => {
    place = (await postgresForTests()) as PostgresForTests;
    address = postgresAddress(place.url, null);
  });
  afterEach(() => place.drop());

  /** All that stands in the tables, as one text. */
  async function content(): Promise<string> {
    const tables = await place.sql(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${place.schema}' ORDER BY 1`,
    );
    const texts: string[] = [];
    for (const { name } of tables)
      texts.push(
        `${String(name)} ${JSON.stringify(await place.sql(`SELECT * FROM ${String(name)} AS t ORDER BY t::text`))}`,
      );
    return texts.join('\n');
  }

  it('of a newer Tuma is refused with one sentence, and left as it is [D15 S13]', async () => {
    await (await openPostgresHere(address)).close();
    await place.sql(`UPDATE fact SET value = '${NEWEST + 1}' WHERE name = 'schema_version'`);
    const before = await content();
    expect(before).toContain('ledger_id');
    const refusal = {
      code: 'ledger_newer',
      message: `The ledger has schema ${NEWEST + 1}; this Tuma knows up to ${NEWEST}.`,
      hint: expect.stringContaining('newer Tuma'),
    };
    await expect(openPostgresHere(address)).rejects.toMatchObject(refusal);
    await expect(openPostgresReaderHere(address)).rejects.toMatchObject(refusal);
    expect(await content()).toBe(before);
  });

  it('that a newer Tuma changes while this one runs gives no claim and no launch, but takes the verdicts [D15 S13]', async () => {
    const ledger = await openPostgresHere(address);
    const world = new World({ ledger } as unknown as OpenLedger);
    const campaign = await world.launch(4);
    const worker = await world.worker();
    const lease = await world.lease(worker);
    const { messages } = await world.claim(lease, worker, { limit: 2 });
    await place.sql(`UPDATE fact SET value = '${NEWEST + 1}' WHERE name = 'schema_version'`);
    const refusal = { code: 'ledger_newer', message: expect.stringContaining('sends nothing more') };
    await expect(world.claim(lease, worker, { fromSeq: 3 })).rejects.toMatchObject(refusal);
    await expect(world.launch(1)).rejects.toMatchObject(refusal);
    await expect(ledger.heartbeat(worker, world.now, null)).rejects.toMatchObject(refusal);
    const outcomes = messages.map((message) => sent(campaign, message));
    expect(await world.record(worker, outcomes)).toEqual(['recorded', 'recorded']);
    await ledger.close();
  });

  it('may have a name that SQL keeps for itself, and each change of a table, an index or a trigger is seen', async () => {
    const name = `order${place.schema.slice('test'.length)}`;
    for (const schema of ['order', name]) {
      const ledger = await openPostgresHere({ ...address, schema });
      const reader = await openPostgresReaderHere({ ...address, schema });
      const found = async () => (await reader.violations(null)).map(({ row }) => row);
      expect(await found()).toEqual([]);
      await place.sql(`DROP INDEX "${schema}".message_identity`);
      await place.sql(`ALTER TABLE "${schema}".price ALTER COLUMN cost DROP NOT NULL`);
      await place.sql(`ALTER TABLE "${schema}".message DISABLE TRIGGER ALL`);
      const rows = await found();
      for (const row of ['index message_identity', 'table price.cost', expect.stringContaining('trigger ')])
        expect(rows).toContainEqual(row);
      await reader.close();
      await ledger.close();
      await place.sql(`DROP SCHEMA "${schema}" CASCADE`);
    }
  });

  it('is made once by processes that open an empty database together', async () => {
    const ledgers = await Promise.all([1, 2, 3, 4].map(() => openPostgresHere(address)));
    const ids = await Promise.all(ledgers.map(async (ledger) => (await ledger.facts()).ledgerId));
    expect(new Set(ids).size).toBe(1);
    for (const ledger of ledgers) await ledger.close();
  });
});

const programs = findPrograms() as PostgresPrograms;

test.skipIf(typeof programs === 'string')(
  'a schema is not there at all when its making is cut off in the middle, and the next start makes it [D15]',
  async () => {
    const server = await startPostgres(programs);
    onTestFinished(() => server.end());
    const address = postgresAddress(server.url, null);
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    // The session ends itself when it has made the tables, and comes to the triggers.
    await admin.query(`CREATE FUNCTION cut() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END $$;
      CREATE EVENT TRIGGER cut ON ddl_command_start WHEN TAG IN ('CREATE TRIGGER') EXECUTE FUNCTION cut()`);
    await expect(openPostgresHere(address)).rejects.toMatchObject({ code: 'database_unreachable' });
    const { rows } = await admin.query("SELECT 1 FROM pg_namespace WHERE nspname = 'tuma'");
    expect(rows).toEqual([]);
    await admin.query('DROP EVENT TRIGGER cut');
    await admin.end();
    const ledger = await openPostgresHere(address);
    expect(await ledger.facts()).toMatchObject({ unused: true, schemaVersion: NEWEST });
    await ledger.close();
    const reader = await openPostgresReaderHere(address);
    expect(await reader.violations(null)).toEqual([]);
    await reader.close();
  },
);
