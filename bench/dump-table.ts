import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hangUp, readOptions } from './parent.ts';

/*
 * Stands in for the program `sqlite3` where there is none: reads a table row by row and writes it as CSV. It leaves out
 * everything that Tuma does with a message.
 */

interface DumpOptions {
  ledger: string;
  query: string;
  file: string;
}

type Value = null | number | bigint | string | Uint8Array;

const ROWS_A_WRITE = 1_000;

const { ledger, query, file } = readOptions<DumpOptions>();
const table = new DatabaseSync(ledger, { readOnly: true }).prepare(query);
table.setReturnArrays(true);
const out = openSync(file, 'w');
let lines = [table.columns().map(({ name }) => name)].map(lineOf);
for (const row of table.iterate() as unknown as Iterable<Value[]>) {
  lines.push(lineOf(row));
  if (lines.length < ROWS_A_WRITE) continue;
  writeSync(out, lines.join(''));
  lines = [];
}
writeSync(out, lines.join(''));
closeSync(out);
hangUp();

function lineOf(row: readonly Value[]): string {
  return `${row.map(cellOf).join(',')}\n`;
}

function cellOf(value: Value): string {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
