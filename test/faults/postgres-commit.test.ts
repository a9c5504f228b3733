import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/ledger/postgres/connect.ts';
import { PostgresConnection } from '../../src/ledger/postgres/postgres-connection.ts';
import { CommitUnknown, ConnectionLost } from '../../src/ledger/postgres/postgres-errors.ts';
import { PostgresTransactions } from '../../src/ledger/postgres/postgres-transactions.ts';
import { ClaimsUnderWay } from '../../src/campaign/sending/claims-under-way.ts';
import { type OpenLedger, sent, World } from '../ledger/contract-world.ts';
import { openPostgresHere, openPostgresReaderHere } from '../support/ledger-here.ts';
import { WireNote } from '../../src/campaign/sending/wire-note.ts';
import { findPrograms, type PostgresPrograms } from '../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { addressOn, startCommitProxy } from './commit-proxy.ts';

/* The connection is lost during COMMIT (D11): what became of the transaction is asked, and never guessed. */

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`Lost commits are not tried on Postgres: ${String(programs)}`);

describe.skipIf(none)('a connection that is lost during COMMIT on Postgres [D11]', () => {
  let server: PostgresServer;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres(programs, { durable: true });
  });
  afterAll(() => server.end());

  async function sql(text: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const answer = (await client.query(text)) as unknown as { rows: Record<string, unknown>[] };
    await client.end();
    return answer.rows;
  }

  /** Transactions by way of a proxy, and one that has inserted a row, and has not committed. */
  async function open() {
    const proxy = await startCommitProxy(server.url);
    const schema = `commit_${(schemas += 1)}`;
    await sql(`CREATE SCHEMA ${schema};
      CREATE TABLE ${schema}.fact (name text, value text); INSERT INTO ${schema}.fact VALUES ('schema_version', '1');
      CREATE TABLE ${schema}.row (n int)`);
    const address = addressOn(proxy.url, schema);
    const opened = await connect(address, 'write');
    const connection = new PostgresConnection(opened.client);
    const transactions = new PostgresTransactions(opened, {
      address,
      connection,
      ledgerId: schema,
      clock: undefined,
    });
    await transactions.begin(true);
    await connection.client.query('INSERT INTO row VALUES (1)');
    const rows = async () => (await sql(`SELECT count(*)::int AS rows FROM ${schema}.row`))[0]?.['rows'];
    return { proxy, transactions, connection, rows };
  }

  it('is committed where the answer alone was lost', async () => {
    const { proxy, transactions, rows } = await open();
    const cut = proxy.cut('after');
    await transactions.commit();
    await cut;
    expect(await rows()).toBe(1);
    await transactions.begin(true);
    await transactions.commit();
    await transactions.close();
  });

  it('is asked for as well where an answer comes that nobody understands', async () => {
    const { proxy, transactions, rows } = await open();
    void proxy.cut('garbled');
    await transactions.commit();
    expect(await rows()).toBe(1);
    await transactions.close();
  });

  it('is undone, and may run again, where it never reached the server', async () => {
    const { proxy, transactions, rows } = await open();
    void proxy.cut('before');
    await expect(transactions.commit()).rejects.toBeInstanceOf(ConnectionLost);
    expect(await rows()).toBe(0);
    await transactions.close();
  });

  it('is unknown where a crash has forgotten its number, which then means another transaction', async () => {
    const { transactions, connection, rows } = await open();
    const { rows: numbers } = await connection.client.query('SELECT pg_current_xact_id()::text AS xid');
    const xid = BigInt(String(numbers[0]?.xid));
    await server.signal('SIGKILL');
    await server.start();
    let last = 0n;
    while (last < xid)
      last = BigInt(String((await sql('SELECT pg_current_xact_id()::text AS xid'))[0]?.['xid']));
    const [of] = await sql(`SELECT pg_xact_status('${xid}') AS status`);
    expect(of).toEqual({ status: 'committed' });
    await expect(transactions.commit()).rejects.toBeInstanceOf(CommitUnknown);
    expect(await rows()).toBe(0);
    await transactions.close();
  });

  it('a claim of which nobody can say whether it was committed goes back to the queue, and what is on the wire stays', async () => {
    const proxy = await startCommitProxy(server.url);
    const schema = `commit_${(schemas += 1)}`;
    const ledger = await openPostgresHere(addressOn(proxy.url, schema));
    const world = new World({ ledger, sql: (text: string) => sql(text) } as unknown as OpenLedger);
    const campaign = await world.launch(10);
    const worker = await world.worker();
    const lease = await world.lease(worker);
    const env = {
      ledger,
      clock: { now: () => world.now, sleep: async () => undefined },
      log: QUIET,
    } as never;
    const note = new WireNote({ log: QUIET } as never, worker, null);
    const counting = vi.spyOn(note, 'recorded');
    const [onTheWire, waiting] = (await world.claim(lease, worker, { limit: 2 })).messages;
    note.handed({ campaign: campaign.n, seq: onTheWire?.seq ?? 0, attempt: 1 });
    const claims = new ClaimsUnderWay({ env, has: ({ seq }) => seq === waiting?.seq });

    const held = proxy.cut('held');
    const unsure = claims.run(note, () => world.claim(lease, worker, { limit: 5, fromSeq: 3 }));
    const commit = await held;
    // So that the number of the transaction proves nothing.
    await sql('CHECKPOINT');
    commit.let();
    await expect(unsure).rejects.toMatchObject({ code: 'database_unsure' });
    // It waits for the handing back.
    const next = await claims.run(note, () => world.claim(lease, worker, { fromSeq: 3 }));
    await claims.settled();
    expect(next.messages.map(({ seq, attempt }) => [seq, attempt])).toEqual([
      ...[3, 4, 5, 6, 7].map((seq) => [seq, 2]),
      ...[8, 9, 10].map((seq) => [seq, 1]),
    ]);
    // Else the ledger would seem newer than the note by as many verdicts.
    const [counts] = await sql(`SELECT recorded::int FROM ${schema}.worker WHERE id = ${worker}`);
    expect(counting.mock.calls.map(([outcomes]) => outcomes.length)).toEqual([counts?.['recorded']]);
    const reader = await openPostgresReaderHere(addressOn(server.url, schema));
    expect(await reader.violations(null)).toEqual([]);
    await reader.close();
    await ledger.close();
  });

  it('sessions that the server ends at any moment lose and repeat nothing, and the worker waits for it [D10]', async () => {
    const schema = `commit_${(schemas += 1)}`;
    const ledger = await openPostgresHere(addressOn(server.url, schema));
    const world = new World({ ledger } as unknown as OpenLedger);
    const campaign = await world.launch(200, { settings: { batchSize: 200 } });
    const worker = await world.worker();
    const lease = await world.lease(worker);
    const claimed: number[] = [];
    let ended = 0;
    const endSessions = async () => {
      const rows = await sql(`SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
        WHERE application_name = 'tuma write'`);
      ended += Number(rows[0]?.['ended']);
    };
    while (claimed.length < 200) {
      const ask = { limit: 10, fromSeq: claimed.length + 1 };
      const [{ messages }] = await Promise.all([world.claim(lease, worker, ask), endSessions()]);
      claimed.push(...messages.map(({ seq }) => seq));
      const outcomes = messages.map((message) => sent(campaign, message));
      const [results] = await Promise.all([world.record(worker, outcomes), endSessions()]);
      expect(new Set(results)).toEqual(new Set(['recorded']));
    }
    expect(ended).toBeGreaterThan(10);
    expect(claimed).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));

    await server.signal('SIGKILL');
    const afterCrash = world.worker(2);
    await server.start();
    await afterCrash;
    const reader = await openPostgresReaderHere(addressOn(server.url, schema));
    expect(await reader.violations(null)).toEqual([]);
    await reader.close();
    await ledger.close();
  });
});
