import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { hangUp, readOptions, tell } from './parent.ts';

/*
 * The limit of planning: csv-parse, the parser that Tuma uses, reads the file as a stream of arrays, and every row is
 * dropped. It leaves out the numbers, the texts, the segments, the duplicates, the rejects and the ledger.
 */

const { contacts } = readOptions<{ contacts: string }>();

const begun = performance.now();
let rows = 0;
const parser = parse({ columns: false });
const done = Promise.withResolvers<void>();
parser.on('data', () => {
  rows += 1;
});
parser.on('end', done.resolve);
parser.on('error', done.reject);
createReadStream(contacts).pipe(parser);
await done.promise;
// The first row is the header.
tell({ rows: rows - 1, ms: performance.now() - begun });
hangUp();
