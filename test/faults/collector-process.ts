/*
 * A collector on a real ledger, in a process of its own that a test may kill. Arguments: the ledger's file, the token, and
 * `mute` for one that stores what comes and never answers.
 */
import { storeWebhook, tryStore } from '../../src/campaign/inbound/store-webhook.ts';
import { startCollector } from '../../src/collector/server.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { systemClock } from '../../src/system/clock.ts';
import { MemoryLog } from '../collector/fake-store.ts';

const [file = '', token = '', mute = ''] = process.argv.slice(2);
const ledger = await openSqliteLedger({ file });
const collector = await startCollector({
  host: '127.0.0.1',
  port: 0,
  answer: 'OK',
  tokens: [token],
  async store(received) {
    const stored = await storeWebhook({ clock: systemClock, ledger }, received);
    return mute === '' ? stored : new Promise(() => undefined);
  },
  tryStore: () => tryStore({ clock: systemClock, ledger }),
  log: new MemoryLog(),
});
console.log(`port ${collector.port} pid ${process.pid}`);
