import { spawnSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms } from '../test/support/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres/server.ts';

/** What statfs calls a file system that is in memory. */
const TMPFS = 0x01021994;

/** A Postgres of the bench's own, new and empty. */
export interface LedgerServer extends AsyncDisposable {
  /** As it calls itself: "PostgreSQL 15.14". */
  version: string;
  /** Settings of Tuma that put the ledger there. */
  settings: Record<string, string>;
}

/**
 * Starts one with the defaults of Postgres, over TCP and with its data on the disk. `folder`: where the file with its
 * password is put. Disposing it ends it.
 */
export async function startLedgerServer(folder: string): Promise<LedgerServer> {
  const programs = findPrograms();
  if (typeof programs === 'string') throw new Error(`there is no Postgres: ${programs}`);
  const server = await startPostgres(programs, { durable: true });
  if (statfsSync(server.data).type === TMPFS) {
    await server.end();
    throw new Error(`${server.data} was in memory, where a durable write costs nothing`);
  }
  return {
    version: versionOf(server),
    settings: settingsFor(server, folder),
    [Symbol.asyncDispose]: () => server.end(),
  };
}

function settingsFor({ url }: PostgresServer, folder: string): Record<string, string> {
  const address = new URL(url);
  const file = join(folder, 'database-password');
  writeFileSync(file, decodeURIComponent(address.password), { mode: 0o600 });
  address.password = '';
  return { TUMA_DATABASE_URL: address.href, TUMA_DATABASE_PASSWORD_FILE: file };
}

function versionOf({ bin }: PostgresServer): string {
  const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  const [, number] = /(\d+\.\d+)/.exec(stdout) ?? [];
  return `PostgreSQL ${number ?? 'of unknown version'}`;
}
