import { basename } from 'node:path';
import type { ContactRow } from '../../contacts/contact-row.ts';
import { type ContactsFile, openContacts } from '../../contacts/contacts-file.ts';
import { createRejects, type Rejects } from '../../contacts/rejects.ts';
import type { RejectsPlace } from '../../contacts/rejects-place.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import type { NewOptOut } from '../../ledger/replies.ts';
import type { Env } from '../env.ts';

type ImportEnv = Pick<Env, 'ledger' | 'clock'>;

/** Opt-outs handed to the ledger at once. */
const ROWS_A_CALL = 1_000;

/** A list of numbers that must not be written to, and who brings it. */
export interface OptOutImport {
  /** A CSV with a header; the numbers stand in the column `mobile` (phone, msisdn, tel, number, cell). */
  path: string;
  /** Where rows go that hold no number. */
  rejectsPlace: RejectsPlace;
  country: string;
  /** Null: promotional messages of every sender. */
  sender: string | null;
  /** Who does it. */
  by: string;
}

/** read = added + known + invalid. */
export interface ImportedOptOuts {
  read: number;
  added: number;
  /** Opted out already, in the ledger or by a line before. */
  known: number;
  invalid: number;
  rejects: Awaited<ReturnType<Rejects['finish']>>;
}

/**
 * Opts out every number of a CSV. Rows without a number go to the rejects file with their line and reason. Each thousand rows
 * are one commit, so an interrupted import is run again: known numbers stay as they are. Throws `contacts_invalid`,
 * `not_found` and `file_unwritable`.
 */
export async function importOptOuts(
  env: ImportEnv,
  { path, rejectsPlace, ...order }: OptOutImport,
): Promise<ImportedOptOuts> {
  await using contacts = await openContacts({ path });
  await using rejects = createRejects({ place: rejectsPlace, contacts });
  const evidence = `line of ${basename(path)}`;
  const importing = new Importing(env, { ...order, contacts, evidence, rejects });
  for await (const rows of contacts.rows()) await importing.take(rows);
  const counts = await importing.finish();
  return { ...counts, rejects: await rejects.finish() };
}

interface ImportInput extends Pick<OptOutImport, 'country' | 'sender' | 'by'> {
  contacts: ContactsFile;
  evidence: string;
  rejects: Rejects;
}

/** An import under way: what is wanted waits for the ledger, the rest is counted. */
class Importing {
  #env: ImportEnv;
  #input: ImportInput;
  #counts = { read: 0, added: 0, invalid: 0 };
  #waiting: NewOptOut[] = [];

  constructor(env: ImportEnv, input: ImportInput) {
    this.#env = env;
    this.#input = input;
  }

  async take(rows: readonly ContactRow[]): Promise<void> {
    for (const row of rows) this.#look(row);
    if (this.#waiting.length >= ROWS_A_CALL) await this.#hand();
  }

  async finish(): Promise<Omit<ImportedOptOuts, 'rejects'>> {
    await this.#hand();
    const { read, added, invalid } = this.#counts;
    return { read, added, known: read - added - invalid, invalid };
  }

  #look(row: ContactRow): void {
    const { contacts, country, sender, evidence, by } = this.#input;
    this.#counts.read += 1;
    const number = row.problem ?? parseMobile(row.cells[contacts.mobileColumn] ?? '', country);
    if (!('ok' in number && number.ok)) return this.#reject(row, number);
    const scope = sender === null ? {} : { sender };
    this.#waiting.push({ mobile: number.mobile, source: 'import', evidence, by, ...scope });
  }

  #reject(row: ContactRow, { reason, detail }: { reason: string; detail: string }): void {
    this.#counts.invalid += 1;
    this.#input.rejects.add({ row, reason, detail });
  }

  async #hand(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    this.#counts.added += await this.#env.ledger.addOptOuts(entries, this.#env.clock.now());
  }
}
