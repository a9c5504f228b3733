import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TumaError } from '../../../src/domain/errors.ts';
import { connect } from '../../../src/ledger/postgres/connect.ts';
import { addressOn } from '../../faults/commit-proxy.ts';
import { freePort } from '../../support/free-port.ts';
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
    const error = await connect(addressOn(url.href, 'tuma'), 'write').then(
      async ({ client }) => {
        await client.end();
        throw new Error('it was not refused');
      },
      (reason: unknown) => reason,
    );
    if (!(error instanceof TumaError)) throw error;
    const shown = `${error.message} ${error.hint} ${error.where}`;
    expect(shown).not.toMatch(/password=|tuma-test-password|WRONG-CANARY|\n/);
    expect(error.hint).toMatch(/\w/);
    return error;
  }

  it('that does not answer at this port', async () => {
    const port = await freePort();
    const error = await refused((url) => (url.port = String(port)));
    expect(error).toMatchObject({ code: 'database_unreachable' });
    expect(error.message).toContain('does not answer');
  });

  it.each([
    ['refuses the password', (url: URL) => void (url.password = 'WRONG-CANARY')],
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

  it('stores texts in another encoding', async () => {
    await sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    expect((await refused((url) => (url.pathname = '/latin'))).message).toContain('as LATIN1');
  });

  it.each(['fsync', 'full_page_writes'])('loses commits, with %s = off', async (setting) => {
    await set(setting, 'off');
    expect((await refused()).message).toContain(`${setting} = off`);
    await set(setting, 'on');
  });

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
    expect((await refused()).message).toContain('only follows another one');
    await server.signal('SIGINT');
    rmSync(signal);
    await server.start();
  });
});
