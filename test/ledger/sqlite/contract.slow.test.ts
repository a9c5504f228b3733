import { openSqliteReader } from '../../../src/ledger/sqlite/reader.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { onSqlite } from './on-sqlite.ts';

onSqlite('SQLite on threads of its own', {
  ledger: (file) => openSqliteLedger({ file }),
  reader: (file) => openSqliteReader({ file }),
});
