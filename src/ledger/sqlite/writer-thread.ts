import { ledgerError } from './sqlite-errors.ts';
import { serveWriter } from './serve-writer.ts';
import { serveOperations } from '../thread/thread.ts';

/* The thread that writes. */

await serveOperations(serveWriter, ledgerError);
