import { basename } from 'node:path';
import type { ContactRow } from '../contacts/contact-row.ts';
import { openContacts } from '../contacts/contacts-file.ts';
import { createRejects, type Rejects } from '../contacts/rejects.ts';
import { parseMobile } from '../domain/mobile.ts';
import type { NewOptOut } from '../ledger/replies.ts';
import type { Env } from './env.ts';

/** Opt-outs handed to the ledger at once. */
const ROWS_A_CALL = 1_000;

/** A list of numbers that must not be written to, and who brings it. */
export interface OptOutImport {
  /** A CSV with a header; the numbers stand in the column `mobile` (phone, msisdn, tel, number, cell). */
  path: string;
  /** Where rows go that hold no number. */
  rejectsPath: string;
  country: string;
  /** Null: promotional messages of every sender. */
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
 * wrote keeps the sender of each line. Throws `contacts_invalid`, `not_found` or `file_unwritable`.
 */
export async function importOptOuts(
  env: Pick<Env, 'ledger' | 'clock'>,
  { path, rejectsPath, country, sender, by }: OptOutImport,
): Promise<ImportedOptOuts> {
  await using contacts = await openContacts({ path });
  await using rejects = createRejects({ path: rejectsPath, contacts });
  const counts = { read: 0, added: 0, dead: 0, invalid: 0 };
  const exported = exportedColumns(contacts.header);
  const evidence = `line of ${basename(path)}`;
  let waiting: NewOptOut[] = [];
  const hand = async () => {
    counts.added += await env.ledger.addOptOuts(waiting, env.clock.now());
    waiting = [];
  };
  const take = (row: ContactRow) => {
    counts.read += 1;
    const own = exported(row.cells);
    if (own.kind === 'dead number') {
      counts.dead += 1;
      return;
    }
    const number = row.problem ?? parseMobile(row.cells[contacts.mobileColumn] ?? '', country);
    if ('ok' in number && number.ok) {
      const only = sender ?? own.sender;
      const scope = only === '' ? {} : { sender: only };
      waiting.push({ mobile: number.mobile, source: 'import', evidence, by, ...scope });
    } else {
      counts.invalid += 1;
      rejects.add({ row, reason: number.reason, detail: number.detail });
    }
  };
  for await (const rows of contacts.rows()) {
    for (const row of rows) take(row);
    while (waiting.length >= ROWS_A_CALL) await hand();
  }
  await hand();
  return {
    ...counts,
    known: counts.read - counts.added - counts.dead - counts.invalid,
    rejects: await rejects.finish(),
  };
}

/** The header of `optouts export`, in its order. */
export const EXPORTED_COLUMNS = ['mobile', 'kind', 'sender', 'source', 'since', 'evidence'];

/** Reads what an export says beside the number; of any other file nothing. */
function exportedColumns(
  header: readonly string[],
): (cells: readonly string[]) => { kind: string; sender: string } {
  if (header.join() !== EXPORTED_COLUMNS.join()) return () => ({ kind: '', sender: '' });
  const [kind, sender] = [EXPORTED_COLUMNS.indexOf('kind'), EXPORTED_COLUMNS.indexOf('sender')];
  return (cells) => ({ kind: cells[kind] ?? '', sender: (cells[sender] ?? '').trim() });
}
