import { serveOperations } from '../thread/thread.ts';
import { postgresError } from './postgres-errors.ts';
import { servePostgresWriter } from './serve-postgres.ts';

/* The thread that writes. */

await serveOperations(servePostgresWriter, postgresError);
