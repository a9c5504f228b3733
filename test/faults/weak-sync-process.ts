import { DatabaseSync } from 'node:sqlite';

/* Preloaded into a process (--import), it takes from the ledger the setting on which its promises lean. */

const real = Reflect.get(DatabaseSync.prototype, 'exec');
DatabaseSync.prototype.exec = function weakened(sql: string) {
  real.call(this, sql.replaceAll('synchronous = FULL', 'synchronous = NORMAL'));
};
