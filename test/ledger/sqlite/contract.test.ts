import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { openSqliteReader } from '../../../src/ledger/sqlite/reader.ts';
import { ledgerContract } from '../contract.ts';
import { makeTempDir } from '../../support/temp-home.ts';

ledgerContract('SQLite', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  const raw = new DatabaseSync(file, { timeout: 5_000 });
  return {
    ledger,
    another: () => openSqliteLedger({ file }),
    reader: () => openSqliteReader({ file }),
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
