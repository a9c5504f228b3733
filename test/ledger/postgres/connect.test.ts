import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { TumaError } from '../../../src/domain/errors.ts';
import { connect } from '../../../src/ledger/postgres/connect.ts';
import { postgresFault } from '../../../src/ledger/postgres/postgres-errors.ts';
import { addressOn } from '../../faults/commit-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { openPostgresHere, openPostgresReaderHere } from '../../support/ledger-here.ts';
import { findPrograms, type PostgresPrograms } from '../../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/server.ts';
import { waitFor } from '../../support/wait-for.ts';

/* A Postgres that cannot hold a ledger is refused in one clear sentence, which never shows a password. */

const OPENSSL = 'openssl';
const programs = findPrograms() as PostgresPrograms;
const none = typeof programs === 'string';
if (none) console.log(`Refused connections are not tried on Postgres: ${String(programs)}`);

describe.skipIf(none)('a Postgres that cannot hold a ledger', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(programs, { durable: true });
  });
  afterAll(() => server.end());

  async function sql(...texts: string[]): Promise<unknown[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    let rows: unknown[] = [];
    for (const text of texts) ({ rows } = await client.query<object>(text));
    await client.end();
    return rows;
  }

  /** Changes a setting of the server, and waits until new sessions see it. */
  async function set(name: string, value: string): Promise<void> {
    await sql(`ALTER SYSTEM SET ${name} = ${value}`, 'SELECT pg_reload_conf()');
    await waitFor(async () => JSON.stringify(await sql(`SHOW ${name}`)).includes(`"${value}"`), {
      what: `${name} = ${value}`,
    });
  }

  /** How the same server refuses by a changed address. */
  async function refused(change: (url: URL) => void = () => undefined): Promise<TumaError> {
    const url = new URL(server.url);
    change(url);
    return await refusalOf(async () => {
      const { client } = await connect(addressOn(url.href, 'tuma'), 'write');
      await client.end();
    });
  }

  async function refusalOf(open: () => Promise<unknown>): Promise<TumaError> {
    const error = await open().then(
      () => new Error('it was not refused'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof TumaError)) throw error;
    const shown = `${error.message} ${error.hint} ${error.where}`;
    expect(shown).not.toMatch(/password=|tuma-test-password|WRONG-CANARY|\n/);
    expect(error.hint ?? error.advice?.action).toMatch(/\w/);
    return error;
  }

  it('that does not answer at this port', async () => {
    const port = await freePort();
    const error = await refused((url) => (url.port = String(port)));
    expect(error).toMatchObject({ code: 'database_unreachable' });
    expect(error.message).toContain('does not answer');
  });

  it('whose host nobody knows', async () => {
    const error = await refused((url) => (url.hostname = 'no-such-host.invalid'));
    expect(error.code).toBe('database_unreachable');
    expect(error.message).toMatch(/^The host of Postgres is not known here \(E(?:NOTFOUND|AI_AGAIN)\)\.$/);
    expect(postgresFault(error)).toBe('again');
    expect(error.where).toMatch(/^no-such-host\.invalid:\d+\/postgres, schema tuma$/);
  });

  it('that is a server of another kind', async () => {
    const web = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
    });
    await once(web.listen(0, '127.0.0.1'), 'listening');
    const { port } = web.address() as { port: number };
    const error = await refused((url) => (url.port = String(port)));
    expect(error).toMatchObject({
      code: 'database_unreachable',
      message: expect.stringContaining('does not answer'),
    });
    web.close();
  });

  it('takes no more connections, which another one may end [D12]', async () => {
    await sql("CREATE ROLE few LOGIN PASSWORD 'WRONG-CANARY' CONNECTION LIMIT 0");
    const error = await refused((url) => {
      url.username = 'few';
      url.password = 'WRONG-CANARY';
    });
    expect(error).toMatchObject({
      code: 'database_unreachable',
      message: 'Postgres takes no more connections of this user.',
    });
    expect(postgresFault(error)).toBe('again');
  });

  it.each([
    ['refuses the password', (url: URL) => void (url.password = 'WRONG-CANARY')],
    ['refuses the password', (url: URL) => void (url.username = 'somebody')],
    ['wants a password, and none is given', (url: URL) => void (url.password = '')],
    ['no database of that name', (url: URL) => void (url.pathname = '/nowhere')],
  ])('%s', async (words, change) => {
    const error = await refused(change);
    expect(error).toMatchObject({ code: 'database_refused', message: expect.stringContaining(words) });
  });

  it('refuses a user without the right to connect', async () => {
    await sql("CREATE ROLE nobody LOGIN PASSWORD 'WRONG-CANARY'", 'CREATE DATABASE closed');
    await sql('REVOKE CONNECT ON DATABASE closed FROM PUBLIC');
    const error = await refused((url) => {
      url.username = 'nobody';
      url.password = 'WRONG-CANARY';
      url.pathname = '/closed';
    });
    expect(error.message).toBe('This user of Postgres may not do that.');
  });

  it('refuses a user who may not log in from here', async () => {
    await sql("CREATE ROLE guest NOLOGIN PASSWORD 'WRONG-CANARY'");
    const error = await refused((url) => {
      url.username = 'guest';
      url.password = 'WRONG-CANARY';
    });
    expect(error).toMatchObject({
      code: 'database_refused',
      message: 'Postgres refuses this user from this machine.',
      // A server that takes encrypted connections alone says the same.
      hint: expect.stringContaining('sslmode=verify-full'),
    });
  });

  it('refuses a user who may neither make the tables nor use them', async () => {
    await sql("CREATE ROLE poor LOGIN PASSWORD 'WRONG-CANARY'", 'CREATE DATABASE rich');
    const at = (change: (url: URL) => void = () => undefined) => {
      const url = new URL(server.url);
      url.pathname = '/rich';
      change(url);
      return addressOn(url.href, 'tuma');
    };
    const poor = at((url) => {
      url.username = 'poor';
      url.password = 'WRONG-CANARY';
    });
    expect(await refusalOf(() => openPostgresHere(poor))).toMatchObject({
      code: 'database_refused',
      message: 'There is no ledger in this database yet, and this user of Postgres may not make its tables.',
      advice: { action: 'make_tables' },
    });
    expect(await refusalOf(() => openPostgresReaderHere(poor))).toMatchObject({
      code: 'not_found',
      advice: { action: 'make_tables' },
    });
    await (await openPostgresHere(at())).close();
    const using = { code: 'database_refused', message: 'This user of Postgres may not do that.' };
    expect(await refusalOf(() => openPostgresHere(poor))).toMatchObject(using);
    expect(await refusalOf(() => openPostgresReaderHere(poor))).toMatchObject(using);
  });

  it('refuses to compare the tables for a user who may use them, and make none, and says who may', async () => {
    await sql("CREATE ROLE user_only LOGIN PASSWORD 'WRONG-CANARY'");
    const url = new URL(server.url);
    await (await openPostgresHere(addressOn(url.href, 'compared'))).close();
    await sql('GRANT USAGE ON SCHEMA compared TO user_only');
    await sql('GRANT SELECT ON ALL TABLES IN SCHEMA compared TO user_only');
    url.username = 'user_only';
    url.password = 'WRONG-CANARY';
    const reader = await openPostgresReaderHere(addressOn(url.href, 'compared'));
    onTestFinished(() => reader.close());
    expect(await refusalOf(() => reader.violations(null))).toMatchObject({
      code: 'database_refused',
      hint: expect.stringContaining('tuma_owner'),
    });
  });

  it('switches the triggers off for this user', async () => {
    await sql("CREATE ROLE copier LOGIN PASSWORD 'WRONG-CANARY'");
    await sql("ALTER ROLE copier SET session_replication_role = 'replica'");
    const error = await refused((url) => {
      url.username = 'copier';
      url.password = 'WRONG-CANARY';
    });
    expect(error.message).toBe('session_replication_role is not origin for this user.');
  });

  it.each(['120099', '190001'])('is of a version that nobody has tried (%s)', async (version) => {
    const [{ number }] = (await sql("SELECT current_setting('server_version_num') AS number")) as [
      { number: string },
    ];
    const port = await portOfChanging(server.url, { from: number, to: version });
    const error = await refused((url) => (url.port = String(port)));
    expect(error).toMatchObject({ code: 'database_refused', hint: 'Use one of these.' });
    expect(error.message).toMatch(/^This is Postgres .+; Tuma is tried with 13 to 18\.$/);
  });

  it('stores texts in another encoding', async () => {
    await sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    expect((await refused((url) => (url.pathname = '/latin'))).message).toContain('as LATIN1');
  });

  it.each(['fsync', 'full_page_writes'])('loses commits, with %s = off [D13]', async (setting) => {
    await set(setting, 'off');
    expect((await refused()).message).toContain(`${setting} = off`);
    await set(setting, 'on');
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])(
    'is named with a file that is not there, as %s',
    async (name) => {
      const error = await refused((url) => {
        url.searchParams.set('sslmode', 'verify-full');
        url.searchParams.set(name, '/nowhere/file.pem');
      });
      expect(error).toMatchObject({
        code: 'database_refused',
        message: 'A file that TUMA_DATABASE_URL names cannot be read (ENOENT).',
        where: '/nowhere/file.pem',
      });
    },
  );

  it('has no TLS where the address asks for it', async () => {
    const error = await refused((url) => url.searchParams.set('sslmode', 'verify-full'));
    expect(error).toMatchObject({ code: 'database_refused', message: 'This Postgres does not speak TLS.' });
  });

  it('has a certificate that is not trusted, or of another name', async () => {
    const [key, certificate] = ['server.key', 'server.crt'].map((name) => join(server.data, name));
    const flags = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=elsewhere'];
    const made = spawnSync(OPENSSL, [...flags, '-keyout', String(key), '-out', String(certificate)]);
    expect(made.status).toBe(0);
    server.own();
    await set('ssl', 'on');
    const strict = (url: URL) => url.searchParams.set('sslmode', 'verify-full');
    expect((await refused(strict)).message).toContain('is not trusted');
    const strange = await refused((url) => {
      strict(url);
      url.searchParams.set('sslrootcert', '/etc/passwd');
    });
    expect(strange.message).toContain('is not trusted');
    const named = await refused((url) => {
      strict(url);
      url.searchParams.set('sslrootcert', String(certificate));
    });
    expect(named.message).toMatch(/is not trusted \(.*ALTNAME/);
    expect(named.hint).toContain('the name in its certificate');
  });

  it('only follows another one', async () => {
    const signal = join(server.data, 'standby.signal');
    await server.signal('SIGINT');
    writeFileSync(signal, '');
    server.own();
    await server.start();
    const error = await refused();
    expect(error.message).toContain('only follows another one');
    // In a failover it is the primary a moment later, so verdicts wait for it.
    expect(postgresFault(error)).toBe('again');
    await server.signal('SIGINT');
    rmSync(signal);
    await server.start();
  });

  it('a session commits durably where the server, the database and the user do not [D13]', async () => {
    await set('synchronous_commit', 'off');
    await sql(
      'ALTER DATABASE postgres SET synchronous_commit = off',
      'ALTER ROLE tuma SET synchronous_commit = off',
    );
    const { client } = await connect(addressOn(server.url, 'tuma'), 'write');
    expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
    await client.end();
    await sql('ALTER DATABASE postgres RESET ALL', 'ALTER ROLE tuma RESET ALL');
    await set('synchronous_commit', 'on');
  });
});

/** The port of a proxy to the server that changes this text in its answers into another one of the same length. */
async function portOfChanging(url: string, { from, to }: { from: string; to: string }): Promise<number> {
  const { port, hostname } = new URL(url);
  const proxy = createServer((client) => {
    const upstream = createConnection(Number(port), hostname);
    for (const each of [client, upstream]) each.on('error', () => undefined);
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      client.write(Buffer.from(chunk.toString('latin1').replaceAll(from, to), 'latin1'));
    });
    upstream.on('end', () => client.end());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  return (proxy.address() as { port: number }).port;
}
