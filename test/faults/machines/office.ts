import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { asRole, machineSettings, type PostgresRole, rolePasswords } from '../../support/postgres/machine.ts';
import { findPrograms } from '../../support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/server.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { freePort } from '../../support/free-port.ts';
import { COMPILE_CACHE, ROOT, startProcess } from '../../support/processes.ts';
import { makeCertificates, type PortRedis, startCluster, startPortRedis } from '../../support/redis-forms.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { API_KEY, API_SECRET, type Provider, startProvider } from '../provider.ts';
import { DATABASE, OFFICE } from './namespaces.ts';

/* What machines share: Postgres with TLS and a user a role, a Redis Cluster of three masters, and the provider. */

export const TUMA = join(ROOT, 'bin/tuma');
const WEBHOOK_TOKEN = 'abcdefghijklmnopqrstuvwx';
const COLLECTOR_PORT = 8080;
/** As tests show them to nobody: no process may print one. */
export const SECRETS = ['CANARY', API_SECRET, WEBHOOK_TOKEN];

export interface OfficeOptions {
  /** TUMA_RATE, such as 1500/s. */
  rate: string;
  /** The address of the collector's machine. */
  collector: string;
  /** Of the provider's faults. */
  seed: number;
  /** Share of numbers at which the provider refuses, fails or falls silent. */
  faults: number;
}

export interface Office {
  directory: string;
  postgres: PostgresServer;
  redis: PortRedis[];
  provider: Provider;
  /** Rows of the ledger, as a superuser reads them. */
  sql: (text: string) => Promise<Record<string, unknown>[]>;
  /** The settings of a machine whose processes use this user of Postgres. Each call is another machine. */
  settings(user: PostgresRole): Record<string, string>;
  /** Runs a command to its end, which must be good, and answers what it printed. */
  tuma(user: 'owner' | 'worker', args: string[]): Promise<string>;
}

/** Opens all of it on the networks that are there, and makes the tables of a new ledger. */
export async function openOffice(options: OfficeOptions): Promise<Office> {
  const directory = makeTempDir('disk');
  const { postgres, ca } = await openDatabase();
  const onNetwork = [
    '--bind',
    '127.0.0.1',
    OFFICE,
    '--protected-mode',
    'no',
    '--cluster-announce-ip',
    OFFICE,
  ];
  const redis = await startCluster((args = []) => startPortRedis([...args, ...onNetwork]));
  const port = await freePort();
  const provider = await startProvider({
    directory,
    port,
    webhookUrl: `http://${options.collector}:${COLLECTOR_PORT}/webhooks/${WEBHOOK_TOKEN}`,
    here: false,
    options: {
      host: '0.0.0.0',
      faults: { rate: options.faults },
      seed: options.seed,
      reportDelayMs: { min: 100, max: 1_000 },
      reportTries: 100,
    },
  });
  const shared = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    TUMA_HOST: options.collector,
    TUMA_PORT: String(COLLECTOR_PORT),
    TUMA_WEBHOOK_TOKEN: WEBHOOK_TOKEN,
  };
  const sending = {
    TUMA_REDIS_URL: `redis+cluster://${redis.map((node) => `${OFFICE}:${node.port}`).join(',')}`,
    TUMA_MESSAGING_URL: `http://${OFFICE}:${port}`,
    TUMA_API_KEY: API_KEY,
    TUMA_API_SECRET: API_SECRET,
    TUMA_RATE: options.rate,
    TUMA_PRICE: '0.80',
    TUMA_DEADLINE: '6s',
  };
  const office: Office = {
    directory,
    postgres,
    redis,
    provider,
    sql: (text) => asAdmin(postgres.url, text),
    settings(user) {
      const url = new URL(asRole(postgres.url, user));
      url.hostname = DATABASE;
      url.searchParams.set('sslmode', 'verify-full');
      url.searchParams.set('sslrootcert', ca);
      return {
        ...shared,
        ...(user === 'worker' ? sending : {}),
        ...machineSettings(url.href, 'disk'),
      };
    },
    async tuma(user, args) {
      const child = startProcess(TUMA, args, { cwd: directory, env: office.settings(user) });
      const { code } = await child.exited;
      if (code !== 0) throw new Error(`tuma ${args.join(' ')} ended with ${code}: ${child.stderr()}`);
      return child.stdout();
    },
  };
  await makeTables(office);
  return office;
}

/** A durable Postgres that other machines reach by TLS and password. */
async function openDatabase(): Promise<{ postgres: PostgresServer; ca: string }> {
  const programs = findPrograms();
  if (typeof programs === 'string') throw new Error(programs);
  const postgres = await startPostgres(programs, {
    durable: true,
    settings: { listen_addresses: `127.0.0.1,${DATABASE}` },
  });
  // Its watcher ends with these namespaces, and would leave its folder.
  atFileEnd(() => postgres.end());
  const { ca, cert, key } = await makeCertificates(`IP:${DATABASE}`);
  copyFileSync(cert, join(postgres.data, 'server.crt'));
  copyFileSync(key, join(postgres.data, 'server.key'));
  appendFileSync(join(postgres.data, 'pg_hba.conf'), `hostssl all all ${DATABASE}/24 scram-sha-256\n`);
  postgres.own();
  await asAdmin(postgres.url, 'ALTER SYSTEM SET ssl = on');
  await asAdmin(postgres.url, 'SELECT pg_reload_conf()');
  return { postgres, ca };
}

async function makeTables(office: Office): Promise<void> {
  const roles = readFileSync(join(ROOT, 'deploy/postgres-roles.sql'), 'utf8');
  await office.sql(roles);
  await office.sql(rolePasswords());
  await office.tuma('owner', ['migrate']);
  await office.sql(roles);
}

async function asAdmin(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  // A server that a test ends takes this connection with it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
