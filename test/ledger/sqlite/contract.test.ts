import { onSqlite } from './on-sqlite.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';

/* In this thread; in threads of its own, as every process has it, in contract.slow.test.ts. */

onSqlite('SQLite', { ledger: openLedgerHere, reader: openReaderHere });
