import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { LedgerReader } from '../../../src/ledger/reader.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { ledgerContract } from '../contract.ts';

/** Holds SQLite to the contract, a new file for each test. */
export function onSqlite(
  name: string,
  open: { ledger: (file: string) => Promise<Ledger>; reader: (file: string) => Promise<LedgerReader> },
): void {
  ledgerContract(name, async () => {
    const file = join(makeTempDir(), 'ledger.db');
    const ledger = await open.ledger(file);
    const raw = new DatabaseSync(file, { timeout: 5_000 });
    return {
      ledger,
      another: () => open.ledger(file),
      reader: () => open.reader(file),
      sql: async (text, values = []) =>
        raw
          .prepare(text)
          .all(...values)
          .map((row) => ({ ...row })),
      async close() {
        raw.close();
        await ledger.close();
      },
    };
  });
}
