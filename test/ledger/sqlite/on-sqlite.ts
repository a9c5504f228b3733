import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../../src/ledger/contracts/reader.ts';
import { newLedgerFile } from '../../support/new-ledger-file.ts';
import { SqlBehind } from '../../support/sql-behind.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import { type ContractGroup, ledgerContract } from '../contract.ts';

/** How the ledger and its reader are opened. */
interface Opening {
  name: string;
  ledger: (file: string) => Promise<Ledger>;
  reader: (file: string) => Promise<LedgerReader>;
}

/** In this thread; in threads of its own, as every process has it, in contract.slow.test.ts. */
const HERE: Opening = { name: 'SQLite', ledger: openLedgerHere, reader: openReaderHere };

/** Holds SQLite to a group of the contract, a new file for each test. */
export function onSqlite(group: ContractGroup, open = HERE): void {
  ledgerContract(open.name, group, async () => {
    const file = await newLedgerFile();
    const ledger = await open.ledger(file);
    const behind = new SqlBehind(file);
    return {
      ledger,
      another: () => open.ledger(file),
      reader: () => open.reader(file),
      sql: async (text, values = []) => await behind.run(text, ...values),
      tables: async () =>
        (await behind.run("SELECT name FROM sqlite_schema WHERE type = 'table'")).map(({ name }) =>
          String(name),
        ),
      async close() {
        behind.close();
        await ledger.close();
      },
    };
  });
}
