import { openSqliteReader } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { CONTRACT, type ContractGroup } from '../contract.ts';
import { onSqlite } from './on-sqlite.ts';

/* All of the contract, on threads as every process has them. */

for (const group of Object.keys(CONTRACT) as ContractGroup[])
  onSqlite(group, {
    name: 'SQLite on threads of its own',
    ledger: (file) => openSqliteLedger({ file }),
    reader: (file) => openSqliteReader({ file }),
  });
