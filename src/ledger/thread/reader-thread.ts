import { ledgerError } from '../sqlite/sqlite-errors.ts';
import { serveReader } from './serve-reader.ts';
import { serveOperations } from './thread.ts';

/* The thread that reads. */

await serveOperations(serveReader, ledgerError);
