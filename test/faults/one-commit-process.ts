import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';

/* A process whose only commit is one operation of the ledger: `node one-commit-process.ts FILE claim ARGUMENTS-AS-JSON`. */

const [file = '', operation = '', args = ''] = process.argv.slice(2);
const ledger = await openSqliteLedger({ file });
console.log('ready');
const call = ledger[operation as 'claim'].bind(ledger);
await call(JSON.parse(args));
console.log('committed');
await ledger.close();
