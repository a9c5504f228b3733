import { basename } from 'node:path';
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
 * Opts out every number of a CSV; what is no number goes to the rejects file with its line and reason. Each thousand rows
 * are one commit, so an import that was interrupted is run again: what is known is left alone. Throws `contacts_invalid`,
 * `not_found` or `file_unwritable`.
 */
export async function importOptOuts(
  env: Pick<Env, 'ledger' | 'clock'>,
  { path, rejectsPath, country, sender, by }: OptOutImport,
): Promise<ImportedOptOuts> {
  await using contacts = await openContacts({ path });
  await using rejects = createRejects({ path: rejectsPath, contacts });
  const counts = { read: 0, added: 0, invalid: 0 };
  const evidence = `line of ${basename(path)}`;
  let waiting: NewOptOut[] = [];
  const hand = async () => {
    counts.added += await env.ledger.addOptOuts(waiting, env.clock.now());
    waiting = [];
  };
  for await (const rows of contacts.rows()) {
    for (const row of rows) {
      counts.read += 1;
      const number = row.problem ?? parseMobile(row.cells[contacts.mobileColumn] ?? '', country);
      if ('ok' in number && number.ok) {
        const scope = sender === null ? {} : { sender };
        waiting.push({ mobile: number.mobile, source: 'import', evidence, by, ...scope });
      } else {
        counts.invalid += 1;
        rejects.add({ row, reason: number.reason, detail: number.detail });
      }
    }
    while (waiting.length >= ROWS_A_CALL) await hand();
  }
  await hand();
  return {
    ...counts,
    known: counts.read - counts.added - counts.invalid,
    rejects: await rejects.finish(),
  };
}
