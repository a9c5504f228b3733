import { basename } from 'node:path';
import type { ContactRow } from '../../contacts/contact-row.ts';
import { type ContactsFile, openContacts } from '../../contacts/contacts-file.ts';
import { Rejects } from '../../contacts/rejects.ts';
import type { RejectsPlace } from '../../contacts/rejects-place.ts';
import { TumaError } from '../../domain/errors.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import type { NewOptOut } from '../../ledger/replies.ts';
import type { Env } from '../env.ts';
import { exportedReader } from './exported-opt-outs.ts';

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
  /** Null: promotional messages of every sender, or of those that an exported file names. */
  sender: string | null;
  /** Who does it. */
  by: string;
}

/** read = added + known + dead + invalid. */
export interface ImportedOptOuts {
  read: number;
  added: number;
  /** Opted out already, in the ledger or by a line before. */
  known: number;
  /** Of a file that `optouts export` wrote: numbers that were learned to be dead there, which is no wish of theirs. */
  dead: number;
  invalid: number;
  rejects: Awaited<ReturnType<Rejects['finish']>>;
}

/**
 * Opts out every number of a CSV; what is no number goes to the rejects file with its line and reason. Each thousand rows
 * are one commit, so an import that was interrupted is run again: what is known is left alone. A file that `optouts export`
 * wrote keeps the sender of each line. Throws `contacts_invalid`, `not_found`, `file_unwritable`, and `usage` for a sender
 * beside a file that has its own.
 */
export async function importOptOuts(
  env: ImportEnv,
  { path, rejectsPlace, ...order }: OptOutImport,
): Promise<ImportedOptOuts> {
  await using contacts = await openContacts({ path });
  const exported = exportedReader(contacts.header);
  if (exported !== null && order.sender !== null) throw senderTwice(path);
  await using rejects = new Rejects({ place: rejectsPlace, contacts });
  const evidence = `line of ${basename(path)}`;
  const importing = new Importing(env, { ...order, contacts, exported, evidence, rejects });
  for await (const rows of contacts.rows()) await importing.take(rows);
  const counts = await importing.finish();
  return { ...counts, rejects: await rejects.finish() };
}

function senderTwice(path: string): TumaError {
  return new TumaError('usage', {
    message: `${path} says of each number which sender it opted out of, and --sender would narrow them all to one. Nothing was imported.`,
    hint: 'Leave --sender out; if this is a list of your own, remove or rename its columns `kind` and `sender`.',
    where: '--sender',
  });
}

interface ImportInput extends Pick<OptOutImport, 'country' | 'sender' | 'by'> {
  contacts: ContactsFile;
  /** Null: a list of the user's own. */
  exported: ReturnType<typeof exportedReader>;
  evidence: string;
  rejects: Rejects;
}

/** An import under way: what is wanted waits for the ledger, the rest is counted. */
class Importing {
  #env: ImportEnv;
  #input: ImportInput;
  #counts = { read: 0, added: 0, dead: 0, invalid: 0 };
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
    const { read, added, dead, invalid } = this.#counts;
    return { read, added, known: read - added - dead - invalid, dead, invalid };
  }

  #look(row: ContactRow): void {
    const { contacts, country, exported } = this.#input;
    this.#counts.read += 1;
    const own = exported?.(row.cells);
    if (own?.dead === true) {
      this.#counts.dead += 1;
      return;
    }
    const number = row.problem ?? parseMobile(row.cells[contacts.mobileColumn] ?? '', country);
    if ('ok' in number && number.ok) this.#want(number.mobile, own?.sender ?? '');
    else this.#reject(row, number);
  }

  #want(mobile: string, ownSender: string): void {
    const { sender, evidence, by } = this.#input;
    const only = sender ?? ownSender;
    const scope = only === '' ? {} : { sender: only };
    this.#waiting.push({ mobile, source: 'import', evidence, by, ...scope });
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
