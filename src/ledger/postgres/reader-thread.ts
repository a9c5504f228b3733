import { serveOperations } from '../thread/thread.ts';
import { postgresError } from './postgres-errors.ts';
import { servePostgresReader } from './serve-postgres.ts';

/* The thread that reads. */

await serveOperations(servePostgresReader, postgresError);
