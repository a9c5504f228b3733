import { GenericContainer, Wait, getContainerRuntimeClient } from 'testcontainers';
import { findPrograms } from './programs.ts';
import { startPostgres } from './server.ts';

/** Set by the process that runs all tests: the socket at which it tells its server. */
export const SERVER_OF_RUN = 'TUMA_TEST_POSTGRES_OF_RUN';
const IMAGE = 'postgres:18-alpine';

/** The one server of a test run, or why there is none. */
export type ServerOfRun = { url: string; reason: null } | { url: null; reason: string };

const enders: (() => Promise<unknown>)[] = [];

/**
 * Starts the server of this run: what TUMA_TEST_POSTGRES names (an address, a folder of programs, or a version), else a
 * container where a Docker engine answers, else the newest that is installed, else that of npm.
 */
export async function serverOfRun(): Promise<ServerOfRun> {
  const wanted = process.env['TUMA_TEST_POSTGRES'];
  if (wanted?.startsWith('postgres')) return { url: wanted, reason: null };
  const url = wanted === undefined ? await inContainer() : null;
  if (url !== null) return { url, reason: null };
  const programs = findPrograms();
  if (typeof programs === 'string') return { url: null, reason: programs };
  const server = await startPostgres(programs);
  enders.push(() => server.end());
  return { url: server.url, reason: null };
}

/** Ends what `serverOfRun` started. */
export async function endServerOfRun(): Promise<void> {
  for (const end of enders.splice(0)) await end();
}

async function inContainer(): Promise<string | null> {
  const hasDocker = await getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!hasDocker) return null;
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({
      POSTGRES_USER: 'tuma',
      POSTGRES_HOST_AUTH_METHOD: 'trust',
      POSTGRES_INITDB_ARGS: '--no-sync --locale=C -E UTF8',
    })
    // A ledger refuses a server that does not force commits to the disk; in memory that costs nothing.
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withExposedPorts(5432)
    // The first start, which fills the data folder, listens on its own socket only.
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  enders.push(() => container.stop({ timeout: 0 }));
  return `postgres://tuma@${container.getHost()}:${container.getMappedPort(5432)}/tuma`;
}
