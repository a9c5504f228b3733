import { ledgerError } from './sqlite-errors.ts';
import { serveReader } from './serve-reader.ts';
import { serveOperations } from '../thread/thread.ts';

/* The thread that reads. */

await serveOperations(serveReader, ledgerError);
