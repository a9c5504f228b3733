/* A collector on a real ledger, in a process of its own that a test may kill: arguments are the ledger's file and the token. */
import { storeWebhook } from '../../src/campaign/store-webhook.ts';
import { startCollector } from '../../src/collector/server.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { systemClock } from '../../src/system-clock.ts';
import { MemoryLog } from './fake-store.ts';

const [file = '', token = ''] = process.argv.slice(2);
const ledger = await openSqliteLedger({ file });
const collector = await startCollector({
  host: '127.0.0.1',
  port: 0,
  tokens: [token],
  store: (received) => storeWebhook({ clock: systemClock, ledger }, received),
  log: new MemoryLog(),
});
console.log(`port ${collector.port} pid ${process.pid}`);
