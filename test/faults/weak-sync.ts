import { DatabaseSync } from 'node:sqlite';

/* Preloaded into a process (--import), it takes from the ledger the setting on which its promises lean. */

const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function weakened(sql: string) {
  return exec.call(this, sql.replaceAll('synchronous = FULL', 'synchronous = NORMAL'));
};
