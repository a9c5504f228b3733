import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openContacts, type ContactRow, type ContactsFile } from '../../src/contacts/contacts-file.ts';
import { TumaError } from '../../src/domain/errors.ts';
import { makeTempDir } from '../support/temp-home.ts';

let home = '';
let written = 0;

/** A path in a directory that goes away after the test file. */
export function freshPath(name = 'contacts.csv'): string {
  // Where test files share a process, that of the one before is gone.
  if (!existsSync(home)) home = makeTempDir();
  written += 1;
  return join(home, `${written}-${name}`);
}

/** Writes a contacts file and answers its path. */
export function contactsOf(content: string | Uint8Array): string {
  const path = freshPath();
  writeFileSync(path, content);
  return path;
}

export interface Read {
  contacts: ContactsFile;
  rows: ContactRow[];
}

/** Reads a contacts file to its end. */
export async function readAll(path: string, columns: Record<string, string> = {}): Promise<Read> {
  await using contacts = await openContacts({ path, columns, countries: ['KE'] });
  const rows: ContactRow[] = [];
  for await (const chunk of contacts.rows()) rows.push(...chunk);
  return { contacts, rows };
}

/** The cells of every row, from a file with that content. */
export async function cellsOf(content: string | Uint8Array): Promise<string[][]> {
  const { rows } = await readAll(contactsOf(content));
  return rows.map(({ cells }) => cells);
}

/** The error that reading the file gives; fails when it can be read. */
export async function refusalOf(path: string, columns: Record<string, string> = {}): Promise<TumaError> {
  try {
    await readAll(path, columns);
  } catch (error) {
    if (error instanceof TumaError) return error;
    throw error;
  }
  throw new Error('The file was read, although it should have been refused.');
}
